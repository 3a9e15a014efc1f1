import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { placeText } from '@scriptorium/contracts/jobs/rows';
import { few } from '@scriptorium/testing/extent';
import { requireSuitableForm } from '../../src/engines/form.ts';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { LAYOUTS, type Layout, layoutDocument, words } from '../rigs/layouts.ts';
import { randomFrom } from '../rigs/random-forms.ts';
import { run } from './engine.suite.ts';

const engine = new LibreOfficeKitEngine({ zygotes: 1 });
beforeAll(() => engine.start());
afterAll(() => engine.close());

const REQUEST = { from: 'docx', to: 'pdf' } as const;
const once = () => ({ timeoutMs: 150_000, signal: new AbortController().signal });

/** Words of each row: texts get longer and shorter, one after the other and by far. */
const ORDERS = [
  [1, 200, 1, 30, 200, 30, 1],
  [330, 30, 31, 1, 90],
];
const REFUSAL = /^(?:the document has lost a repeated row|the form has shapes that its texts move)$/;
/** Layouts with shapes in the body, around which text runs. */
const SHAPES = /floating|text frame|text box|picture that text runs around|picture beside a place/;
/** Layouts that no form has. */
const COLUMNS = ['columns', 'balanced columns'];

/** The pages, and each word with its box on its page. */
const wordsOf = (pdf: Buffer): string =>
  execFileSync('pdftotext', ['-bbox', '-', '-'], { input: pdf, encoding: 'utf8', maxBuffer: 2 ** 28 })
    .split('\n')
    .filter((line) => /^\s*<(?:page|word)/.test(line))
    .join('\n');

type Make = (place: () => string) => Layout;

/** A layout as documents with a text at each place. */
function documentsOf(make: Make): { places: number; document: (texts: readonly string[]) => Buffer } {
  const build = (texts: readonly string[]) => {
    let places = 0;
    const layout = make(() => `<w:r><w:t xml:space="preserve">${texts[places++] ?? ''}</w:t></w:r>`);
    return { places, layout };
  };
  return { places: build([]).places, document: (texts) => layoutDocument(build(texts).layout) };
}

/** Fills the form of a layout for each row of word counts. Returns how many rows need a document of their own. */
async function compareRows(make: Make, counts: readonly (readonly number[])[]): Promise<number> {
  const { places, document } = documentsOf(make);
  const bytes = document(Array.from({ length: places }, (_, at) => placeText(at)));
  await requireSuitableForm(bytes);
  const form = { bytes, around: [] };
  const rows = engine.openRows();
  let refused = 0;
  for (const row of counts) {
    const texts = Array.from({ length: places }, (_, at) => words(row[at % row.length] ?? 1, 'text'));
    const plain = await run(engine, document(texts));
    const filled = await rows?.fill(form, { gone: [], texts }, REQUEST, once()).catch((error) => {
      expect(error).toMatchObject({
        kind: expect.stringMatching(/^un(?:readable|supported)$/),
        message: expect.stringMatching(REFUSAL),
      });
    });
    if (filled === undefined) refused++;
    else expect([filled.pages, wordsOf(filled.bytes)]).toEqual([plain.pages, wordsOf(plain.bytes)]);
  }
  await rows?.close();
  return refused;
}

describe('a filled form has the pages and the words at the places of a document that is loaded', () => {
  test.each(few(Object.entries(LAYOUTS), 3, 5))('with %s', async (name, make) => {
    if (COLUMNS.includes(name)) {
      const form = layoutDocument(make(() => `<w:r><w:t>${placeText(0)}</w:t></w:r>`));
      await expect(requireSuitableForm(form)).rejects.toMatchObject({ kind: 'unsupported' });
      return;
    }
    for (const order of ORDERS) {
      // Each third one: the places of a row have different texts anyway.
      const counts = order
        .map((_, at) => [...order.slice(at), ...order.slice(0, at)])
        .filter((_, at) => at % 3 === 0);
      const refused = await compareRows(make, counts);
      if (SHAPES.test(name)) expect(refused).toBe(counts.length);
      else if (!name.includes('heading row')) expect(refused).toBe(0);
    }
  });

  test.each(
    few(
      Array.from({ length: 3 }, (_, seed) => seed + 1),
      1,
      1,
    ),
  )('with layouts one after another: %i', async (seed) => {
    const random = randomFrom(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const layouts = Object.entries(LAYOUTS).filter(([name]) => !COLUMNS.includes(name));
    const picked = Array.from({ length: 3 }, () => pick(layouts)[1]);
    const make: Make = (place) => {
      const made = picked.map((own) => own(place));
      const last = made.at(-1) ?? { body: '' };
      return { ...last, body: made.map(({ body }) => body).join('') };
    };
    const counts = Array.from({ length: 4 }, () =>
      Array.from({ length: 12 }, () => pick([1, 2, 12, 30, 90, 200])),
    );
    await compareRows(make, counts);
  });
});
