import { describe, expect, it, test } from '@jest/globals';
import { TemplateCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { openPackage } from '@scriptorium/ooxml/package';
import { packageEntries } from '@scriptorium/testing/fixtures/docx';
import { type Content, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { lint } from '../src/lint.ts';

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const STRICT = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
const line = (text: string) => p(run(text));

/** Comments a template. Checks that it stays valid, and that no part changes but the body and the comments. */
async function linted(source: Buffer, data?: Json) {
  const { bytes, report } = await lint(source, new TemplateCache(0).of(), data);
  expect(await newFaultsOf(source, bytes)).toEqual([]);
  const [before, after] = [await openPackage(source), await openPackage(bytes)];
  for (const [key, part] of before.parts)
    if (key !== before.main.key && !key.includes('comments'))
      expect(after.parts.get(key)?.bytes.equals(part.bytes)).toBe(true);
  const { mistakes, doubts } = report;
  const comments = after.parts.get('word/comments.xml')?.xml ?? '';
  return { mistakes, doubts, comments, body: after.main.xml ?? '', texts: textsIn(comments) };
}

function textsIn(comments: string): string[] {
  return comments
    .split(/<\/\w+:comment>/)
    .map((comment) => comment.replace(/<[^>]*>/g, '').trim())
    .filter((text) => text !== '');
}

/** The texts between the ends of each comment. */
function commentedIn(body: string): string[] {
  return [...body.matchAll(/<w:commentRangeStart w:id="(\d+)"\/>(.*?)<w:commentRangeEnd w:id="\1"\/>/gs)].map(
    ([, , content = '']) => content.replace(/<[^>]*>/g, ''),
  );
}

const withComments = (comments: string, type = wordType('comments')): Pick<Content, 'links' | 'parts'> => ({
  links: [{ id: 'rIdC', kind: 'comments', target: 'comments.xml' }],
  parts: [{ name: 'word/comments.xml', type, data: comments }],
});

describe('a template with mistakes', () => {
  it('has a comment at each of them, in the body and in tables', async () => {
    const cell = `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc><w:tcPr/>${line('{#b}')}</w:tc></w:tr></w:tbl>`;
    const found = await linted(
      templateOf(line('{a | unknwon_}{x | numbr}') + line('before') + cell + line('{/c}')),
    );
    expect([found.mistakes, found.doubts]).toEqual([2, 0]);
    expect(found.texts).toEqual([
      expect.stringMatching(/^Mistake\. .*did you mean “number”.*“\{x \| numbr\}”\.$/),
      expect.stringMatching(/^Mistake\. Closing tag does not match opening tag.*“\{#b\}”\.$/),
    ]);
    expect(commentedIn(found.body)).toEqual(['{a | unknwon_}{x | numbr}', '{#b}']);
    expect(found.comments).toContain('w:author="Scriptorium" w:initials="S"');
  });

  it('keeps its own comments, and numbers the new ones anew', async () => {
    const own = `<x:comments xmlns:x="${W}"><x:comment x:id="0" x:author="Ada"><x:p><x:r><x:t>mine</x:t></x:r></x:p></x:comment></x:comments>`;
    const anchored =
      '<w:p><w:commentRangeStart w:id="0"/><w:r><w:t>x</w:t></w:r><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>';
    const { comments, texts } = await linted(templateOf(anchored + line('{#a}'), withComments(own)));
    expect(texts).toEqual(['mine', expect.stringContaining('Unclosed loop')]);
    expect(comments).toContain('<x:comment x:id="1" x:author="Scriptorium"');
  });

  it('may have a part of comments without any', async () => {
    const { texts } = await linted(templateOf(line('{#a}'), withComments(`<w:comments xmlns:w="${W}"/>`)));
    expect(texts).toEqual([expect.stringContaining('Unclosed loop')]);
  });

  test.each<[what: string, part: Pick<Content, 'links' | 'parts'>]>([
    ['is not XML', withComments('PK')],
    ['has no end', withComments(`<w:comments xmlns:w="${W}">`)],
    ['is another one', withComments(`<w:hdr xmlns:w="${W}"/>`)],
    ['is of another type', withComments('text', 'text/plain')],
  ])('is refused if its part of comments %s', async (_, part) => {
    const refused = lint(templateOf(line('{#a}'), part), new TemplateCache(0).of());
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });

  it('has comments about headers and notes at its start, with their parts', async () => {
    const source = templateOf(`<w:p/>${line('text')}`, {
      links: [
        { id: 'rIdH', kind: 'header', target: 'header1.xml' },
        { id: 'rIdN', kind: 'footnotes', target: 'footnotes.xml' },
      ],
      parts: [
        { name: 'word/header1.xml', type: wordType('header'), data: wordPart('hdr', line('{#a}')) },
        {
          name: 'word/footnotes.xml',
          type: wordType('footnotes'),
          data: wordPart('footnotes', `<w:footnote w:id="1">${line('{/b}')}</w:footnote>`),
        },
      ],
    });
    const { texts, body } = await linted(source);
    expect(texts.sort()).toEqual([
      expect.stringMatching(/^Mistake in word\/footnotes\.xml\. /),
      expect.stringMatching(/^Mistake in word\/header1\.xml\. /),
    ]);
    expect(body).toMatch(/<w:body><w:p><w:commentRangeStart w:id="0"\/>/);
  });

  it('has comments about a text box at its drawing, once for both copies', async () => {
    const box = (content: string) =>
      `<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>${content}</w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>${line('{#a}')}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent>`;
    const shape = `<w:r>${box('')}</w:r>`;
    const { texts, body } = await linted(templateOf(p(run('before') + shape)));
    expect(texts).toHaveLength(1);
    expect(body).toContain(`<w:commentRangeStart w:id="0"/><w:r><mc:AlternateContent>`);
  });

  it('has comments at marks half in a control and over paragraphs', async () => {
    const control = p(run('{na') + sdt({ id: 1, tag: 'x' }, run('me}')));
    const { mistakes, texts } = await linted(
      templateOf(control + line('{{ first') + line('name }}') + line('{b}')),
    );
    expect(mistakes).toBeGreaterThan(0);
    expect(texts).toHaveLength(mistakes);
  });

  it('is written in its own dialect', async () => {
    const { comments, texts } = await linted(
      zip(
        packageEntries({
          strict: true,
          mainXml: `<w:document xmlns:w="${STRICT}"><w:body>${line('{#a}')}</w:body></w:document>`,
        }),
      ),
    );
    expect(texts).toEqual([expect.stringContaining('Unclosed loop')]);
    expect(comments).toContain(STRICT);
  });

  it('has 500 comments at most, and the first one counts the others', async () => {
    const { mistakes, texts } = await linted(templateOf(Array(10_000).fill(line('{a | numbr}')).join('')));
    expect([mistakes, texts.length, texts[0]]).toEqual([
      10_000,
      501,
      '9500 more have no comment of their own.',
    ]);
  });
});

it('says at the start that loops are nested too deeply', async () => {
  const { mistakes, texts } = await linted(templateOf(Array(100).fill(line('{#a}')).join('')));
  expect([mistakes, texts]).toEqual([1, [expect.stringContaining('more than 64 levels of nested loops')]]);
});

describe('a template without mistakes', () => {
  it('stays as it is', async () => {
    const source = templateOf(line('{a}'));
    const { bytes, report } = await lint(source, new TemplateCache(0).of());
    expect([bytes.equals(source), report.mistakes, report.doubts]).toEqual([true, 0, 0]);
  });

  it('has a comment at calls that its language does not have', async () => {
    const { doubts, texts, body } = await linted(templateOf(p(run('on ') + run('{{ today() }}'))));
    expect([doubts, texts[0]]).toEqual([1, expect.stringContaining('“today()”')]);
    expect(commentedIn(body)).toEqual(['{{ today() }}']);
  });

  it('has a comment at marks that no data fills', async () => {
    const { texts } = await linted(
      templateOf(line('{{ xs }}{% for x in xs %}{{ x }}{% endfor %}{{ $y }}{{ z }}')),
    );
    expect(texts).toEqual([
      expect.stringMatching(/^Doubt\. No data fills it .*: data\.xs is a list: repeat it with a loop/),
      expect.stringMatching(/^Doubt\. No data fills it .*: data\.\$y\.$/),
    ]);
  });

  it('has comments at what data lacks, and one about what no mark reads', async () => {
    const source = templateOf(
      line('{#xs}{a}{b}{/xs}') + line('{c}') + sdt({ id: 1, tag: 'd' }, line('x')) + line('{#ys}y{/ys}'),
    );
    const { doubts, texts, body } = await linted(source, { xs: [{ a: 1 }, { b: 1 }], n: '\u0001' });
    expect(texts).toEqual([
      'Doubt. No mark reads these properties of the data: data.n.',
      'Doubt. The data has no value for it: data.xs[0].b.',
      'Doubt. The data has no value for it: data.xs[1].a.',
      'Doubt. The data has no value for it: data.c.',
      'Doubt. The data has no value for it: data.d.',
      'Doubt. The data has no value for it: data.ys.',
    ]);
    expect(doubts).toBe(6);
    expect(commentedIn(body)).toContain('{c}');
  });

  it('has comments at values that do not suit their marks', async () => {
    const source = templateOf(line('{a | number(1)}') + line('{b.c}'));
    const { texts } = await linted(source, { a: 'x', b: [] });
    expect(texts).toEqual([
      'Doubt. data.a “x” is not a number.',
      'Doubt. data.b is a list, but {b.c} names a property of one item: repeat it with a loop.',
    ]);
  });

  it('has texts of the data in its comments only as XML can carry them', async () => {
    const { texts } = await linted(templateOf(line('{a}')), { a: 1, 'x\u0001\ud800<&': 1 });
    expect(texts).toEqual([
      'Doubt. No mark reads these properties of the data: data.x\ufffd\ufffd&lt;&amp;.',
    ]);
  });
});
