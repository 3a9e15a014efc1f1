import { describe, expect, it, test } from '@jest/globals';
import type { Instruction, Syntax } from '../../src/generate/instruction.ts';
import { expressionsIn, foundInTexts, issuesOf, readingsOf } from './found.ts';

type Row = readonly [written: string, instruction: Instruction];

const COMMENT: Instruction = { type: 'comment' };
const c = expressionsIn('curly');
const CURLY: readonly Row[] = [
  ['{name}', { type: 'value', expression: c('name') }],
  ['{ name }', { type: 'value', expression: c('name') }],
  ['{first name}', { type: 'value', expression: c('first name') }],
  ['{a.b | upper}', { type: 'value', expression: c('a.b | upper') }],
  ['{“Hello ” + user}', { type: 'value', expression: c('“Hello ” + user') }],
  ['{.}', { type: 'value', expression: c('.') }],
  ['{$index}', { type: 'value', expression: c('$index') }],
  ['{%logo}', { type: 'value', expression: c('logo'), as: 'image' }],
  ['{%%logo}', { type: 'value', expression: c('logo'), as: 'image' }],
  ['{~text}', { type: 'value', expression: c('text'), as: 'markup' }],
  ['{~~text}', { type: 'value', expression: c('text'), as: 'markup' }],
  ['{#items}', { type: 'open', kind: 'section', name: 'items', expression: c('items') }],
  ['{# items }', { type: 'open', kind: 'section', name: 'items', expression: c('items') }],
  ['{^items}', { type: 'open', kind: 'inverted', name: 'items', expression: c('items') }],
  ['{/items}', { type: 'close', name: 'items' }],
  ['{/}', { type: 'close', name: '' }],
  ['{#a > 1}', { type: 'open', kind: 'section', name: 'a > 1', expression: c('a > 1') }],
  ['{-w:tr xs}', { type: 'open', kind: 'section', name: 'xs', expression: c('xs'), unit: 'row' }],
  ['{-w:tc xs}', { type: 'open', kind: 'section', name: 'xs', expression: c('xs'), unit: 'cell' }],
  ['{-w:p xs}', { type: 'open', kind: 'section', name: 'xs', expression: c('xs'), unit: 'paragraph' }],
  [
    '{#xs [loopOver: “row”]}',
    { type: 'open', kind: 'section', name: 'xs', expression: c('xs'), unit: 'row' },
  ],
  ['{#xs [loopOver: "content"]}', { type: 'open', kind: 'section', name: 'xs', expression: c('xs') }],
];

const j = expressionsIn('jinja');
const IF = { type: 'open', kind: 'if', name: '' } as const;
const FOR = { type: 'open', kind: 'for', name: '' } as const;
const JINJA: readonly Row[] = [
  ['{{ a.b }}', { type: 'value', expression: j('a.b') }],
  ['{{a|upper}}', { type: 'value', expression: j('a|upper') }],
  ['{{r a }}', { type: 'value', expression: j('a') }],
  ['{{p a }}', { type: 'value', expression: j('a') }],
  ['{{ r }}', { type: 'value', expression: j('r') }],
  ['{% for x in xs %}', { ...FOR, variable: 'x', expression: j('xs') }],
  ['{%tr for x in a.xs %}', { ...FOR, variable: 'x', expression: j('a.xs'), unit: 'row' }],
  ['{%tc for x in xs %}', { ...FOR, variable: 'x', expression: j('xs'), unit: 'cell' }],
  ['{%p for x in xs %}', { ...FOR, variable: 'x', expression: j('xs'), unit: 'paragraph' }],
  ['{%r if a %}', { ...IF, expression: j('a'), unit: 'run' }],
  ['{% for k, v in a.items() %}', { ...FOR, key: 'k', variable: 'v', expression: j('a') }],
  ['{% for i, x in enumerate(xs) %}', { ...FOR, key: 'i', variable: 'x', expression: j('xs') }],
  ['{% if a == “b” %}', { ...IF, expression: j('a == “b”') }],
  ['{% if a < 2 and b > 1 %}', { ...IF, expression: j('a < 2 and b > 1') }],
  ['{% elif not a %}', { type: 'else', expression: j('not a') }],
  ['{%p else %}', { type: 'else', unit: 'paragraph' }],
  ['{% endif %}', { type: 'close', name: '', kind: 'if' }],
  ['{%tr endfor %}', { type: 'close', name: '', kind: 'for', unit: 'row' }],
  ['{# {{ a }} and {% b %} #}', COMMENT],
  ['{_{', { type: 'value', expression: { kind: 'literal', value: '{{' } }],
  ['%_}', { type: 'value', expression: { kind: 'literal', value: '%}' } }],
];

const t = expressionsIn('poi-tl');
const POI_TL: readonly Row[] = [
  ['{{a.b}}', { type: 'value', expression: t('a.b') }],
  ['{{?xs}}', { type: 'open', kind: 'section', name: 'xs', expression: t('xs') }],
  ['{{/xs}}', { type: 'close', name: 'xs' }],
  ['{{/}}', { type: 'close', name: '' }],
  ['{{@logo}}', { type: 'value', expression: t('logo'), as: 'image' }],
  ['{{=#this}}', { type: 'value', expression: t('.') }],
  ['{{+more}}', { type: 'value', expression: t('more') }],
  ['{{_index}}', { type: 'value', expression: t('_index') }],
];

const d = expressionsIn('carbone');
const step = (name: string, path: string, isNext = false) => ({
  ...{ name, expression: d(path), isNext },
  changes: '',
});
const CARBONE: readonly Row[] = [
  ['{d.a.b}', { type: 'value', expression: d('a.b') }],
  ['{ d.a }', { type: 'value', expression: d('a') }],
  ['{d.list[0].a}', { type: 'value', expression: d('list[0].a') }],
  ['{d.a:upperCase}', { type: 'value', expression: d('a:upperCase') }],
  ['{d.xs[i].a}', { type: 'value', expression: d('xs.a'), arrays: [step('xs', 'xs')] }],
  ['{d.xs[i+1].a}', { type: 'value', expression: d('xs.a'), arrays: [step('xs', 'xs', true)] }],
  ['{d.xs[i]}', { type: 'value', expression: d('xs'), arrays: [step('xs', 'xs')] }],
  ['{d[i].a}', { type: 'value', expression: d('_.a'), arrays: [step('_', '.')] }],
  ['{d.a:showBegin}', { ...IF, expression: d('a') }],
  ['{d.a:hideBegin}', { ...IF, kind: 'inverted', expression: d('a') }],
  ['{d.a:showEnd}', { type: 'close', name: '' }],
];

const o = expressionsIn('command');
const COMMAND: readonly Row[] = [
  ['+++INS a.b+++', { type: 'value', expression: o('a.b') }],
  ['+++ ins a.b +++', { type: 'value', expression: o('a.b') }],
  ['+++= a.b+++', { type: 'value', expression: o('a.b') }],
  ['+++a.b+++', { type: 'value', expression: o('a.b') }],
  ['+++$x.a+++', { type: 'value', expression: o('$x.a') }],
  ['+++$idx+++', { type: 'value', expression: o('$idx') }],
  ['+++FOR x IN a.xs+++', { ...FOR, name: 'x', variable: '$x', expression: o('a.xs') }],
  ['+++END-FOR x+++', { type: 'close', name: 'x', kind: 'for' }],
  ['+++IF a > 3+++', { ...IF, expression: o('a > 3') }],
  ['+++END-IF+++', { type: 'close', name: '', kind: 'if' }],
  ['+++IMAGE a.logo+++', { type: 'value', expression: o('a.logo'), as: 'image' }],
  ['+++IMAGE qr("x")+++', { type: 'value', expression: o('qr("x")'), as: 'image' }],
  ['+++QUERY a+++', { type: 'comment' }],
  ['+++HTML a.text+++', { type: 'value', expression: o('a.text'), as: 'markup' }],
  ['+++LINK a.link+++', { type: 'value', expression: o('a.link') }],
  ['+++ALIAS n INS $x.name+++', COMMENT],
  ['+++*n+++', { type: 'value', expression: o('$x.name') }],
  ['+++INSertable+++', { type: 'value', expression: o('INSertable') }],
];

describe.each<[Syntax, readonly Row[]]>([
  ['curly', CURLY],
  ['jinja', JINJA],
  ['poi-tl', POI_TL],
  ['command', COMMAND],
])('the language %s', (syntax, rows) => {
  it('gives each mark its meaning', async () => {
    const found = await foundInTexts(
      rows.map(([written]) => `A ${written} b`),
      { syntax },
    );
    expect(issuesOf(found)).toEqual([]);
    expect(readingsOf(found)).toEqual(rows);
    expect(found.syntaxes).toEqual([syntax]);
  });

  it('reads the same marks in texts without runs', async () => {
    const { readText } = await foundInTexts(
      rows.map(([written]) => written),
      { syntax },
    );
    for (const [written, instruction] of rows.filter(
      ([text]) => !text.includes('ALIAS') && !text.includes('*'),
    ))
      expect(readText(`A ${written} b`)).toEqual(['A ', { written, syntax, instruction }, ' b']);
    expect(readText('A b')).toEqual(['A b']);
  });
});

describe('the language carbone', () => {
  it('gives each mark its meaning, and equal arrays one name', async () => {
    const found = await foundInTexts(
      CARBONE.map(([written]) => written),
      { syntax: 'carbone' },
    );
    expect(issuesOf(found)).toEqual([]);
    const shapes = readingsOf(found).map(([written, { type }]) => [written, type]);
    expect(shapes).toEqual(CARBONE.map(([written, { type }]) => [written, type]));
    const plain = CARBONE.filter(([, instruction]) => !('arrays' in instruction));
    expect(readingsOf(found)).toEqual(expect.arrayContaining(plain.map((row) => [...row])));
    const [first, next, whole] = found.marks
      .map(({ instruction }) => instruction)
      .filter((i) => 'arrays' in i);
    const name = (first?.type === 'value' && first.arrays?.[0]?.name) || '';
    expect(first).toEqual({ type: 'value', expression: d(`${name}.a`), arrays: [step(name, 'xs')] });
    expect(next).toEqual({ type: 'value', expression: d(`${name}.a`), arrays: [step(name, 'xs', true)] });
    expect(whole).toEqual({ type: 'value', expression: d(name), arrays: [step(name, 'xs')] });
  });

  it('names arrays in arrays by the path that leads to them', async () => {
    const { marks } = await foundInTexts(
      ['{d.xs[i].ys[j].a}', '{d.xs[i].ys[j+1].a}', '{d.ys[i].a}', '{d.xs_ys[i].a}'],
      {
        syntax: 'carbone',
      },
    );
    const arrays = marks.map(({ instruction }) =>
      instruction.type === 'value' ? (instruction.arrays ?? []) : [],
    );
    const names = arrays.map((steps) => steps.map(({ name }) => name));
    expect(names[0]).toEqual(names[1]);
    expect(new Set(names.flat()).size).toBe(4);
    expect(arrays[0]?.[1]?.expression).toEqual(d(`${names[0]?.[0]}.ys`));
  });
});

test.each<[Syntax, string, RegExp]>([
  ['curly', '{@raw}', /Raw XML is not supported/],
  ['curly', '{}', /Empty tag/],
  ['curly', '{#}', /Empty tag/],
  ['curly', '{-w:sectPr xs}', /w:sectPr.* is not supported/],
  ['curly', '{#xs [loopOver: "page"]}', /loopOver: "page".* is not supported/],
  ['curly', '{x [maxWidth: 3]}', /options is not supported/],
  ['curly', '{:include x}', /“:” is not supported/],
  ['curly', '{£x}', /“£” is not supported/],
  ['curly', '{x | nmber}', /unknown formatter “nmber”/],
  ['jinja', '{% set x %}', /form of “set” is not supported/],
  ['jinja', '{% macro x() %}', /“macro” is not supported/],
  ['jinja', '{% vm 1 %}', /must stand alone/],
  ['jinja', '{% colspan %}', /Empty tag/],
  ['jinja', '{% include "a" %}', /“include” is not supported/],
  ['jinja', '{% tr for x in xs %}', /without a space before “tr”/],
  ['jinja', '{% for a, b in xs.items() if a %}', /two names and a condition is not supported/],
  ['jinja', '{% when 1 %}', /must stand in “case”/],
  ['jinja', '{% for x in xs recursive %}', /recursive loop is not supported/],
  ['jinja', '{% for a, b in xs %}', /two names is not supported/],
  ['jinja', '{% for xs %}', /for item in items/],
  ['jinja', '{% endif x %}', /must stand alone/],
  ['jinja', '{{tr x }}', /is not supported/],
  ['jinja', '{{ }}', /Empty tag/],
  ['carbone', '{c.x}', /complement “c” is not supported/],
  ['carbone', '{t(hello)}', /translation is not supported/],
  ['carbone', '{$x}', /Unknown alias/],
  ['carbone', '{d.a:drop(row)}', /form of :drop is not supported/],
  ['carbone', '{d.a:ifEM:drop(img)}', /form of :drop is not supported/],
  ['carbone', '{d.xs[a=..b].b}', /“\.\.” in a path is not supported/],
  ['carbone', '{d.a..b}', /“\.\.” in a path is not supported/],
  ['carbone', '{d.xs[i].a:showBegin}', /condition over an item/],
  ['command', '+++EXEC a = 1+++', /EXEC runs code/],
  ['command', '+++! a = 1+++', /EXEC runs code/],
  ['command', '+++LINK (() => a)+++', /LINK with code is not supported/],
  ['command', '+++FOR x+++', /FOR item IN items/],
  ['command', '+++*unknown+++', /Unknown alias/],
])('in the language %s, %s is a mistake', async (syntax, written, issue) => {
  const found = await foundInTexts([`A ${written} b`], { syntax });
  expect(found.marks).toEqual([]);
  expect(issuesOf(found)).toEqual([expect.stringMatching(issue)]);
  expect(found.issues[0]).toMatchObject({ written });
});
