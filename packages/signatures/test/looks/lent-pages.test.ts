import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ref } from '@scriptorium/pdf/read';
import { testInWhole } from '@scriptorium/testing/extent';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { judged } from '../attacks/judged.ts';
import { type Lab, openLab } from '../attacks/lab.ts';
import { twoPagesPdf } from '../attacks/pdf/documents.ts';
import { addAnnotation, changeObject, updated } from '../attacks/pdf/edit.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const CORNER = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text: 'Bob' };

describe('pages that did not change between two signatures are compared once', () => {
  const INK = '/Subtype/Ink/F 4/Rect[10 10 20 20]/InkList[[45 505 120 505]]/C[1 1 1]/BS<</W 14>>';
  const inked = (pdf: Buffer) => updated(pdf, (update) => void addAnnotation(update, INK));
  const annexNoted = (pdf: Buffer) =>
    updated(pdf, (update) => {
      const note = update.add('<</Type/Annot/Subtype/Text/F 4/Rect[350 10 360 20]>>');
      changeObject(update, new Ref(6, 0), { Annots: `[${note}]` });
    });
  const byBob = (pdf: Buffer) => lab.sign(pdf, { by: lab.bob });
  /** For each signature, whether it finds another look. */
  const found = async (pdf: Buffer) => {
    const { signatures } = await judged(lab, pdf);
    return signatures.map(({ reasons }) => reasons.some(({ code }) => code === 'CONTENT_LOOKS_DIFFERENT'));
  };

  test('each signature before a change finds it', async () => {
    const twice = await byBob(await lab.sign(twoPagesPdf()));
    expect(await found(inked(twice))).toEqual([true, true]);
  });

  test('a signature after a change does not', async () => {
    const inkedBefore = await byBob(inked(await lab.sign(twoPagesPdf())));
    expect(await found(annexNoted(inkedBefore))).toEqual([true, false]);
    const notedBefore = await byBob(annexNoted(await lab.sign(twoPagesPdf())));
    expect(await found(inked(notedBefore))).toEqual([true, true]);
  });

  testInWhole('so that each of 21 pages may have its own signature', async () => {
    const numbers = Array.from({ length: 21 }, (_, index) => index + 3);
    const all = ['<</Type/Catalog/Pages 2 0 R>>', '', ...numbers.map(() => '<</Type/Page/Parent 2 0 R>>')];
    const kids = numbers.map((num) => `${num} 0 R`).join(' ');
    all[1] = `<</Type/Pages/Kids[${kids}]/Count 21/MediaBox[0 0 400 600]>>`;
    let pdf: Buffer = classicPdf(all);
    for (const [index] of numbers.entries())
      pdf = await lab.sign(pdf, { appearance: { ...CORNER, page: index + 1 } });
    expect((await judged(lab, pdf, 'none')).verdict).toBe('valid');
  });
});
