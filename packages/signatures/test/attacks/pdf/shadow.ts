import { Ref } from '@scriptorium/pdf/read';
import { streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { AttackClass } from '../attack.ts';
import { coveredPdf, drawnFontPdf, lookedPdf, NUM, textLook, twofacedPdf, whiteLook } from './documents.ts';
import { changeCatalog, changeObject, lastStartxref, numMaxOf, shownText, tableOf, updated } from './edit.ts';

const HIDDEN = 'Ada owes Bob the moon';
const ref = (num: number) => new Ref(num, 0);
const FORBIDDEN = ['MODIFICATION_FORBIDDEN'] as const;

/** Appends a manually written table and trailer without adding objects. */
function withTrailer(pdf: Buffer, entries: readonly { num: number; offset: number }[], root: number): Buffer {
  const trailer = `trailer\n<</Size ${numMaxOf(pdf) + 1}/Root ${root} 0 R/Prev ${lastStartxref(pdf)}>>\n`;
  const tail = `${tableOf(entries)}${trailer}startxref\n${pdf.length}\n%%EOF\n`;
  return Buffer.concat([pdf, Buffer.from(tail, 'latin1')]);
}

export const hide: AttackClass = {
  name: 'Shadow attack: hide',
  source: 'Mainka et al., Shadow Attacks, NDSS 2021, IV-A',
  attacks: [
    {
      name: 'the object that covered a text is removed',
      codes: FORBIDDEN,
      shows: HIDDEN,
      make: async (lab) =>
        updated(await lab.sign(coveredPdf()), (update) => update.replace(ref(6), whiteLook(0, 0))),
    },
    {
      name: 'the object that covered a text is freed',
      codes: [...FORBIDDEN, 'STRUCTURE_BROKEN'],
      shows: HIDDEN,
      async make(lab) {
        const pdf = await lab.sign(coveredPdf());
        const trailer = `trailer\n<</Size ${numMaxOf(pdf) + 1}/Root 1 0 R/Prev ${lastStartxref(pdf)}>>\n`;
        const table = 'xref\n0 1\n0000000006 65535 f\r\n6 1\n0000000000 00001 f\r\n';
        return Buffer.concat([
          pdf,
          Buffer.from(`${table}${trailer}startxref\n${pdf.length}\n%%EOF\n`, 'latin1'),
        ]);
      },
    },
    {
      name: 'the object that covered a text becomes transparent through its resources',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(coveredPdf()), (update) =>
          changeObject(update, ref(NUM.page), { Resources: '<</Font<</F1 5 0 R>>>>' }),
        ),
    },
  ],
};

export const replace: AttackClass = {
  name: 'Shadow attack: replace',
  source: 'Mainka et al., Shadow Attacks, NDSS 2021, IV-B',
  attacks: [
    {
      name: 'a font gets glyphs that show other digits',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(drawnFontPdf()), (update) =>
          update.replace(ref(7), streamBody('', Buffer.from('500 0 0 0 500 700 d1 0 0 500 700 re f'))),
        ),
    },
    {
      name: 'a font gets another encoding',
      codes: FORBIDDEN,
      shows: 'Bgreement',
      make: async (lab) =>
        updated(await lab.sign(plainPdf()), (update) =>
          changeObject(update, ref(NUM.font), { Encoding: '<</Type/Encoding/Differences[65/B]>>' }),
        ),
    },
    {
      name: 'a font is swapped for another',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(plainPdf()), (update) =>
          changeObject(update, ref(NUM.font), { BaseFont: '/ZapfDingbats' }),
        ),
    },
    {
      name: 'the appearance of a form field shows another text than its value, in a document that permits no changes',
      codes: FORBIDDEN,
      shows: 'Mallory',
      make: async (lab) =>
        updated(await lab.sign(lookedPdf(), { certify: 'noChanges' }), (update) =>
          update.replace(ref(8), textLook('Mallory', 150, 20)),
        ),
    },
    {
      name: 'a form field shows another text than its value, in a document that permits form filling',
      codes: FORBIDDEN,
      modification: 'FIELD_APPEARANCE',
      shows: 'Mallory',
      make: async (lab) =>
        updated(await lab.sign(lookedPdf(), { certify: 'formFilling' }), (update) =>
          update.replace(ref(8), textLook('Mallory', 150, 20)),
        ),
    },
    {
      name: 'a form field is moved over the text and filled in',
      codes: FORBIDDEN,
      modification: 'FIELD_CHANGED',
      shows: 'Disagreement',
      make: async (lab) =>
        updated(await lab.sign(lookedPdf(), { certify: 'formFilling' }), (update) => {
          changeObject(update, ref(NUM.name), { Rect: '[45 490 245 515]', V: '(Disagreement)' });
          update.replace(ref(8), textLook('Disagreement', 200, 25));
        }),
    },
    {
      name: 'the appearance of a form field extends beyond its rectangle',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(lookedPdf(), { certify: 'formFilling' }), (update) => {
          changeObject(update, ref(NUM.name), { V: '(Disagreement)', Rect: '[0 0 400 600]' });
          update.replace(ref(8), textLook('Disagreement', 400, 600));
        }),
    },
  ],
};

const offsetOf = (pdf: Buffer, num: number): number => pdf.indexOf(`\n${num} 0 obj`, 0, 'latin1') + 1;

export const hideAndReplace: AttackClass = {
  name: 'Shadow attack: hide and replace',
  source: 'Mainka et al., Shadow Attacks, NDSS 2021, IV-C',
  attacks: [
    {
      name: 'only a new trailer points to a second document hidden in the signed bytes',
      codes: [...FORBIDDEN, 'SIGNATURE_UNLISTED', 'SIGNATURE_REPLACED'],
      shows: HIDDEN,
      make: async (lab) => withTrailer(await lab.sign(twofacedPdf()), [], 6),
    },
    {
      name: 'only a new table points the page to content hidden in the signed bytes',
      codes: [...FORBIDDEN, 'STRUCTURE_BROKEN'],
      async make(lab) {
        const pdf = await lab.sign(twofacedPdf());
        return withTrailer(pdf, [{ num: 4, offset: offsetOf(pdf, 9) }], 1);
      },
    },
    {
      name: 'only a new table points to older content of the same number',
      codes: [...FORBIDDEN, 'STRUCTURE_BROKEN'],
      shows: HIDDEN,
      async make(lab) {
        const hidden = updated(plainPdf(), (update) => update.replace(ref(4), shownText(HIDDEN)));
        const honest = updated(hidden, (update) => update.replace(ref(4), shownText('Agreement')));
        const pdf = await lab.sign(honest);
        const first = pdf.indexOf(HIDDEN);
        return withTrailer(pdf, [{ num: 4, offset: pdf.lastIndexOf('4 0 obj', first) }], 1);
      },
    },
    {
      name: 'the catalog is replaced by one with a hidden page tree',
      codes: FORBIDDEN,
      modification: 'PAGE_TREE',
      shows: HIDDEN,
      make: async (lab) =>
        updated(await lab.sign(twofacedPdf()), (update) => changeCatalog(update, { Pages: '7 0 R' })),
    },
  ],
};
