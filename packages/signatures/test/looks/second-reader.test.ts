import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type {
  ComparedRevisions,
  ComparisonRequest,
  ComparisonResult,
} from '@scriptorium/rendering/compare-revisions';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { judged } from '../attacks/judged.ts';
import { type Lab, openLab } from '../attacks/lab.ts';
import { addAnnotation, updated } from '../attacks/pdf/edit.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const asked: ComparisonRequest[] = [];
beforeEach(() => {
  asked.length = 0;
});

/** A second reader that finds the same in each comparison. Poppler is tested with the verifier. */
const finding = (found: ComparisonResult | string, pages = 1) => ({
  name: 'Poppler',
  async compare(request: ComparisonRequest): Promise<ComparedRevisions | string> {
    asked.push(request);
    if (typeof found === 'string') return found;
    const readings = [{ end: request.bytes.length, pages, signatures: [] }];
    const comparisons = request.comparisons.map(() => found);
    const pictures = request.pictures.map(() => ({
      png: Buffer.of(1),
      width: 1,
      height: 1,
      differences: [],
    }));
    return { readings, comparisons, pictures, isSpent: false };
  },
});
const SAME = finding({ differences: [] });

/** An update for each annotation. */
const noted = async (...keys: string[]) => {
  const add = (pdf: Buffer, each: string) => updated(pdf, (update) => void addAnnotation(update, each));
  return keys.reduce(add, await lab.sign(plainPdf()));
};
const ASIDE = '/Subtype/Link/F 4/Rect[10 10 20 20]/Border[0 0 0]/A<</S/GoTo/D[0/Fit]>>';
const reasonOf = async (pdf: Buffer, secondReader = SAME) => {
  const { verdict, reason } = await judged(lab, pdf, 'embedded', { secondReader });
  return verdict === 'valid' ? verdict : `${verdict}: ${reason}`;
};

describe('the second reader is asked', () => {
  test('for pages that look the same in the first one', async () => {
    expect(await reasonOf(await noted(ASIDE))).toBe('valid');
    expect(asked.map(({ comparisons }) => comparisons.map(({ pages }) => pages.length))).toEqual([[1]]);
  });

  test('with numbers that do not count pop-ups of comments, and without unsure areas', async () => {
    const popup = '/Subtype/Popup/F 4/Rect[10 10 20 20]/Parent 4 0 R';
    await reasonOf(await noted(popup, ASIDE));
    // The first annotation is the signature.
    expect(asked[0]?.comparisons[0]?.pages).toEqual([
      { page: 0, fields: [], annotations: [], added: [1], unsure: [], isPrintedToo: false },
    ]);
  });

  test('for every page after any update', async () => {
    const stamped = await lab.sign(await lab.sign(plainPdf()), { by: lab.bob });
    expect(await reasonOf(stamped)).toBe('valid');
    expect(asked.map(({ comparisons }) => comparisons)).toMatchObject([[{ pages: [], everyPageBut: [] }]]);
  });

  test('for nothing if there is no update, or a doubt already', async () => {
    expect(await reasonOf(await lab.sign(plainPdf()))).toBe('valid');
    const white = '/Subtype/Ink/F 4/Rect[10 10 20 20]/InkList[[45 505 120 505]]/C[1 1 1]/BS<</W 14>>';
    expect(await reasonOf(await noted(white))).toMatch(/^indeterminate/);
    expect(asked.length).toBe(0);
  });
});

describe('the document is in doubt if the second reader', () => {
  const differences = [{ page: 0, regions: [{ x: 5, y: 6, width: 7, height: 8 }] }];
  test.each<[string, Parameters<typeof finding>, string]>([
    [
      'finds another look',
      [{ differences }],
      'Readers disagree: in Poppler, page 1 does not look as it was signed, at 5 × 6 points from its upper left corner.',
    ],
    [
      'finds another number of pages',
      [{ differences: [] }, 2],
      'Readers disagree: Poppler finds 2 pages, where we find 1.',
    ],
    [
      'cannot read it',
      [{ differences: [], failure: { code: 'UNREADABLE', message: 'Poppler cannot read page 1.' } }],
      'Readers disagree: Poppler cannot read page 1.',
    ],
    [
      'fails on it',
      [{ differences: [], failure: { code: 'FAILED', message: 'Poppler failed on the document.' } }],
      'Not all pages were compared with the signed ones in Poppler. Poppler failed on the document.',
    ],
    [
      'is stopped',
      ['rendering was stopped'],
      'Not all pages were compared with the signed ones in Poppler: rendering was stopped.',
    ],
  ])('%s', async (_, found, reason) => {
    expect(await reasonOf(await noted(ASIDE), finding(...found))).toBe(`indeterminate: ${reason}`);
  });
});

test('pictures show a page on which the readers disagree by each of them', async () => {
  const differences = [{ page: 0, regions: [] }];
  const source = await noted(ASIDE);
  const { pictures } = await judged(lab, source, 'embedded', {
    secondReader: finding({ differences }),
    pictures: true,
  });
  expect(pictures?.map(({ revision, page, reader }) => `${reader} ${page} ${revision}`)).toEqual([
    ...['PDFium 1 2', 'PDFium 1 3', 'Poppler 1 2', 'Poppler 1 3'],
    // What updates touched follows.
    ...['PDFium 1 2', 'PDFium 1 3'],
  ]);
});
