import { describe, expect, it } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { picture } from '@scriptorium/testing/fixtures/hostile/document';
import { plainPng } from '@scriptorium/testing/fixtures/picture';
import { p, run, sdt, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody, generated } from './generated.ts';

const line = (text: string) => p(run(text));
const loop = (content: string) => line('{#items}') + content + line('{/items}');
const three = { items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] };

const NOTES_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml';
const all = (xml: string, pattern: RegExp) => [...xml.matchAll(pattern)].map(([, value = '']) => value);

describe('a copy in a loop', () => {
  it('has its own paragraph ids', async () => {
    const body = loop('<w:p w14:paraId="11111111" w14:textId="77777777"><w:r><w:t>{name}</w:t></w:r></w:p>');
    const { xml } = await fromBody(body, three);
    const ids = all(xml(), /w14:paraId="([^"]*)"/g);
    expect(ids[0]).toBe('11111111');
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(Number.parseInt(id, 16)).toBeLessThan(0x8000_0000);
  });

  it('has its own content controls', async () => {
    const body = loop(sdt({ id: 7, tag: 'box' }, line('{name}')));
    const { xml, shown } = await fromBody(body, three);
    expect(new Set(all(xml(), /<w:id w:val="([^"]*)"/g)).size).toBe(3);
    expect(shown()).toEqual(['a', 'b', 'c']);
  });

  it('has its own bookmarks, and references inside it follow', async () => {
    const field = (code: string) =>
      `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${code} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const body =
      p('<w:bookmarkStart w:id="1" w:name="outside"/><w:bookmarkEnd w:id="1"/>') +
      loop(
        p(`<w:bookmarkStart w:id="2" w:name="inside"/>${run('{name}')}<w:bookmarkEnd w:id="2"/>`) +
          p(
            field('REF inside \\h') +
              field('REF outside') +
              `<w:hyperlink w:anchor="inside">${run('up')}</w:hyperlink>`,
          ),
      );
    const { xml } = await fromBody(body, three);
    const names = all(xml(), /w:name="([^"]*)"/g);
    expect(new Set(names).size).toBe(4);
    const inside = names.slice(1);
    expect(all(xml(), /REF (inside\S*)/g)).toEqual(inside);
    expect(all(xml(), /w:anchor="([^"]*)"/g)).toEqual(inside);
    expect(all(xml(), /REF (outside\S*)/g)).toEqual(['outside', 'outside', 'outside']);
    const starts = all(xml(), /<w:bookmarkStart w:id="([^"]*)"/g);
    expect(all(xml(), /<w:bookmarkEnd w:id="([^"]*)"/g)).toEqual(starts);
  });

  it('has its own shapes of VML', async () => {
    const shape = '<w:r><w:pict><v:shape id="s1" style="width:9pt;height:9pt"/></w:pict></w:r>';
    const { xml } = await fromBody(loop(p(shape + run('{name}'))), three);
    expect(all(xml(), /v:shape id="([^"]*)"/g)).toEqual(['s1', 's1_2', 's1_3']);
  });

  it('gives up a bookmark that begins in it and ends after it', async () => {
    const body = `${loop(p(`<w:bookmarkStart w:id="2" w:name="long"/>${run('{name}')}`))}${p('<w:bookmarkEnd w:id="2"/>')}`;
    const { xml } = await fromBody(body, three);
    expect(all(xml(), /w:name="([^"]*)"/g)).toEqual(['long']);
  });

  it('has its own footnotes, filled from its item', async () => {
    const notes = wordPart(
      'footnotes',
      '<w:footnote w:id="1"><w:p><w:r><w:t>about {name}</w:t></w:r></w:p></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>for all {total}</w:t></w:r></w:p></w:footnote>',
    );
    const body =
      p(`${run('x')}<w:r><w:footnoteReference w:id="2"/></w:r>`) +
      loop(p(`${run('{name}')}<w:r><w:footnoteReference w:id="1"/></w:r>`));
    const source = templateOf(body, {
      parts: [{ name: 'word/footnotes.xml', data: notes, type: NOTES_TYPE }],
      links: [{ id: 'rId7', kind: 'footnotes', target: 'footnotes.xml' }],
    });
    const { xml, shown } = await generated(source, { ...three, total: 3 });
    expect(shown('word/footnotes.xml').sort()).toEqual(['about a', 'about b', 'about c', 'for all 3']);
    const references = all(xml(), /<w:footnoteReference w:id="([^"]*)"/g);
    expect(new Set(references).size).toBe(4);
    expect(all(xml('word/footnotes.xml'), /<w:footnote w:id="([^"]*)"/g).sort()).toEqual(references.sort());
  });
});

describe('a content control', () => {
  it('shows the value with its name', async () => {
    const body =
      sdt({ id: 1, tag: 'customer.name' }, line('prompt')) + sdt({ id: 2, alias: 'unknown' }, line('stays'));
    const { shown, report } = await fromBody(body, { customer: { name: 'Ada' } });
    expect(shown()).toEqual(['Ada', 'stays']);
    expect(report.filled).toBe(1);
  });

  it('without a value keeps its content and is missing, unless it stands beside marks in the text', async () => {
    const body = sdt({ id: 1, tag: 'items' }, line('sample')) + sdt({ id: 2, tag: 'total' }, line('0.00'));
    const { shown, report } = await fromBody(body, { total: '12' });
    expect(shown()).toEqual(['sample', '12']);
    expect(report.unmatched).toEqual({ count: 1, names: ['data.items'] });
    await expect(fromBody(body, { total: '12' }, { onMissing: 'error' })).rejects.toMatchObject({
      code: 'DATA_MISSING',
      details: [{ field: 'data.items' }],
    });
    const beside = await fromBody(line('{total}') + body, { total: '12' });
    expect(beside.shown()).toEqual(['12', 'sample', '12']);
    expect(beside.report.unmatched.count).toBe(0);
    await expect(
      fromBody(line('{total}') + body, { total: '12' }, { onMissing: 'error' }),
    ).rejects.toMatchObject({ code: 'DATA_MISSING', details: [{ field: 'data.items' }] });
  });

  it('that is a repeating section repeats its first item', async () => {
    const W15 = 'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"';
    const item = (text: string) =>
      sdt({ id: 10, properties: `<w15:repeatingSectionItem ${W15}/>` }, line(`- ${text}`) + line('{name}'));
    const body = sdt(
      { id: 1, tag: 'items', properties: `<w15:repeatingSection ${W15}/>` },
      item('one') + item('two').replace('"10"', '"11"'),
    );
    const { shown, xml } = await fromBody(body, three);
    expect(shown()).toEqual(['- one', 'a', '- one', 'b', '- one', 'c']);
    expect(new Set(all(xml(), /<w:id w:val="([^"]*)"/g)).size).toBe(4);
  });
});

describe('a value', () => {
  it('has the format of the first run of its mark, and lines and tabs become elements', async () => {
    const body = p(run('{na', '<w:b/>') + run('me}', '<w:i/>'));
    const { xml, shown } = await fromBody(body, { name: 'a\nb\tc & <d>' });
    expect(xml()).toMatch(/<w:b\/><\/w:rPr><w:t[^>]*>a<\/w:t><w:br\/>/);
    expect(shown()).toEqual(['a\vb\tc & <d>']);
  });

  it('fills the address in a field code, if it cannot change the field', async () => {
    const body = p(
      '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> HYPERLINK "{{url}}" </w:instrText></w:r>' +
        `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('{{text}}')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`,
    );
    const { xml } = await fromBody(body, { url: 'https://example.com/?a=1&b=2', text: 'here' });
    expect(xml()).toContain('HYPERLINK "https://example.com/?a=1&amp;b=2"'.replaceAll('"', '&quot;'));
    const escaped = await fromBody(body.replace('{{url}}', 'https://a.b/%7B%7Bno%7D%7D'), {
      no: '7',
      text: '',
    });
    expect(escaped.xml()).toContain('HYPERLINK &quot;https://a.b/7&quot;');
    for (const url of ['file:///etc/passwd', 'x" \\o "y', 'javascript:alert(1)'])
      await expect(fromBody(body, { url, text: '' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('fills the address of a link of a picture', async () => {
    const a = 'http://schemas.openxmlformats.org/drawingml/2006/main';
    const linked = `<wp:docPr id="1" name="p"><a:hlinkClick xmlns:a="${a}" r:id="rIdL"/></wp:docPr>`;
    const body = line('{no}') + picture('r:embed="rIdP"').replace('<wp:docPr id="1" name="p"/>', linked);
    const source = templateOf(body, {
      links: [
        { id: 'rIdL', kind: 'hyperlink', target: 'https://a.b/%7Bno%7D', isExternal: true },
        { id: 'rIdP', kind: 'image', target: 'media/image1.png' },
      ],
      parts: [{ name: 'word/media/image1.png', type: 'image/png', data: plainPng('gray', 2) }],
    });
    const { bytes, xml } = await generated(source, { no: 7 });
    const { main } = await openPackage(bytes);
    const id = /<a:hlinkClick [^>]*r:id="([^"]*)"/.exec(xml())?.[1];
    expect(main.relationships.list.find((link) => link.id === id)?.target).toBe('https://a.b/7');
  });

  it('is never read as a template', async () => {
    expect((await fromBody(line('{a}{b}'), { a: '{b}', b: '{#a}' })).shown()).toEqual(['{b}{#a}']);
  });

  it('prints false and 0, and a missing value as onMissing says', async () => {
    const body = line('{no}|{zero}|{nothing}|{absent}');
    const data = { no: false, zero: 0, nothing: null };
    expect((await fromBody(body, data)).shown()).toEqual(['false|0||']);
    expect((await fromBody(body, data, { onMissing: 'keep' })).shown()).toEqual([
      'false|0|{nothing}|{absent}',
    ]);
    expect((await fromBody(body, data)).report.unmatched).toEqual({
      count: 2,
      names: ['data.nothing', 'data.absent'],
    });
  });
});
