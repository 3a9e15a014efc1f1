// biome-ignore-all lint/suspicious/noTemplateCurlyInString: marks of templates begin with a dollar sign.
import { describe, expect, it, test } from '@jest/globals';
import { p, run, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { foundIn, foundInTexts, issuesOf, languagesOf } from './found.ts';

const HEADER = 'application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml';

const table = (...rows: string[][]) =>
  `<w:tbl><w:tblPr/><w:tblGrid/>${rows
    .map((cells) => `<w:tr>${cells.map((cell) => `<w:tc><w:tcPr/>${p(run(cell))}</w:tc>`).join('')}</w:tr>`)
    .join('')}</w:tbl>`;

describe('the languages that a template uses', () => {
  test.each<[about: string, texts: string[], languages: string[]]>([
    ['names in braces', ['{a}', '{b c}'], ['curly {a}', 'curly {b c}']],
    ['sections', ['{#a}', '{b}', '{/a}'], ['curly {#a}', 'curly {b}', 'curly {/a}']],
    ['a section that is never closed', ['{#a}'], ['curly {#a}']],
    ['a dollar sign before a name', ['Price ${price}, {name}'], ['curly {price}', 'curly {name}']],
    ['a dollar sign before every name', ['${a}', '${b}'], ['curly ${a}', 'curly ${b}']],
    [
      'a dollar sign between a value and a section’s end',
      ['{#a}{b}${/a}'],
      ['curly {#a}', 'curly {b}', 'curly {/a}'],
    ],
    ['poi-tl with dollar signs', ['${?a}', '${b}', '${/a}'], ['poi-tl ${?a}', 'curly ${b}', 'poi-tl ${/a}']],
    ['values in double braces', ['{{a}}', '{b}'], ['jinja {{a}}', 'curly {b}']],
    [
      'statements',
      ['{% if a %}{{ b }}{% endif %}'],
      ['jinja {% if a %}', 'jinja {{ b }}', 'jinja {% endif %}'],
    ],
    [
      'statements beside a name in braces',
      ['{% if a %}{b}{% endif %}'],
      ['jinja {% if a %}', 'jinja {% endif %}'],
    ],
    [
      'statements beside a section and a picture',
      ['{% if a %}{% endif %}', '{#x}{%img}{/x}'],
      ['jinja {% if a %}', 'jinja {% endif %}', 'curly {#x}', 'curly {%img}', 'curly {/x}'],
    ],
    ['a picture', ['{%img}', '{a}'], ['curly {%img}', 'curly {a}']],
    ['comments', ['{{ a }}{# b #}'], ['jinja {{ a }}', 'jinja {# b #}']],
    ['poi-tl', ['{{?a}}', '{{b}}', '{{/a}}'], ['poi-tl {{?a}}', 'poi-tl {{b}}', 'poi-tl {{/a}}']],
    [
      'docxtemplater with double braces',
      ['{{#a}}', '{{b}}', '{{/a}}'],
      ['curly {{#a}}', 'curly {{b}}', 'curly {{/a}}'],
    ],
    ['docxtemplater with double braces and {{/}}', ['{{#a}}{{/}}'], ['curly {{#a}}', 'curly {{/}}']],
    ['Carbone', ['{d.a}', '{d.xs[i].b}'], ['carbone {d.a}', 'carbone {d.xs[i].b}']],
    ['an object with the name d', ['{d.a}', '{name}'], ['curly {d.a}', 'curly {name}']],
    ['Carbone beside a name in braces', ['{d.a:upperCase}', '{name}'], ['carbone {d.a:upperCase}']],
    ['commands between plus signs', ['+++INS a+++ {b}'], ['command +++INS a+++']],
    ['commands in braces', ['{IF a}{b}{END-IF}'], ['command {IF a}', 'command {b}', 'command {END-IF}']],
    [
      'commands in double braces',
      ['{{IF a}}{{b}}{{END-IF}}'],
      ['command {{IF a}}', 'command {{b}}', 'command {{END-IF}}'],
    ],
    [
      'INS without an end of anything',
      ['{INS a}', '{= b}', '{c}'],
      ['command {INS a}', 'command {= b}', 'command {c}'],
    ],
    [
      'a name that begins as a command does',
      ['{IF only}', '{FOR sale}'],
      ['curly {IF only}', 'curly {FOR sale}'],
    ],
    [
      'a choice as in Python, and nothing else',
      ['{{ "Sir" if male else "Madam" }}'],
      ['jinja {{ "Sir" if male else "Madam" }}'],
    ],
    ['a default in double braces, and nothing else', ['{{ a or "b" }}'], ['jinja {{ a or "b" }}']],
    ['a choice in braces, and nothing else', ['{n > 2 ? "a" : "b"}'], ['curly {n > 2 ? "a" : "b"}']],
    ['a field of Salesforce', ['{!Account.Name}'], ['curly {!Account.Name}']],
    ['a comment of Mustache', ['{{! a note }}', '{{a}}'], ['jinja {{! a note }}', 'jinja {{a}}']],
    ['a default after a dollar sign', ['${name ?: "x"}'], ['curly ${name ?: "x"}']],
    ['an energy label', ['A+++ and B+++'], []],
    ['delimiters of other languages', ['{d.a}', '<<a>>', '[[b]]', '%c%'], ['carbone {d.a}']],
    ['braces in prose', ['{see below', 'or} here', '{}', 'f() { return "x"; }', '{"a": 1}', '{"b"}'], []],
    ['a GUID', ['{0f8fad5b-d9cb-469f-a165-70867728950e}', '{a}'], ['curly {a}']],
  ])('%s', async (_, texts, languages) => {
    const found = await foundInTexts(texts);
    expect([languagesOf(found), issuesOf(found)]).toEqual([languages, []]);
  });

  it('are decided by all parts of a template', async () => {
    const header = wordPart('hdr', p(run('{% if b %}{% endif %}')));
    const found = await foundIn(
      p(run('{a} {{ c }}')),
      {},
      {
        links: [{ id: 'rId1', kind: 'header', target: 'header1.xml' }],
        parts: [{ name: 'word/header1.xml', data: header, type: HEADER }],
      },
    );
    expect(languagesOf(found)).toEqual(['jinja {{ c }}', 'jinja {% if b %}', 'jinja {% endif %}']);
    expect(languagesOf(await foundInTexts(['{a} {{ c }}']))).toEqual(['curly {a}', 'jinja {{ c }}']);
  });
});

describe('delimiters without a partner', () => {
  test.each<[texts: string[], issues: unknown[]]>([
    [['{a}', '{b'], ['Unclosed tag: {b']],
    [['{a}', 'b}'], ['Unopened tag: b}']],
    [['{a {b}'], ['Unclosed tag: {a {b}']],
    [['{a}}'], ['Unopened tag: {a}}']],
    [['{#a}', '{{b}', '{/a}'], ['Duplicate open tag, expected one open tag: {{b}']],
    [['{#a}', 'b}}', '{/a}'], ['Duplicate close tag, expected one close tag: b}}']],
    [['{{ a }}', '{{ b'], ['Unclosed tag: {{ b']],
    [['{% if a %}{% endif %}', '{% b'], ['Unclosed tag: {% b']],
    [
      ['+++INS a+++', '+++HTML `', 'x', '`+++ b'],
      ['Unclosed command (a command must be in one paragraph): +++HTML `'],
    ],
    [['{{a}}', '{{if({{a}},==,b)if c endif}}'], [expect.stringContaining('MiniWord is not supported')]],
    [['{{foreach{{a.b}}endforeach}}'], [expect.stringContaining('MiniWord is not supported')]],
  ])('%j are mistakes, in the words of docxtemplater', async (texts, issues) => {
    expect(issuesOf(await foundInTexts(texts))).toEqual(issues);
  });
});

describe('marks that fit two languages equally', () => {
  const texts = ['{{?a}}{{/a}}', '{{FOR x IN xs}}{{END-FOR x}}'];

  it('are mistakes that ask for the language', async () => {
    const issue = 'The marks fit command and poi-tl; name the language in “syntax”';
    expect(issuesOf(await foundInTexts(texts))).toContain(`${issue}: {{?a}}`);
  });

  it('are read by the language that the caller names', async () => {
    const { syntaxes, issues } = await foundInTexts(texts.slice(1), { syntax: 'command' });
    expect([syntaxes, issues]).toEqual([['command'], []]);
  });
});

describe('what looks like a mark', () => {
  test.each([
    ['a mark over two paragraphs', ['{{ a', '}}'], /Unclosed tag/],
    ['a statement over two paragraphs', ['{% for x in', 'xs %}'], /Unclosed tag/],
    ['a picture of PHPWord with its size', ['${logo:100:100}'], /unexpected/],
    ['a variable of a shell', ['${HOME:-/root}', '${name}'], /unexpected/],
  ])('is a mistake, even alone: %s', async (_, texts, issue) => {
    expect(issuesOf(await foundInTexts(texts))).toEqual(
      expect.arrayContaining([expect.stringMatching(issue)]),
    );
  });

  test.each([[['{{']], [['{% off']], [['${5} and ${ }']], [['f() {{ }}']]])('is none: %j', async (texts) => {
    expect(issuesOf(await foundInTexts(texts)).filter((issue) => !issue.startsWith('Empty'))).toEqual([]);
  });
});

it('a mark in double braces that no language reads is a mistake, even alone', async () => {
  expect(issuesOf(await foundInTexts(['{{ a +* b }}']))).toHaveLength(1);
});

describe('delimiters of the caller', () => {
  test.each<[delimiters: [string, string], text: string, written: string[]]>([
    [['<<', '>>'], 'Hello <<a>>, {b}', ['<<a>>']],
    [['<', '>'], 'Hello <a>', ['<a>']],
    [['%', '%'], 'Hello %a% from %b%', ['%a%', '%b%']],
    [['[[', ']]'], '[[#a]][[b]][[/a]]', ['[[#a]]', '[[b]]', '[[/a]]']],
    [['[[', ']]'], '[[?a]][[b]][[/a]]', ['[[?a]]', '[[b]]', '[[/a]]']],
    [['%%', '%%'], '%%FOR x IN xs%%%%$x%%%%END-FOR x%%', ['%%FOR x IN xs%%', '%%$x%%', '%%END-FOR x%%']],
  ])('%j are the only ones', async (delimiters, text, written) => {
    const found = await foundInTexts([text], { delimiters });
    expect(found.marks.map((mark) => mark.written)).toEqual(written);
    expect(issuesOf(found)).toEqual([]);
    expect(found.readText(`x ${written.at(-1)}`)[1]).toMatchObject({ written: written.at(-1) });
  });

  it('are read by the language that their marks show', async () => {
    const syntaxesOf = async (text: string) =>
      (await foundInTexts([text], { delimiters: ['[[', ']]'] })).syntaxes;
    expect(await syntaxesOf('[[?a]][[/a]]')).toEqual(['poi-tl']);
    expect(await syntaxesOf('[[IF a]][[END-IF]]')).toEqual(['command']);
    expect(await syntaxesOf('[[a]]')).toEqual(['curly']);
  });

  it('are mistakes without a partner', async () => {
    const delimiters = ['<<', '>>'] as const;
    expect(issuesOf(await foundInTexts(['<<a', 'b>>'], { delimiters }))).toEqual([
      'Unclosed tag: <<a',
      'Unopened tag: b>>',
    ]);
  });
});

test('a tag changes the delimiters for the rest of its part', async () => {
  const found = await foundInTexts(['{a}{=[[ ]]=}[[b]] {c}', '[[d]][[={ }=]]{e} [[f]]']);
  expect(found.marks.map(({ written }) => written)).toEqual([
    '{a}',
    '{=[[ ]]=}',
    '[[b]]',
    '[[d]]',
    '[[={ }=]]',
    '{e}',
  ]);
});

describe('brackets in rows of poi-tl', () => {
  it('are marks after a row with a tag', async () => {
    const found = await foundIn(
      table(['{{goods}}Count', 'Name'], ['[count]', '[a.name]'], ['[x]', '[y]'], ['Total', '[z]']),
    );
    expect(
      found.marks.filter(({ instruction }) => 'isOfRow' in instruction).map(({ written }) => written),
    ).toEqual(['[count]', '[a.name]', '[x]', '[y]']);
  });

  it('are text after other rows, and in rows where a cell has none', async () => {
    const found = await foundIn(
      table(['Count'], ['[count]']) + table(['{{title}}'], ['see [1]', 'and more']),
    );
    expect(found.marks.map(({ written }) => written)).toEqual(['{{title}}']);
  });
});

describe('texts without runs', () => {
  it('are read by the languages of the template and by their own', async () => {
    const { readText } = await foundInTexts(['no marks']);
    expect(readText('{d.logo:upperCase}')).toMatchObject([{ syntax: 'carbone' }]);
    expect(readText('A {b}')).toMatchObject(['A ', { syntax: 'curly', written: '{b}' }]);
    expect(readText('{0f8fad5b-d9cb-469f-a165-70867728950e}')).toHaveLength(1);
    expect(readText('')).toEqual(['']);
  });

  it('keep braces that are not marks, and report mistakes in marks', async () => {
    const { readText } = await foundInTexts(['{#a}{/a}']);
    expect(readText('{see below')).toEqual(['{see below']);
    expect(readText('{a | uper}')).toMatchObject([{ issue: expect.stringContaining('uper') }]);
  });
});
