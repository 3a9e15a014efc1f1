import { describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { relationshipsXml, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { fill, text } from './filling.ts';

/** Each control shows its kind of id, so that a filled control is recognized by the missing text. */
const EVERY_NAME = templateOf(
  [
    sdt({ id: -2147483648, alias: 'decoy' }, p(run('word id'))),
    sdt({ id: 2, tag: { fieldId: 'by-field-id' } }, p(run('field id'))),
    sdt({ id: 3, tag: { id: 'by-json-id', key: 'k3', name: 'n3' } }, p(run('json id'))),
    sdt({ id: 4, tag: { key: 'by-key' } }, p(run('json key'))),
    sdt({ id: 5, tag: { name: 'by-name', group: 'party' } }, p(run('json name'))),
    sdt({ id: 6, tag: 'by-tag' }, p(run('tag'))),
    sdt({ id: 7, alias: 'By alias' }, p(run('alias'))),
    sdt({ id: 8, tag: { group: 'party' } }, p(run('group'))),
  ].join(''),
);

describe('a field is found', () => {
  test.each([
    ['by the number that Word gave the control', '-2147483648', 'word id'],
    ['by fieldId of a JSON tag', 'by-field-id', 'field id'],
    ['by id of a JSON tag', 'by-json-id', 'json id'],
    ['by key of a JSON tag', 'by-key', 'json key'],
    ['by name of a JSON tag', 'by-name', 'json name'],
    ['by a plain tag', 'by-tag', 'tag'],
    ['by its title', 'By alias', 'alias'],
  ])('%s', async (_, id, shown) => {
    const { xml, report } = await fill(EVERY_NAME, [text({ id }, 'FILLED')]);
    expect(report).toMatchObject({ filled: 1, unmatched: { count: 0 } });
    expect(xml().match(/FILLED/g)).toHaveLength(1);
    expect(xml()).not.toContain(`>${shown}<`);
  });

  test('by its group, with all others of that group', async () => {
    const { xml, report } = await fill(EVERY_NAME, [text({ group: 'party' }, 'FILLED')]);
    expect(report.filled).toBe(2);
    expect(xml()).not.toMatch(/>json name<|>group</);
  });

  test('only by the first matching kind of name: a tag takes precedence over a title', async () => {
    const source = templateOf(sdt({ tag: 'x' }, p(run('one'))) + sdt({ alias: 'x' }, p(run('two'))));
    const { xml } = await fill(source, [text({ id: 'x' }, 'FILLED')]);
    expect(xml()).toMatch(/FILLED.*two/);
  });

  test('in every control with the same tag', async () => {
    const source = templateOf([1, 2, 3].map((id) => sdt({ id, tag: 'x' }, p(run('old')))).join(''));
    const { xml, report } = await fill(source, [text({ id: 'x' }, 'FILLED')]);
    expect(report.filled).toBe(3);
    expect(xml()).not.toContain('old');
  });
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'the id %s is treated like any other',
  async (id) => {
    const source = templateOf(sdt({ tag: id }, p(run('old'))));
    expect((await fill(source, [text({ id }, 'FILLED')])).xml()).toContain('FILLED');
    const other = templateOf(sdt({ tag: 'x' }, p(run('old'))));
    expect((await fill(other, [text({ id }, 'FILLED')])).report.unmatched).toEqual({ count: 1, fields: [0] });
  },
);

test('a later field overrides an earlier one, so that one of a group can differ', async () => {
  const source = templateOf(
    sdt({ id: 1, tag: { group: 'g', id: 'a' } }, p(run('A'))) +
      sdt({ id: 2, tag: { group: 'g' } }, p(run('B'))),
  );
  const { xml } = await fill(source, [text({ group: 'g' }, 'all'), text({ id: 'a' }, 'special')]);
  expect(xml()).toMatch(/special.*all/);
});

testInWhole('filling thousands of entries for thousands of controls with one name is fast', async () => {
  const source = templateOf(p(sdt({ tag: 'x' }, run('old'))).repeat(100_000));
  const fields = Array.from({ length: 2_000 }, (_, number) => text({ id: 'x' }, `new ${number}`));
  const startedAt = process.cpuUsage();
  const { report, xml } = await fill(source, fields);
  expect(report.filled).toBe(100_000);
  expect(xml()).not.toMatch(/old|new (?!1999)/);
  expect(cpuMsSince(startedAt)).toBeLessThan(12_000);
});

test('a field inside another filled field is replaced with its content and not counted', async () => {
  const source = templateOf(
    sdt({ tag: 'outer' }, p(run('a')) + p(sdt({ tag: 'inner' }, run('b')))) +
      p(sdt({ tag: 'inner' }, run('c'))),
  );
  const fields = [text({ id: 'outer' }, 'OUTER'), text({ id: 'inner' }, 'INNER')];
  for (const order of [fields, fields.toReversed()]) {
    const { xml, report } = await fill(source, order);
    expect(xml().match(/OUTER|INNER/g)).toEqual(['OUTER', 'INNER']);
    expect(report.filled).toBe(2);
  }
});

test('tables of contents and sections of a template builder are not fields, but controls inside them are', async () => {
  const source = templateOf(
    sdt(
      {
        tag: 'toc',
        properties: '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>',
      },
      p(run('Contents')),
    ) + sdt({ tag: { type: 'documentSection', id: 'section' } }, sdt({ tag: 'inner' }, p(run('old')))),
  );
  const { xml, report } = await fill(
    source,
    ['toc', 'section', 'inner'].map((id) => text({ id }, 'FILLED')),
  );
  expect(report.unmatched.fields).toEqual([0, 1]);
  expect(xml()).toMatch(/Contents.*FILLED/);
});

test('a missing field is ignored and reported, or rejected with its path on request', async () => {
  const source = templateOf(sdt({ tag: 'x' }, p(run('old'))));
  const fields = [text({ id: 'x' }, 'new'), text({ id: 'y' }, ''), text({ group: 'z' }, '')];
  expect((await fill(source, fields)).report.unmatched).toEqual({ count: 2, fields: [1, 2] });
  await expect(fill(source, fields, { onMissing: 'error' })).rejects.toMatchObject({
    code: 'FIELD_NOT_FOUND',
    details: [
      { field: 'fields[1].id', issue: expect.stringContaining('“y”') },
      { field: 'fields[2].group', issue: expect.stringContaining('“z”') },
    ],
  });
});

test('headers, footers, footnotes and both copies of a text box are filled, but not comments', async () => {
  const box = (content: string) =>
    '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx xmlns:wps="urn:wps"><w:txbxContent>' +
    `${content}</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>` +
    `${content}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
  const field = sdt({ tag: 'x' }, p(run('old')));
  const part = (name: string, kind: string, data: string) => ({
    name: `word/${name}.xml`,
    data,
    type: wordType(kind),
  });
  const kinds = ['header', 'footer', 'footnotes', 'comments'];
  const source = templateOf(p(box(field)), {
    links: kinds.map((kind) => ({ id: `r-${kind}`, kind, target: `${kind}.xml` })),
    parts: [
      part('header', 'header', wordPart('hdr', field)),
      part('footer', 'footer', wordPart('ftr', field)),
      part('footnotes', 'footnotes', wordPart('footnotes', `<w:footnote w:id="1">${field}</w:footnote>`)),
      part('comments', 'comments', wordPart('footnotes', field)),
    ],
  });
  const { xml, report } = await fill(source, [text({ id: 'x' }, 'FILLED')]);
  expect(report.filled).toBe(5);
  for (const name of ['document', 'header', 'footer', 'footnotes'])
    expect(xml(`word/${name}.xml`)).not.toContain('old');
  expect(xml('word/comments.xml')).toContain('old');
});

test('parts without a filled field keep their bytes and their order', async () => {
  const odd = `<?odd stuff?>${wordPart('hdr', p(run('left alone')))}<!-- after -->`;
  const source = templateOf(
    p('<w:r w:rsidR="00AA" ><w:t>kept  </w:t></w:r>') + sdt({ tag: 'x' }, p(run('old'))),
    {
      links: [{ id: 'rIdHeader', kind: 'header', target: 'header1.xml' }],
      parts: [
        { name: 'word/header1.xml', data: odd, type: wordType('header') },
        { name: 'word/_rels/header1.xml.rels', data: relationshipsXml([]) },
      ],
    },
  );
  const { xml, bytes } = await fill(source, [text({ id: 'x' }, 'new')]);
  expect(xml('word/header1.xml')).toBe(odd);
  expect(xml()).toContain('<w:r w:rsidR="00AA" ><w:t>kept  </w:t></w:r>');
  const names = async (file: Buffer) => [...(await openPackage(file)).archive.keys()];
  expect(await names(bytes)).toEqual(await names(source));
  expect((await fill(source, [text({ id: 'nothing' }, 'new')])).bytes).toEqual(source);
});

testInWhole('very long names of thousands of controls do not slow down the lookup', async () => {
  const start = 'n'.repeat(16_400);
  const tags = Array.from({ length: 2_000 }, (_, number) => `${start}${String(number).padStart(4, '0')}`);
  const body = [...tags, 'other'].map((tag) => sdt({ tag }, p(run('old')))).join('');
  const startedAt = process.cpuUsage();
  const { report } = await fill(templateOf(body), [text({ id: 'other' }, 'new')]);
  expect(report.filled).toBe(1);
  // A third of the time for comparing each with every other.
  expect(cpuMsSince(startedAt)).toBeLessThan(8_000);
});
