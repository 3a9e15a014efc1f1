import { describe, expect, it } from '@jest/globals';
import { BoundError } from '../src/evaluate.ts';
import { ExpressionError, type ExpressionSyntax, type Json, parseExpression } from '../src/expression.ts';
import { reads } from '../src/reads.ts';
import { evaluated, resultOf } from './data.ts';

const data = {
  name: 'Ada',
  price: 1234.5,
  qty: '3',
  day: '2026-11-05',
  status: 2,
  tags: ['a', 'b'],
  items: [
    { n: 'nut', p: 1.1 },
    { n: 'bolt', p: 2.2 },
  ],
  other: 5,
};

describe('formatters', () => {
  it.each<[ExpressionSyntax, string, string]>([
    ['curly', 'price | number(2)', '1,234.50'],
    ['curly', 'price | number:2', '1,234.50'],
    ['curly', 'name | upper | padl:5:"*"', '**ADA'],
    ['curly', 'items | sum:"p" | number:1', '3.3'],
    ['curly', 'items | sum(p) | number(1)', '3.3'],
    ['curly', 'items | filter(p, >, 2) | map(n) | join', 'bolt'],
    ['curly', 'name | replace:“A”:‘O’', 'Oda'],
    ['jinja', 'name|upper', 'ADA'],
    ['jinja', "items|sum(attribute='p')|round(1)", '3.3'],
    ['jinja', "items|map(attribute='n')|join(', ')", 'nut, bolt'],
    ['jinja', "', '.join(tags)", 'a, b'],
    ['jinja', 'name.upper()', 'ADA'],
    ['jinja', "day.strftime('%d.%m.%Y')", '05.11.2026'],
    ['jinja', '"%.2f"|format(price)', '1234.50'],
    ['jinja', "missing|default('–')", '–'],
    ['command', 'upper(name)', 'ADA'],
    ['command', "date(day, 'DD/MM/YYYY')", '05/11/2026'],
    ['command', 'name.toUpperCase()', 'ADA'],
    ['command', "tags.join('-')", 'a-b'],
    ['command', 'price.toFixed(1)', '1234.5'],
    ['poi-tl', 'price > 1000 ? "high" : "low"', 'high'],
    ['carbone', 'd.price:formatN(2)', '1,234.50'],
    ['carbone', 'd.price:mul(.qty):formatN(1)', '3,703.5'],
    ['carbone', 'd.day:formatD(DD.MM.YYYY)', '05.11.2026'],
    ['carbone', "d.day:convDate('YYYY-MM-DD', 'D/M/YY')", '5/11/26'],
    ['carbone', 'd.name:padl(6, _)', '___Ada'],
    ['carbone', 'd.tags:arrayJoin( / )', 'a/b'],
    ['word', 'price \\# "#,##0.00"', '1,234.50'],
    ['word', 'day \\@ "d MMMM yyyy" \\* Upper', '5 NOVEMBER 2026'],
    ['word', '"name" \\* Caps \\* MERGEFORMAT', 'Ada'],
    ['word', 'name \\b "Ms. " \\f ","', 'Ms. Ada,'],
  ])('of %s: %s', (syntax, text, value) => {
    expect(String(resultOf(text, data, { syntax }))).toBe(value);
  });
});

describe('a chain of Carbone', () => {
  it.each([
    ['d.status:ifEQ(2):show(two):elseShow(other)', 'two'],
    ['d.status:ifEQ(1):show(one):elseShow(other)', 'other'],
    ['d.status:ifEQ(1):show(one):ifEQ(2):show(two):elseShow(other)', 'two'],
    ['d.status:ifGT(1):and(.other):ifLT(5):show(yes):elseShow(no)', 'no'],
    ['d.status:ifGT(9):or(.other):ifGTE(5):show(yes):elseShow(no)', 'yes'],
    ['d.status:ifNE(2):elseShow(same)', 'same'],
    ['d.tags:ifIN(b):show(has):elseShow(lacks)', 'has'],
    ['d.tags:ifNIN(b):show(lacks):elseShow(has)', 'has'],
    ['d.name:ifIN(d):show(has)', 'has'],
    ['d.gone:ifEM:show(empty):elseShow(full)', 'empty'],
    ['d.name:ifNEM():show(.other)', 5],
    ['d.gone:ifEmpty(none):upperCase', 'none'],
    ['d.gone:ifEmpty(none, true):upperCase', 'NONE'],
    ['d.status:ifEqual(2, two):upperCase', 'two'],
    ['d.status:ifLTE(2):show(d.name)', 'Ada'],
  ])('%s', (text, value) => {
    expect(resultOf(text, data, { syntax: 'carbone' })).toBe(value);
  });

  it('numbers the items of a loop with count', () => {
    const scope = { value: {}, path: 'data', loop: { index: 4, length: 9 } };
    expect(resultOf('d.id:count', scope, { syntax: 'carbone' })).toBe(5);
    expect(resultOf('d.id:count(0)', scope, { syntax: 'carbone' })).toBe(4);
  });
});

describe('what an expression makes of each item', () => {
  const people = [
    { name: 'John', age: 20 },
    { name: 'Eva', age: 18 },
    { name: 'Bob', age: 25 },
  ];
  it.each<[ExpressionSyntax, string, Json]>([
    ['command', 'people.filter(p => p.age > limit).map((p) => p.name)', ['John', 'Bob']],
    ['command', 'people.find(p => p.age < 19).name', 'Eva'],
    ['command', 'people.some(p => p.age > 30) || people.every(p => p.age > 10)', true],
    ['stamper', 'people.?[age > limit].length', 2],
    ['stamper', 'people.![name]', ['John', 'Eva', 'Bob']],
    ['stamper', 'people.^[age > 18].name + people.$[age > 18].name', 'JohnBob'],
    ['curly', 'people | where:"age > limit" | map:"name"', ['John', 'Bob']],
    ['jinja', 'people[1:][0].name ~ people[-1:][0].name ~ "Ada"[:2]', 'EvaBobAd'],
    ['jinja', '"Eva" in ("Eva", "Bob") and 18 < people[0].age < 21', true],
    ['jinja', '"{:.1f}".format(2) ~ "%s" % "x"', '2.0x'],
    ['jinja', '"a-b".split("-")|join: "+"', 'a+b'],
    ['jinja', '"abc" contains "b" and "" == blank', true],
  ])('in %s: %s', (syntax, text, expected) => {
    expect(resultOf(text, { people, limit: 18 }, { syntax })).toEqual(expected);
  });

  it('is read of the items of the list', () => {
    const read = reads(parseExpression('people.filter(p => p.age > limit)', { syntax: 'command' }));
    const items = [{ steps: ['age'], hint: 'sum' }];
    expect(read).toMatchObject([{ steps: ['people'], hint: 'array', items }, { steps: ['limit'] }]);
  });

  it('costs what an evaluation costs', () => {
    const list = Array.from({ length: 1100 }, () => 1);
    const inner = 'list.filter(a => list.some(b => b > 1))';
    expect(() => resultOf(inner, { list }, { syntax: 'command' })).toThrow(BoundError);
  });
});

describe('a call that the language does not have', () => {
  const item = { name: { 'full()': 'Ada' }, 'price|net': 2, price: 3 };
  it.each<[ExpressionSyntax, string, Json, Json]>([
    ['jinja', 'today()', { 'today()': '1 May' }, '1 May'],
    ['curly', 'fmt( a,  "b" )', { 'fmt( a, "b" )': 1 }, 1],
    ['jinja', 'a | foo("x", n=2) | upper', { 'a|foo("x", n=2)': 'x' }, 'X'],
    ['curly', 'a | foo:1:b', { 'a|foo:1:b': 4 }, 4],
    ['jinja', 'i.name.full() ~ "!"', { i: item }, 'Ada!'],
    ['jinja', 'i.price|net + 1', { i: item }, 3],
    ['jinja', 'i.name.full()', { 'i.name.full()': 'Bob', i: item }, 'Bob'],
    ['command', 'a.exec(1).b', { a: { 'exec(1)': { b: 5 } } }, 5],
    ['command', 'a.b().c()', { a: { 'b()': { 'c()': 6 } } }, 6],
  ])('in %s is looked up by its text: %s', (syntax, text, data, expected) => {
    expect(resultOf(text, data, { syntax })).toEqual(expected);
  });

  it('is missing where the data does not have it, and nothing runs', () => {
    const scope = { value: { a: { exec: 1 } }, path: 'data' };
    expect(evaluated('a.exec(1)', scope)).toEqual({ value: undefined, path: 'data.a["exec(1)"]' });
    expect(evaluated('constructor()', scope).value).toBeUndefined();
  });
});

describe('a mistake', () => {
  it.each<[ExpressionSyntax, string, RegExp]>([
    ['curly', '', /missing/],
    ['curly', 'a +', /too early/],
    ['curly', 'a | nmber', /“nmber”; did you mean “number”/],
    ['jinja', 'a | uper', /did you mean “upper”/],
    ['carbone', 'd.a:uperCase', /did you mean “upperCase”/],
    ['command', '(a)(b)', /calls/],
    ['command', 'a = 1', /assignments/],
    ['curly', 'a; b', /“;”/],
    ['curly', '"open', /no end/],
    ['curly', 'a[1', /“]” is missing/],
    ['curly', '(a', /“\)” is missing/],
    ['curly', 'name | upper(1)', /takes no arguments, not 1/],
    ['curly', 'xs | filter', /needs the argument “attribute”/],
    ['jinja', "xs | join(by='x')", /no argument “by”/],
    ['jinja', 'xs | map("upper")', /attribute=/],
    ['jinja', 'x is frob', /“frob”/],
    ['carbone', 'd.xs[id].a', /not supported/],
    ['carbone', 'd.a:padl(1', /“\)” is missing/],
    ['word', 'a \\@ "d" junk', /unexpected “junk”/],
    ['curly', 'x => x', /unexpected “=>”/],
    ['curly', 'x | y.z', /unexpected “\.”/],
    ['command', 'xs.reduce((a, b) => a + b)', /unexpected “=>”|is missing/],
    ['curly', 'new Date()', /./],
  ])('of %s is refused by its name: %s', (syntax, text, message) => {
    const parse = () => parseExpression(text, { syntax });
    expect(parse).toThrow(ExpressionError);
    expect(parse).toThrow(message);
  });

  it('is a text of more than 2,000 characters, or deeper than 32 levels', () => {
    expect(() => parseExpression('a'.repeat(2001))).toThrow('2,000');
    expect(() => parseExpression(`${'('.repeat(33)}a${')'.repeat(33)}`)).toThrow('32');
    expect(() => parseExpression('!'.repeat(1000))).toThrow('32');
    expect(() => parseExpression(`${'['.repeat(900)}`)).toThrow('32');
    expect(() => parseExpression(`${'a?'.repeat(100)}a${':a'.repeat(100)}`)).toThrow('32');
    expect(resultOf(`${'('.repeat(31)}a${')'.repeat(31)}`, { a: 1 })).toBe(1);
    expect(resultOf(`1${'+1'.repeat(900)}`, {})).toBe(901);
  });

  it('of any text never ends in another error', () => {
    const signs = [
      'a',
      '.',
      '[',
      ']',
      '(',
      ')',
      '"',
      '“',
      '|',
      ':',
      '?',
      '+',
      '~',
      ' ',
      '1',
      '\\',
      'if',
      'not',
      'is',
      '#',
      '=',
      ',',
    ];
    let state = 7;
    for (let round = 0; round < 20_000; round++) {
      let text = '';
      for (let at = 0; at < 1 + (round % 12); at++) {
        state = (state * 48_271) % 2_147_483_647;
        text += signs[state % signs.length];
      }
      for (const syntax of ['curly', 'jinja', 'carbone', 'word'] as const) {
        try {
          parseExpression(text, { syntax });
        } catch (error) {
          if (!(error instanceof ExpressionError)) throw error;
        }
      }
    }
  });
});

describe('what an expression reads', () => {
  it.each([
    ['a.b[0].c', [['any', 'a', 'b', '0', 'c']]],
    [
      'price * qty',
      [
        ['number', 'price'],
        ['number', 'qty'],
      ],
    ],
    ['day | date', [['date', 'day']]],
    ['items | sum:"p"', [['array', 'items']]],
    [
      'c ? x : y',
      [
        ['boolean', 'c'],
        ['any', 'x'],
        ['any', 'y'],
      ],
    ],
    ['first name', [['any', 'first name']]],
    ['user-name', [['any', 'user-name']]],
    ['loop.index', [['any', 'loop', 'index']]],
    [
      'a[b]',
      [
        ['any', 'a'],
        ['any', 'b'],
      ],
    ],
    ['n > 2', [['number', 'n']]],
    ['"text"', []],
    ['not done', [['boolean', 'done']]],
  ])('%s', (text, expected) => {
    expect(reads(parseExpression(text)).map(({ hint, steps }) => [hint, ...steps])).toEqual(expected);
  });

  it('marks the result, and what belongs to the innermost value', () => {
    expect(reads(parseExpression('.a | number(b)'))).toMatchObject([
      { steps: ['a'], isOwn: true, hint: 'number', isResult: true, isOptional: false },
      { steps: ['b'], isOwn: false, hint: 'any', isResult: false, isOptional: true },
    ]);
    expect(reads(parseExpression('loop.index'))).toMatchObject([{ isOfLoop: true }]);
    expect(reads(parseExpression('n > 2'))).toMatchObject([{ sample: 3 }]);
  });
});
