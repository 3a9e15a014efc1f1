import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { placeText } from '@scriptorium/contracts/jobs/rows';
import { few } from '@scriptorium/testing/extent';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import type { RowMaker } from '../../../src/engines/engine.ts';
import { LibreOfficeKitEngine } from '../../../src/engines/kit/libreofficekit.ts';
import { pagesOf, textOf } from '../../rigs/pdf-text.ts';
import { descendants } from '../../rigs/processes.ts';
import { randomForm } from '../../rigs/random-forms.ts';
import { run, slowDocument } from '../engine.suite.ts';

const engine = new LibreOfficeKitEngine({ zygotes: 1 });
beforeAll(() => engine.start());
afterAll(() => engine.close());

const REQUEST = { from: 'docx', to: 'pdf' } as const;
const once = () => ({ timeoutMs: 150_000, signal: new AbortController().signal });

/** The pixels of all pages. */
const picturesOf = (pdf: Buffer): Buffer =>
  execFileSync('pdftoppm', ['-r', '60', '-gray', '-'], { input: pdf, maxBuffer: 2 ** 30 });

function openRows(): RowMaker {
  const rows = engine.openRows();
  if (rows === undefined) throw new Error('the engine makes no rows');
  return rows;
}

const formOf = (bytes: Buffer) => ({ bytes, around: [] });
const textsOnly = (texts: string[]) => ({ gone: [], texts });

/** Runs a test with a maker of rows, and closes it. */
async function withRows(work: (rows: RowMaker) => Promise<void>): Promise<void> {
  const rows = openRows();
  try {
    await work(rows);
  } finally {
    await rows.close();
  }
}

describe('a form that is filled again and again', () => {
  test.each(
    few(
      Array.from({ length: 3 }, (_, seed) => seed + 1),
      1,
      1,
    ),
  )('gives the same documents as loading each: form %i', async (seed) => {
    const { places, document, texts } = randomForm(seed);
    const form = formOf(document(Array.from({ length: places }, (_, place) => placeText(place))));
    await withRows(async (rows) => {
      for (let row = 0; row < 5; row++) {
        const values = texts();
        const plain = await run(engine, document(values));
        const fast = await rows.fill(form, textsOnly(values), REQUEST, once());
        expect(textOf(fast.bytes)).toBe(textOf(plain.bytes));
        expect(picturesOf(fast.bytes).equals(picturesOf(plain.bytes))).toBe(true);
        expect([fast.pages, fast.missingFonts]).toEqual([plain.pages, plain.missingFonts]);
      }
    });
  });

  test('serves twenty rows in one process', async () => {
    const form = formOf(docxWith([`Dear ${placeText(0)},`, placeText(1)]));
    await withRows(async (rows) => {
      const processes = new Set<number>();
      for (let row = 0; row < 20; row++) {
        const { bytes } = await rows.fill(
          form,
          textsOnly([`Ada ${row}`, 'x'.repeat(row + 1)]),
          REQUEST,
          once(),
        );
        expect(textOf(bytes)).toBe(`Dear Ada ${row}, ${'x'.repeat(row + 1)}`);
        const owner = descendants().find(
          ({ cwd }) => /\/job-\d+$/.test(cwd) && readdirSync(cwd).some((file) => file.startsWith('form-')),
        );
        if (owner !== undefined) processes.add(owner.pid);
      }
      expect(processes.size).toBe(1);
    });
  });

  test('grows and shrinks by pages, which fields count', async () => {
    const form = formOf(docxWith([placeText(0), 'end']));
    const long = Array.from({ length: 2_000 }, (_, word) => `word${word}`).join(' ');
    await withRows(async (rows) => {
      for (const text of ['short', long, 'short again', long]) {
        const fast = await rows.fill(form, textsOnly([text]), REQUEST, once());
        const plain = await run(engine, docxWith([text, 'end']));
        expect([fast.pages, pagesOf(fast.bytes)]).toEqual([plain.pages, plain.pages]);
        expect(picturesOf(fast.bytes).equals(picturesOf(plain.bytes))).toBe(true);
      }
    });
  });

  test.each(['שלום', 'ไทย', 'e\u0301', '👩‍👩‍👧', '\ufff9', '\ud800', 'two\tcolumns', '\u202eabc'])(
    'does not take the text %j',
    async (text) => {
      await withRows(async (rows) => {
        const filling = rows.fill(formOf(docxWith([placeText(0)])), textsOnly([text]), REQUEST, once());
        await expect(filling).rejects.toMatchObject({ kind: 'unsupported' });
      });
    },
  );

  test('is refused if it lacks a place, or has one without a text', async () => {
    for (const paragraphs of [[placeText(0)], [placeText(0), placeText(1), placeText(2)]])
      await withRows(async (rows) => {
        const filling = rows.fill(formOf(docxWith(paragraphs)), textsOnly(['a', 'b']), REQUEST, once());
        await expect(filling).rejects.toMatchObject({ kind: 'unreadable' });
      });
  });
});

describe('documents in one process', () => {
  test('are the same as those in a process each', async () => {
    const { document, texts } = randomForm(77);
    await withRows(async (rows) => {
      for (let row = 0; row < 4; row++) {
        const source = document(texts());
        const [packed, single] = [await rows.convert(source, REQUEST, once()), await run(engine, source)];
        expect(picturesOf(packed.bytes).equals(picturesOf(single.bytes))).toBe(true);
        expect(packed.missingFonts).toEqual(single.missingFonts);
      }
    });
  });

  test('go on in another process after one that hangs', async () => {
    await withRows(async (rows) => {
      await rows.convert(docxWith(['before']), REQUEST, once());
      const slow = rows.convert(slowDocument, REQUEST, { ...once(), timeoutMs: 500 });
      await expect(slow).rejects.toMatchObject({ kind: 'timeout' });
      expect(textOf((await rows.convert(docxWith(['after']), REQUEST, once())).bytes)).toBe('after');
    });
  });

  test('let a single conversion go before a row that waits', async () => {
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    const rows = [openRows(), openRows()];
    const all = rows.map((maker) => maker.convert(docxWith(['row']), REQUEST, once()).then(note('row')));
    all.push(run(engine, docxWith(['single'])).then(note('single')));
    await Promise.all(all);
    expect(order).toHaveLength(3);
    expect(order.at(-1)).toBe('row');
    await Promise.all(rows.map((maker) => maker.close()));
  });
});

test('a row does not hold the slot of the engine from a single document', async () => {
  await withRows(async (rows) => {
    const caller = new AbortController();
    const row = rows.convert(slowDocument, REQUEST, { timeoutMs: 60_000, signal: caller.signal });
    const ended = row.then(
      () => 'made',
      (error) => error.kind,
    );
    const { bytes } = await run(engine, docxWith(['beside a row']));
    expect(textOf(bytes)).toBe('beside a row');
    caller.abort();
    expect(await ended).toBe('aborted');
  });
});
