/** The part of JSON Schema from which candidates are derived. */
export interface JsonSchema {
  type?: string;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  enum?: unknown[];
  examples?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
}

/** A value that a schema may accept or not, and the path of the candidate in it: `options.dimensions.width`. */
export interface Candidate {
  at: string;
  value: unknown;
}

const OTHER_KINDS = [null, true, false, 0, -1, 1.5, 1e6, '', 'a', '1', [], {}, ['a'], [['a']], { a: 'a' }];
/** Values between which unstated bounds of a schema may lie. */
const SIZES = [0, 1, 2, 10, 100, 1_000, 10_000, 100_000].flatMap((size) => [size, size + 1]);
/** The bounds of the characters of XML 1.0 (§2.2, Char), and unpaired surrogates. */
const CHARACTERS = [
  ...[0, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0x1f, 0x20, 0x7f, 0x85, 0xa0, 0xd7ff, 0xe000, 0xfdd0, 0xfffd, 0xfffe],
  ...[0xffff, 0x10000, 0x1fffe, 0x10ffff, 0xd800, 0xdbff, 0xdc00, 0xdfff],
];
const STRINGS_OF_A_PATTERN = 400;

/**
 * Values at the bounds of a schema and beyond, values of other types, and values that are close to its examples and its
 * pattern. Strings have the same length in characters, code units and bytes, except those of one unusual character.
 */
export function* candidatesOf(schema: JsonSchema, at: string): Generator<Candidate> {
  for (const value of [...OTHER_KINDS, ...(schema.enum ?? []), ...(schema.examples ?? [])])
    yield { at, value };
  for (const variant of schema.anyOf ?? []) yield* candidatesOf(variant, at);
  if (schema.type === 'string') for (const value of strings(schema)) yield { at, value };
  if (schema.type === 'number' || schema.type === 'integer')
    for (const value of numbers(schema)) yield { at, value };
  if (schema.type === 'array') yield* arrays(schema, at);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    for (const inner of candidatesOf(property, `${at}.${name}`))
      yield { at: inner.at, value: { [name]: inner.value } };
}

function* numbers({ minimum = 0, maximum = 0 }: JsonSchema): Generator<number> {
  for (const bound of [minimum, maximum])
    for (const step of [0, 1e-9, 0.5, 1]) yield* [bound - step, bound + step];
}

function* arrays({ items = {}, maxItems = 0 }: JsonSchema, at: string): Generator<Candidate> {
  for (const { at: inner, value } of candidatesOf(items, `${at}[]`)) yield { at: inner, value: [value] };
  const filler = items.type === 'array' ? [] : 'a';
  for (const size of [...SIZES, maxItems, maxItems + 1]) yield { at, value: Array(size).fill(filler) };
}

function* strings({ pattern = '', minLength = 0, maxLength = 0, examples = [] }: JsonSchema) {
  for (const size of [...SIZES, minLength, minLength - 1, maxLength, maxLength + 1])
    if (size >= 0) yield 'a'.repeat(size);
  for (const code of CHARACTERS) yield `a${String.fromCodePoint(code)}b`;
  const letters = lettersOf(pattern);
  const pick = seeded(pattern.length + 1);
  for (let number = 0; number < STRINGS_OF_A_PATTERN; number++)
    yield Array.from({ length: number % 10 }, () => letters[pick(letters.length)]).join('');
  for (const example of examples) if (typeof example === 'string') yield* mutationsOf(example, letters, pick);
}

/** The truncated example, and variants with one letter removed or changed. */
function* mutationsOf(example: string, letters: readonly string[], pick: (below: number) => number) {
  for (let at = 0; at <= example.length; at++) {
    const [before, after] = [example.slice(0, at), example.slice(at + 1)];
    yield before;
    yield before + after;
    for (let round = 0; round < 5; round++) yield before + letters[pick(letters.length)] + after;
    yield before.toUpperCase() + example.slice(at);
  }
}

/** The letters of a pattern and their neighbors, which include the ends of its ranges. */
function lettersOf(pattern: string): string[] {
  const codes = [...pattern.replace(/\\u[0-9a-f]{4}/g, '').replaceAll('\\d', '09')].flatMap((letter) => {
    const code = letter.charCodeAt(0);
    return [code - 1, code, code + 1];
  });
  return [...new Set(codes)].map((code) => String.fromCharCode(code));
}

/** Pseudo-random numbers, the same in each run (the linear congruential generator of Numerical Recipes). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
