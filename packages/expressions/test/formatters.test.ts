import { describe, expect, it, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { Decimal } from 'decimal.js';
import type { Json } from '../src/expression.ts';
import { formatterNames } from '../src/formatters/table.ts';
import { mistakeOf, randomOf, resultOf } from './data.ts';

const people = [
  { name: 'Zoë', age: 31, city: { name: 'Köln' } },
  { name: 'adam', age: 9, city: { name: 'Bern' } },
  { name: 'Émile', age: null, city: { name: 'Bern' } },
];
const data = {
  n: 1234.5,
  neg: -2.5,
  part: 0.196,
  text: 'hello big WORLD',
  list: [3, 1, 2],
  people,
  day: '2026-11-05',
};

/** At least one use of each formatter. */
const EXAMPLES: readonly [string, Json][] = [
  ['n | number', '1,234.5'],
  ['n | number(2)', '1,234.50'],
  ['n | number(0)', '1,235'],
  ['"1234567890123456789.5" | number', '1,234,567,890,123,456,789.5'],
  ['n | formatN', '1,234.500'],
  ['part | percent', '19.6%'],
  ['part | percent(0)', '20%'],
  ['n | currency("EUR")', '€1,234.50'],
  ['n | currency("JPY")', '¥1,235'],
  ['n | currency("USD", 0)', '$1,235'],
  ['n | formatC(2, "EUR")', '€1,234.50'],
  ['n | formatC("M", "EUR")', '1,234.50 euros'],
  ['n | round', 1235],
  ['neg | round', -3],
  ['1.005 | round(2)', 1.01],
  ['1234 | round(-2)', 1200],
  ['1.19 | round(1, "floor")', 1.1],
  ['n | toFixed(2)', '1234.50'],
  ['neg | ceil', -2],
  ['neg | floor', -3],
  ['neg | int', -2],
  ['"2.50" | float', 2.5],
  ['neg | abs', 2.5],
  ['n | add(1)', 1235.5],
  ['n | sub("0.5")', 1234],
  ['n | mul(2)', 2469],
  ['n | div(2)', 617.25],
  ['7 | mod(4)', 3],
  ['21 | words', 'twenty-one'],
  ['1.5 | words("USD")', 'one dollar and fifty cents'],
  ['day | date', 'Nov 5, 2026'],
  ['day | date("long")', 'November 5, 2026'],
  ['"2026-11-05T14:30" | datetime', 'Nov 5, 2026, 2:30 PM'],
  ['"2026-11-05T14:30" | time', '2:30 PM'],
  ['"14:30:05" | time("HH:mm:ss")', '14:30:05'],
  ['day | formatD("DD/MM/YYYY")', '05/11/2026'],
  ['"05/11/2026" | formatD("YYYY-MM-DD", "DD/MM/YYYY")', '2026-11-05'],
  ['"20261105" | convDate("YYYYMMDD", "D.M.YY")', '5.11.26'],
  ['"2024-01-31" | addD(1, "month")', '2024-02-29'],
  ['day | subD(5)', '2026-10-31'],
  ['day | startOfD("month")', '2026-11-01'],
  ['day | endOfD("month")', '2026-11-30'],
  ['text | upper', 'HELLO BIG WORLD'],
  ['text | lower', 'hello big world'],
  ['text | title', 'Hello Big World'],
  ['text | capitalize', 'Hello big world'],
  ['text | ucFirst', 'Hello big WORLD'],
  ['text | ucWords', 'Hello Big WORLD'],
  ['"  a " | trim', 'a'],
  ['text | replace("l", "L")', 'heLLo big WORLD'],
  ['text | ellipsis(5)', 'hello...'],
  ['text | prepend("> ")', '> hello big WORLD'],
  ['text | append("!")', 'hello big WORLD!'],
  ['7 | padl(3, "0")', '007'],
  ['7 | padr(3, ".")', '7..'],
  ['"Émile Zoë" | unaccent', 'Emile Zoe'],
  ['"%05.1f|%-4s|%d%%" | format(2.25, "ab", 7.9)', '002.3|ab  |7%'],
  ['text | slice(0, 5)', 'hello'],
  ['list | slice(-2)', [1, 2]],
  ['list | text', '3, 1, 2'],
  ['text | escape', 'hello big WORLD'],
  ['gone | print("x")', 'x'],
  ['gone | default("x")', 'x'],
  ['0 | default("x", true)', 'x'],
  ['"" | default("x")', ''],
  ['"" | ifEmpty("x")', 'x'],
  ['true | yesNo("on", "off")', 'on'],
  ['1 | convEnum(list)', 1],
  ['people | count', 3],
  ['people | aggCount', 3],
  ['gone | count', 0],
  ['"añ" | length', 2],
  ['people | join("; ", name)', 'Zoë; adam; Émile'],
  ['list | sum', 6],
  ['people | sum(age)', 40],
  ['people | avg(age)', 20],
  ['list | min', 1],
  ['people | max(age)', 31],
  ['people | sort(name) | map(name)', ['adam', 'Émile', 'Zoë']],
  ['people | sort("-age") | map(age)', [31, 9, null]],
  ['list | sort', [1, 2, 3]],
  ['people | filter(age, >=, 9) | map(name)', ['Zoë', 'adam']],
  ['people | filter(city.name, "Bern") | count', 2],
  ['people | filter(age) | count', 2],
  ['people | filter("name", "contains", "a") | count', 1],
  ['people | reject(age, "in", [9]) | count', 2],
  ['people | map(city.name) | unique', ['Köln', 'Bern']],
  ['people | unique(city.name) | count', 2],
  ['list | first', 3],
  ['text | last', 'D'],
  ['list | reverse', [2, 1, 3]],
  ['list | list', [3, 1, 2]],
  ['list | andList', '3, 1, and 2'],
  ['comma_and_list("a", "b")', 'a and b'],
  ['3 | range', [0, 1, 2]],
  ['1 | range(6, 2)', [1, 3, 5]],
  ['"a,b" | split(",")', ['a', 'b']],
  ['" a  b " | split', ['a', 'b']],
  ['text | startsWith("hello")', true],
  ['text | endsWith("x")', false],
  ['"2026-01-02" | format_date', 'January 2, 2026'],
  ['"{} of {:,.2f} {0}" | format("a", 1234.5)', 'a of 1,234.50 a'],
  ['"{:>5}|{:<3}|{:^5}|{:05d}|{:.0%}" | format("a", "b", "c", 42, 0.5)', '    a|b  |  c  |00042|50%'],
];

describe('a formatter', () => {
  test.each(EXAMPLES)('%s is %j', (text, value) => {
    const result = resultOf(text, data);
    // Versions of CLDR differ in the space before AM and PM.
    expect(typeof result === 'string' ? result.replace(/\s/g, ' ') : result).toEqual(value);
  });

  it('has an example here, and no name twice', () => {
    const used = new Set(
      EXAMPLES.flatMap(([text]) => [...text.matchAll(/\| (\w+)/g)].map(([, name]) => name)),
    );
    expect(formatterNames().filter((names) => !names.some((name) => used.has(name)))).toEqual([]);
    const all = formatterNames().flat();
    expect(all.length).toBe(new Set(all).size);
  });

  it('leaves a missing value missing', () => {
    const whole = ['default', 'ifEmpty', 'print', 'count'];
    for (const [name = ''] of formatterNames()) {
      if (whole.includes(name)) continue;
      const needed = [
        'append',
        'prepend',
        'startsWith',
        'endsWith',
        'padl',
        'padr',
        'ellipsis',
        'add',
        'sub',
        'mul',
        'div',
        'mod',
        'map',
        'filter',
        'reject',
        'formatD',
        'addD',
        'subD',
        'convEnum',
        'replace',
      ];
      const args = name === 'convDate' ? '("a", "b")' : needed.includes(name) ? '("1")' : '';
      expect([name, resultOf(`gone | ${name}${args}`, {})]).toEqual([name, undefined]);
    }
  });

  it('chooses by the values of an object', () => {
    const names = { open: 'Offen', 2: 'Zwei' };
    expect(resultOf('s | convEnum(names)', { s: 'open', names })).toBe('Offen');
    expect(resultOf('s | convEnum(names)', { s: 2, names })).toBe('Zwei');
    expect(resultOf('s | convEnum(names)', { s: 'toString', names })).toBe('toString');
  });
});

it.each([
  ['n | number(2)', '0.00'],
  ['n | currency("EUR")', '€0.00'],
  ['n | percent(0)', '0%'],
  ['n | toFixed(1)', '0.0'],
])('a negative number that is rounded to 0 has no sign: %s', (text, shown) => {
  expect(resultOf(text, { n: -0.004 }, { locale: 'en-US' })).toBe(shown);
});

it('a currency without decimals is written as in docassemble', () => {
  expect(resultOf('n|currency(decimals=False)', { n: 5.4 }, { syntax: 'jinja', currency: 'USD' })).toBe('$5');
});

describe('the numbers of a language', () => {
  it.each(['en-US', 'de-DE', 'de-CH', 'fr-FR', 'hi-IN', 'ar-EG', 'pl-PL'])(
    '%s are those of CLDR',
    (locale) => {
      const random = randomOf(3);
      for (let round = 0; round < 200; round++) {
        const n = Number(((random() - 0.5) * 10 ** (random() * 12)).toFixed(4));
        const digits = Math.floor(random() * 5);
        const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
        const show = (style: Intl.NumberFormatOptions) =>
          new Intl.NumberFormat(locale, { signDisplay: 'negative', ...style }).format(n);
        expect(resultOf(`n | number(${digits})`, { n }, { locale })).toBe(show(options));
        expect(resultOf(`n | number(${digits})`, { n: String(n) }, { locale })).toBe(show(options));
        if (round > 30) continue;
        expect(resultOf(`n | percent(${digits})`, { n }, { locale })).toBe(
          show({ ...options, style: 'percent' }),
        );
        expect(resultOf('n | currency', { n }, { locale, currency: 'EUR' })).toBe(
          show({ style: 'currency', currency: 'EUR' }),
        );
      }
    },
  );

  it('round half away from zero, by their decimal digits', () => {
    for (const n of [0.5, 1.5, 2.5, 1.005, 2.675, 1.45, -0.5, -1.005, 8.345]) {
      for (const digits of [0, 1, 2]) {
        const exact = new Decimal(n).toFixed(digits, Decimal.ROUND_HALF_UP);
        const shown = resultOf(`n | number(${digits})`, { n });
        expect(String(shown).replace(/^-(?=0(\.0*)?$)/, '')).toBe(exact.replace(/^-(?=0(\.0*)?$)/, ''));
        expect(resultOf(`n | round(${digits})`, { n })).toBe(Number(exact) === 0 ? 0 : Number(exact));
      }
    }
  });

  it.each([
    ['de-DE', 1234, '', 'eintausendzweihundertvierunddreißig'],
    ['de-AT', 1.5, 'EUR', 'ein Euro und fünfzig Cent'],
    ['en-GB', 105, '', 'one hundred and five'],
    ['en-US', 105, '', 'one hundred five'],
    ['en-IE', 2, 'EUR', 'two euro'],
    ['fr-CA', 80, '', 'quatre-vingts'],
    ['es-AR', 21, '', 'veintiuno'],
    ['zh-TW', 21, '', '貳拾壹'],
  ])('in %s has words for %d %s', (locale, n, currency, words) => {
    expect(resultOf(currency === '' ? 'n | words' : 'n | words(c)', { n, c: currency }, { locale })).toBe(
      words,
    );
  });
});

describe('an absurd argument', () => {
  it.each([
    ['n | number(999)', { n: 1 }],
    ['n | number(-1)', { n: 1 }],
    ['n | number("x")', { n: 1 }],
    ['n | number', { n: 'abc' }],
    ['n | currency("EURO")', { n: 1 }],
    ['n | currency', { n: 1 }],
    ['n | words', { n: 1e12 }],
    ['n | words("XYZ")', { n: 1 }],
    ['t | padl(1000000000)', { t: 'a' }],
    ['t | padr(1e30, "ab")', { t: 'a' }],
    ['t | replace("a", big)', { t: 'a'.repeat(1000), big: 'b'.repeat(10_000) }],
    ['t | append(t)', { t: 'a'.repeat(600_000) }],
    ['t + t', { t: 'a'.repeat(600_000) }],
    ['t ~ t', { t: 'a'.repeat(600_000) }],
    ['xs | join(t)', { xs: Array(100).fill(1), t: 'a'.repeat(100_000) }],
    ['xs | text', { xs: Array(100).fill('a'.repeat(100_000)) }],
    ['xs | join', { xs: [{}] }],
    ['xs | sum', { xs: [1, 'two'] }],
    ['xs | sort', { xs: [{}, {}] }],
    ['xs | filter(a, "~", 1)', { xs: [{ a: 1 }] }],
    ['t | sum', { t: 'text' }],
    ['t | date', { t: 'yesterday' }],
    ['t | date', { t: 1_700_000_000 }],
    ['t | upper', { t: {} }],
    ['t | date("bogus")', { t: '2026-01-01' }],
    ['t | date(p)', { t: '2026-01-01', p: 'd'.repeat(1000) }],
    ['t | addD(1e9, "year")', { t: '2026-01-01' }],
    ['t | addD(999999, "year")', { t: '2026-01-01' }],
    ['t | time', { t: '2026-01-01' }],
    ['t | date', { t: '10:30' }],
  ] as const)('%s is a mistake of the data, at once', (text, values) => {
    const startedAt = process.cpuUsage();
    const { path, issue } = mistakeOf(text, values as Json);
    expect(path).toMatch(/^data/);
    expect(issue.length).toBeLessThan(200);
    expect(cpuMsSince(startedAt)).toBeLessThan(500);
  });

  it('names the item that is not a number', () => {
    expect(mistakeOf('xs | sum(p)', { xs: [{ p: 1 }, { p: 'two' }] })).toEqual({
      path: 'data.xs[1].p',
      issue: '“two” is not a number',
    });
  });
});
