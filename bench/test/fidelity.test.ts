import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SourceRouter } from '@scriptorium/converter/engines/kit/source-router';
import { besideOf, compareDocument } from '../fidelity/compare-document.ts';
import { distance } from '../fidelity/distance.ts';
import { rowsByFormat } from '../fidelity/fidelity-table.ts';
import { sameLines } from '../fidelity/same-lines.ts';

/* The document and the PDF that Office made of it are of developer0hye/office2pdf, Apache License 2.0. */

const folder = mkdtempSync(join(tmpdir(), 'fidelity-'));
const engine = new SourceRouter({ zygotes: 1 });
beforeAll(() => engine.start());
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const documentOf = (name: string): string => join(import.meta.dirname, 'beside-office', name);

test('lines are matched by the longest runs, in the order of both', () => {
  const lines = (text: string) => [...text].map((letter) => ({ page: 0, text: letter, words: [] }));
  expect(sameLines(lines('xabcyd'), lines('dabcxd'))).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
    [5, 5],
  ]);
});

test('a PDF has no distance from itself', () => {
  const pdf = besideOf(documentOf('offer-letter.docx'));
  const own = distance(pdf, pdf);
  expect(own).toMatchObject({ pages: 1, pagesOfOffice: 1, pixelsDiffering: 0, lostCharacters: 0 });
  expect(own.linesOfOffice).toBe(17);
  expect([own.sameLines, own.onSamePage]).toEqual([own.linesOfOffice, own.linesOfOffice]);
  expect(new Set(own.wordsMoved)).toEqual(new Set([0]));
});

test('a letter is as near to what Office made of it as it was', async () => {
  const compared = await compareDocument(engine, documentOf('offer-letter.docx'), join(folder, 'letter.pdf'));
  expect(rowsByFormat([compared])).toMatchObject([
    {
      'pages equal': '100.0 %',
      'lines the same': '100.0 %',
      'words moved, median pt': '0.3',
      'characters lost': '0',
    },
  ]);
});
