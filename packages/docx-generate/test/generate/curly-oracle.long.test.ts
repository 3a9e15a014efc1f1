import { expect, it } from '@jest/globals';
import { isNightly } from '@scriptorium/testing/extent';
import { p, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { randomNumbers } from '@scriptorium/testing/random';
import Docxtemplater, { type DXT } from 'docxtemplater';
import PizZip from 'pizzip';
import { expressionsIn, foundIn, inRuns, issuesOf } from './found.ts';

const SEEDS = isNightly ? 300 : 100;
const DEPTH_MAX = 4;
const NAMES = [
  'a',
  'a.b',
  'first name',
  'x | upper',
  'a > 1',
  'Größe',
  '名前',
  'a-b',
  '$index',
  ' b ',
  '.',
  'a + “&<”',
];

/** Random text with balanced tags, in random runs. */
class RandomTags {
  readonly #next: (below: number) => number;

  constructor(seed: number) {
    this.#next = randomNumbers(seed);
  }

  text(depth = 0): string {
    return Array.from({ length: 1 + this.#next(4) }, () => this.#item(depth)).join('');
  }

  runs(text: string): string {
    const ends = Array.from({ length: this.#next(9) }, () => this.#next(text.length)).sort((a, b) => a - b);
    return inRuns(text, ends);
  }

  #item(depth: number): string {
    const name = NAMES[this.#next(NAMES.length)] ?? '';
    switch (this.#next(depth < DEPTH_MAX ? 5 : 2)) {
      case 0:
        return 'some text ';
      case 1:
        return `{${name}}`;
      case 2:
        return `{#${name}}${this.text(depth + 1)}{/${this.#next(2) === 0 ? '' : name}}`;
      case 3:
        return `{^${name}}${this.text(depth + 1)}{/${name}}`;
      default:
        return `{-w:r ${name}}${this.text(depth + 1)}{/}`;
    }
  }
}

interface ParsedTag {
  type: string;
  module?: string;
  value: string;
  inverted?: boolean;
  expandTo?: string;
  location?: string;
}

const UNITS: Record<string, string> = { 'w:r': 'run' };
const expressionOf = expressionsIn('curly');

/** The tags that docxtemplater reads in a document, in document order. */
function oracle(source: Buffer): unknown[] {
  const found: unknown[] = [];
  const module: DXT.Module = {
    name: 'oracle',
    priority: 1_000,
    postparse(parsed: DXT.Part[]) {
      for (const part of parsed as unknown as ParsedTag[])
        if (part.type === 'placeholder') found.push(instructionOf(part));
      // Nothing is left to pair: blocks are paired by other code.
      return [];
    },
  };
  new Docxtemplater(new PizZip(source), { modules: [module], errorLogging: false });
  return found;
}

function instructionOf({ module, value, inverted, expandTo = 'auto', location }: ParsedTag): unknown {
  const name = value.trim();
  if (module !== 'loop') return { type: 'value', expression: expressionOf(value) };
  if (location === 'end') return { type: 'close', name };
  const unit = UNITS[expandTo];
  const kind = inverted === true ? 'inverted' : 'section';
  return { type: 'open', kind, name, expression: expressionOf(value), ...(unit && { unit }) };
}

it('finds the tags that docxtemplater finds in random documents, with their kinds and names', async () => {
  let count = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const random = new RandomTags(seed);
    const text = `{z}${random.text()}`;
    const body = p(random.runs(text));
    const found = await foundIn(body, { syntax: 'curly' });
    const read = found.marks.map(({ instruction }) => instruction);
    expect(issuesOf(found)).toEqual([]);
    expect([text, read]).toEqual([text, oracle(templateOf(body))]);
    count += read.length;
  }
  expect(count).toBeGreaterThan(SEEDS);
});
