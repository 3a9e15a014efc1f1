import { describe, expect, test } from '@jest/globals';
import { documentOf, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { bare, p, run, sdt, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { fill, text } from './filling.ts';
import { filled } from './placeholders.ts';

const BOLD = '<w:b/>';

const SPLIT: readonly [how: string, body: string, expected: string][] = [
  ['in the middle of a run', p(bare('Dear {x}, hello')), p(run('Dear ') + run('Ada') + run(', hello'))],
  ['that is the whole run', p(bare('{x}', BOLD)), p(run('Ada', BOLD))],
  ['with white space inside its braces', p(bare('{ x\u00a0}')), p(run('Ada'))],
  ['at the start of a run', p(bare('{x} hello', BOLD)), p(run('Ada', BOLD) + run(' hello', BOLD))],
  ['at the end of a run', p(bare('hello {x}')), p(run('hello ') + run('Ada'))],
  [
    'over runs with several formats, in the format of the first',
    p(bare('a {', BOLD) + bare('x', '<w:i/>') + bare('} b', '<w:u/>')),
    p(run('a ', BOLD) + run('Ada', BOLD) + run(' b', '<w:u/>')),
  ],
  [
    'with proofing and range marks between its letters, which stay',
    p(
      bare('{') +
        '<w:proofErr w:type="spellStart"/><w:bookmarkStart w:id="0" w:name="b"/>' +
        bare('x') +
        '<w:bookmarkEnd w:id="0"/><w:proofErr w:type="spellEnd"/>' +
        bare('}'),
    ),
    p(
      run('Ada') +
        '<w:proofErr w:type="spellStart"/><w:bookmarkStart w:id="0" w:name="b"/>' +
        '<w:bookmarkEnd w:id="0"/><w:proofErr w:type="spellEnd"/>',
    ),
  ],
  [
    'over several texts of one run',
    p('<w:r><w:t>a {</w:t><w:lastRenderedPageBreak/><w:t>x} b</w:t></w:r>'),
    p(`${run('a ')}${run('Ada')}<w:r><w:lastRenderedPageBreak/><w:t xml:space="preserve"> b</w:t></w:r>`),
  ],
  [
    'beside other content of its run',
    p('<w:r><w:rPr><w:b/></w:rPr><w:tab/><w:t>{x}</w:t><w:br/></w:r>'),
    p(`<w:r><w:rPr><w:b/></w:rPr><w:tab/></w:r>${run('Ada', BOLD)}<w:r><w:rPr><w:b/></w:rPr><w:br/></w:r>`),
  ],
  ['twice in a run', p(bare('{x}{x}')), p(run('Ada') + run('Ada'))],
  [
    'that begins before a hyperlink and ends in it',
    p(`${bare('{')}<w:hyperlink w:anchor="a">${bare('x} there')}</w:hyperlink>`),
    p(`${run('Ada')}<w:hyperlink w:anchor="a">${run(' there')}</w:hyperlink>`),
  ],
  [
    'in text that was inserted, around text that was deleted',
    p(
      `<w:ins w:id="1" w:author="A">${bare('{')}</w:ins><w:del w:id="2" w:author="A"><w:r><w:delText>y</w:delText></w:r></w:del>${bare('x}')}`,
    ),
    p(
      `<w:ins w:id="1" w:author="A">${run('Ada')}</w:ins><w:del w:id="2" w:author="A"><w:r><w:delText>y</w:delText></w:r></w:del>`,
    ),
  ],
  [
    'with doubled braces',
    p(bare('Dear {{x}}, {{ x }}')),
    p(run('Dear ') + run('Ada') + run(', ') + run('Ada')),
  ],
  ['with a dollar sign', p(bare('Dear \u0024{x}!')), p(run('Dear ') + run('Ada') + run('!'))],
  [
    'with a dollar sign before doubled braces, which is an amount',
    p(bare('\u0024{{x}}')),
    p(run('$') + run('Ada')),
  ],
  [
    'with doubled braces over runs with several formats, in the format of the first',
    p(bare('a {', BOLD) + bare('{', '<w:i/>') + bare('x}') + bare('} b')),
    p(run('a ', BOLD) + run('Ada', BOLD) + run(' b')),
  ],
  [
    'with a dollar sign in another run',
    p(bare('a $', BOLD) + bare('{x} b')),
    p(run('a ', BOLD) + run('Ada', BOLD) + run(' b')),
  ],
  [
    'with one brace of a pair too many',
    p(bare('{{x} {x}}')),
    p(run('{') + run('Ada') + run(' ') + run('Ada') + run('}')),
  ],
  ['after a stray brace', p(bare('{ a {x} } {')), p(run('{ a ') + run('Ada') + run(' } {'))],
  ['in the form of a field with another name', p(bare('{x} {#x} {y}')), p(run('Ada') + run(' {#x} {y}'))],
];

describe('a placeholder is filled', () => {
  test.each(SPLIT)('%s', async (_, body, expected) => {
    expect(await filled(body, { x: 'Ada' })).toBe(expected);
  });

  const box = (content: string) => `<w:txbxContent>${p(content)}</w:txbxContent>`;
  const textBox =
    '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>' +
    `${box(bare('{x}'))}</w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape>${box(bare('{x}'))}` +
    '</v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>';

  test('in both copies of a text box, and around it', async () => {
    const body = p(bare('{x') + textBox + bare('} {x}')).replace('<mc:Alt', '<w:t>{x}</w:t><mc:Alt');
    const result = await filled(body, { x: 'Ada' });
    expect(result.split('Ada')).toHaveLength(5);
    expect(result).toContain(box(run('Ada')));
    expect(result).toContain('<w:t>{x</w:t>');
  });

  test.each([
    ['hdr', 'header'],
    ['ftr', 'footer'],
    ['footnotes', 'footnotes'],
    ['endnotes', 'endnotes'],
  ] as const)('in %s', async (root, kind) => {
    const paragraph = p(bare('{x}'));
    const note = kind.slice(0, -1);
    const inner = kind.endsWith('s') ? `<w:${note} w:id="2">${paragraph}</w:${note}>` : paragraph;
    const source = templateOf(p(run('no brace')), {
      links: [{ id: 'rId9', kind, target: 'story.xml' }],
      parts: [{ name: 'word/story.xml', data: wordPart(root, inner), type: wordType(kind) }],
    });
    const result = await fill(source, [text({ id: 'x' }, 'Ada')]);
    expect(result.xml('word/story.xml')).toContain(p(run('Ada')));
    expect(result.report).toMatchObject({ filled: 1, unmatched: { count: 0 } });
  });

  test('under another prefix, and in a part that declares WordprocessingML as its own namespace', async () => {
    for (const change of [
      (xml: string) => xml.replaceAll(/(<\/?|[ :])w(?=[:=])/g, '$1v2'),
      (xml: string) => xml.replaceAll('xmlns:w=', 'xmlns=').replaceAll(/(<\/?)w:/g, '$1'),
    ]) {
      const mainXml = change(wordPart('document', `<w:body>${p(bare('a {x}'))}<w:sectPr/></w:body>`));
      const { xml } = await fill(documentOf({ mainXml }), [text({ id: 'x' }, 'Ada')]);
      expect(xml()).toMatch(/>a <\/(?:\w+:)?t>.*>Ada<\//);
    }
  });

  test('without the style of the surrounding text, on request', async () => {
    expect(await filled(p(bare('{x}', BOLD)), { x: 'Ada' }, false)).toBe(p(run('Ada')));
  });

  test('without the style of a prompt, and without the mark of a format change', async () => {
    const change = '<w:rPrChange w:id="1" w:author="A"><w:rPr/></w:rPrChange>';
    const style = `<w:rStyle w:val="PlaceholderText"/>${BOLD}${change}`;
    expect(await filled(p(bare('{x}', style)), { x: 'Ada' })).toBe(p(run('Ada', BOLD)));
  });

  test('with tabs, lines, and XML characters', async () => {
    expect(await filled(p(bare('{x}', BOLD)), { x: 'a\tb\r\nc & <d>' })).toBe(
      p(
        '<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">a</w:t><w:tab/><w:t xml:space="preserve">b</w:t>' +
          '<w:br/><w:t xml:space="preserve">c &amp; &lt;d&gt;</w:t></w:r>',
      ),
    );
  });

  test('with a value that is not searched for placeholders', async () => {
    expect(await filled(p(bare('{x} {y}')), { x: '{y}', y: '$& {x}' })).toBe(
      p(`${run('{y}')}${run(' ')}${run('$&amp; {x}').replace('&amp;amp;', '&amp;')}`),
    );
  });

  test.each([
    '__proto__',
    'constructor',
    'toString',
    'a.b',
    'a|b',
    '#x',
    '/x',
    '@x',
    '^x',
    '-w:p x',
    '=<% %>=',
    'x + 1',
    'Name of the customer (2)',
    '客户',
    "it's",
    '"quoted" & <more>',
    'x'.repeat(200),
  ])('with the name %s', async (name) => {
    expect(await filled(p(run(`{${name}}`)), { [name]: 'Ada' })).toBe(p(run('Ada')));
  });
});

const LITERAL: readonly [what: string, body: string][] = [
  ['a name without a value', p(bare('{y}'))],
  ['doubled braces without a value', p(bare('{{y}} {{ y }}'))],
  ['a dollar sign and a name without a value', p(bare('\u0024{y}'))],
  ['a control tag with doubled braces', p(bare('{{#x}} {%x%} {{/x}}'))],
  ['one brace', p(bare('{') + bare('x'))],
  ['the other brace', p(bare('x}'))],
  ['nothing between braces', p(bare('{} { }'))],
  ['tripled braces, which belong to another language', p(bare('{{{x}}}'))],
  ['a name over two paragraphs', p(bare('{x')) + p(bare('}'))],
  ['a name that contains a break', p('<w:r><w:t>{x</w:t><w:br/><w:t>}</w:t></w:r>')],
  ['a name that contains a tab', p('<w:r><w:t>{</w:t><w:tab/><w:t>x}</w:t></w:r>')],
  ['a name over the end of a control', p(bare('{') + sdt({ tag: 'other' }, bare('x}')))],
  ['a field instruction', p('<w:r><w:instrText>{x}</w:instrText></w:r>')],
  ['deleted text', p('<w:del w:id="1" w:author="A"><w:r><w:delText>{x}</w:delText></w:r></w:del>')],
  ['an attribute', p('<w:bookmarkStart w:id="0" w:name="{x}"/><w:bookmarkEnd w:id="0"/>')],
  ['an XML comment', p('<w:r><w:t><!--{x}--></w:t></w:r>')],
  ['a CDATA section', p('<w:r><w:t><![CDATA[{x}]]></w:t></w:r>')],
  ['braces written as character references', p(bare('&#123;x&#125;'))],
  ['a name that contains such a brace', p(bare('{x&#125;y} {&#x7B;x} {&#123;}'))],
  ['a formula', p('<m:oMath xmlns:m="urn:m"><m:r><m:t>{x}</m:t></m:r></m:oMath>')],
  ['a program', p(bare('function () { return {a: {}}; }'))],
];

describe('filling placeholders does not change', () => {
  test.each(LITERAL)('%s', async (_, body) => {
    const source = templateOf(body);
    const { bytes, report } = await fill(source, [text({ id: 'x' }, 'Ada')]);
    expect(bytes).toEqual(source);
    expect(report).toMatchObject({ filled: 0, unmatched: { count: 1, fields: [0] } });
  });

  test('a name of more than 200 characters', async () => {
    const name = 'x'.repeat(201);
    expect(await filled(p(run(`{${name}}`)), { [name]: 'Ada' })).toBe(p(run(`{${name}}`)));
  });

  test('anything except the runs of filled placeholders', async () => {
    const others = `${p(bare('{y} { {{{x}}} } > "')) + p(`<w:r><w:t/></w:r>${bare('  {z}')}`)}<!-- {x} --><w:p/>`;
    expect(await filled(others + p(bare('{x}')), { x: 'Ada' })).toBe(others + p(run('Ada')));
  });
});
