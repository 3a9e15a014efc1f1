import { describe, expect, it } from '@jest/globals';
import type { Bound, Scope } from '../src/evaluate.ts';
import type { ExpressionSyntax, Json } from '../src/expression.ts';
import { evaluated, resultOf } from './data.ts';

const SYNTAXES: readonly ExpressionSyntax[] = ['curly', 'jinja', 'poi-tl', 'carbone', 'command', 'word'];

const data = {
  name: 'Ann',
  address: { city: 'Bern' },
  items: [
    { name: 'nut', price: 2 },
    { name: 'bolt', price: null },
  ],
  'first name': 'Ada',
  'user-name': 'ada',
  user: 10,
  'Kunden-Nr.': 7,
  'a.b': 'flat',
  1: 'one',
  customer: { 'last name': 'King' },
  nothing: null,
  smile: '😀b',
};
const root: Scope = { value: data, path: 'data' };
const item: Scope = {
  value: data.items[1] as Json,
  path: 'data.items[1]',
  outer: root,
  loop: { index: 1, length: 2 },
};

describe('a path', () => {
  it.each(SYNTAXES)('leads into objects and arrays in %s', (syntax) => {
    const read = (text: string) => evaluated(text, root, { syntax });
    expect(read('address.city')).toEqual({ value: 'Bern', path: 'data.address.city' });
    expect(read('items[0].name')).toEqual({ value: 'nut', path: 'data.items[0].name' });
  });

  it.each([
    ['items.1.name', 'bolt'],
    ['items["0"].name', 'nut'],
    ['items[“0”].name', 'nut'],
    ["address['city']", 'Bern'],
    ['items.length', 2],
    ['items[items.length - 1].name', 'bolt'],
    ['address?.city', 'Bern'],
    ['this.name', 'Ann'],
    ['.name', 'Ann'],
    ['name[0]', 'A'],
    ['name[2]', 'n'],
    ['name[9]', undefined],
    ['smile[1]', 'b'],
  ])('reads %s', (text, value) => {
    expect(resultOf(text, root)).toEqual(value);
  });

  it('starts at the nearest value that has its first name', () => {
    expect(evaluated('name', item)).toEqual({ value: 'bolt', path: 'data.items[1].name' });
    expect(evaluated('address.city', item)).toEqual({ value: 'Bern', path: 'data.address.city' });
    expect(resultOf('this.address', item)).toBeUndefined();
    expect(resultOf('.', item)).toEqual(data.items[1]);
  });

  it('has the place of the innermost value if it leads nowhere', () => {
    expect(evaluated('size.width', item)).toEqual({ value: undefined, path: 'data.items[1].size.width' });
  });

  it('passes over null and incomplete objects only where docxtemplater does', () => {
    const inner: Scope = {
      value: { price: null, address: {} },
      path: 'inner',
      outer: { ...root, value: { ...data, price: 5 } },
    };
    expect(resultOf('price', inner, { syntax: 'curly' })).toBe(5);
    expect(resultOf('address.city', inner, { syntax: 'curly' })).toBe('Bern');
    for (const syntax of SYNTAXES.slice(1)) {
      expect(resultOf('price', inner, { syntax })).toBeNull();
      expect(resultOf('address.city', inner, { syntax })).toBeUndefined();
    }
  });

  it('finds variables before properties, with and without a dollar sign', () => {
    const variables = new Map<string, Bound>([['x', { value: { name: 'var' }, path: 'data.xs[0]' }]]);
    const scope: Scope = { value: { x: { name: 'own' } }, path: 'data', variables };
    expect(evaluated('x.name', scope)).toEqual({ value: 'var', path: 'data.xs[0].name' });
    expect(evaluated('$x.name', scope, { syntax: 'command' }).value).toBe('var');
    const named: Scope = { value: {}, path: 'data', variables: new Map([['$x', { value: 1, path: 'p' }]]) };
    expect(resultOf('$x', named, { syntax: 'command' })).toBe(1);
  });

  it('reads Carbone’s paths from the data, the item and the value around it', () => {
    const read = (text: string) => resultOf(text, item, { syntax: 'carbone' });
    expect(read('d.address.city')).toBe('Bern');
    expect(read('.name')).toBe('bolt');
    expect(read('..name')).toBe('Ann');
  });
});

describe('a name', () => {
  it.each([
    ['first name', 'Ada'],
    ['user-name', 'ada'],
    ['Kunden-Nr.', 7],
    ['a.b', 'flat'],
    ['1', 'one'],
    ['customer.last name', 'King'],
  ])('%s is a property before it is an expression', (text, value) => {
    expect(resultOf(text, item)).toBe(value);
  });

  it('is an expression if no property has it', () => {
    expect(resultOf('user-name', { user: 10, name: 4 })).toBe(6);
    expect(evaluated('Order no.', root)).toEqual({ value: undefined, path: 'data["Order no."]' });
  });

  it('is never an expression in Word', () => {
    expect(resultOf('user-name', { user: 10, name: 4 }, { syntax: 'word' })).toBeUndefined();
    expect(resultOf('Total (net), in %', { 'Total (net), in %': 3 }, { syntax: 'word' })).toBe(3);
  });
});

describe('the position in a loop', () => {
  it.each([
    ['_index', 1],
    ['$index', 1],
    ['$idx', 1],
    ['loop.index', 2],
    ['loop.index0', 1],
    ['loop.first', false],
    ['loop.last', true],
    ['loop.length', 2],
    ['loop.revindex', 1],
    ['_is_first', false],
    ['_is_last', true],
    ['_has_next', false],
    ['_is_odd_item', true],
  ])('is %s', (text, value) => {
    expect(resultOf(text, item)).toBe(value);
    expect(resultOf(text, { value: {}, path: 'inner', outer: item })).toBe(value);
    expect(resultOf(text, root)).toBeUndefined();
  });

  it('is hidden by data with the same name', () => {
    expect(resultOf('loop.index', { ...item, value: { loop: { index: 'own' } } })).toBe('own');
  });
});

describe('what JavaScript objects inherit', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a.__proto__.b', 'a.constructor.name'])(
    '%s is missing',
    (text) => {
      for (const syntax of SYNTAXES) {
        expect(resultOf(text, { a: { x: 1 } }, { syntax })).toBeUndefined();
        expect(resultOf(text, [1], { syntax })).toBeUndefined();
      }
      expect(resultOf(`items | map('${text}') | join`, { items: [{}] })).toBe('');
    },
  );

  it('is read if the JSON has it', () => {
    expect(resultOf('__proto__.b', JSON.parse('{"__proto__": {"b": 1}}'))).toBe(1);
  });
});
