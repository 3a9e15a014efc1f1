import { expect, it } from '@jest/globals';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { randomNumbers } from '@scriptorium/testing/random';
import Docxtemplater, { type DXT } from 'docxtemplater';
import PizZip from 'pizzip';
import { expressionsIn, foundIn, issuesOf } from './found.ts';

const SEEDS = 300;
const DEPTH_MAX = 4;
const NAMES = ['a', 'a.b', 'first name', 'x | upper', 'a > 1', 'Größe', '名前', 'a-b', '$index', ' b ', '.', 'a + “&<”'];

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
    let at = 0;
    return [...ends, text.length].map((end) => run(text.slice(at, (at = end)))).join('');
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

interface Part extends DXT.Part {
  inverted?: boolean;
  expandTo?: string;
  subparsed?: Part[];
}

const UNITS: Record<string, string> = { 'w:r': 'run' };
const expressionOf = expressionsIn('curly');

/** What docxtemplater finds in a document, in document order. */
function oracle(source: Buffer): unknown[] {
  const found: unknown[] = [];
  const add = (parts: readonly Part[]) => {
    for (const { type, module, value, inverted, expandTo = 'auto', subparsed } of parts) {
      if (type !== 'placeholder') continue;
      const expression = expressionOf(value);
      if (module !== 'loop') found.push({ type: 'value', expression });
      else {
        const unit = UNITS[expandTo];
        const kind = inverted === true ? 'inverted' : 'section';
        found.push({ type: 'open', kind, name: value.trim(), expression, ...(unit && { unit }) });
        add(subparsed ?? []);
      }
    }
  };
  const module: DXT.Module = {
    name: 'oracle',
    set({ inspect }: { inspect?: { postparsed?: Part[]; filePath?: string } }) {
      if (inspect?.postparsed !== undefined && found.length === 0) add(inspect.postparsed);
    },
  };
  new Docxtemplater(new PizZip(source), { modules: [module], errorLogging: false });
  return found;
}

it('finds the tags that docxtemplater finds in random documents, with their kinds and names', async () => {
  let count = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const random = new RandomTags(seed);
    const text = `{z}${random.text()}`;
    const body = p(random.runs(text));
    const found = await foundIn(body, { syntax: 'curly' });
    const opened = found.marks.map(({ instruction }) => instruction).filter(({ type }) => type !== 'close');
    expect(issuesOf(found)).toEqual([]);
    expect([text, opened]).toEqual([text, oracle(templateOf(body))]);
    count += opened.length;
  }
  expect(count).toBeGreaterThan(SEEDS);
});
