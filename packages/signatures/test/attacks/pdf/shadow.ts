import { Ref } from '@scriptorium/pdf/read';
import { streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { AttackClass } from '../attack.ts';
import { coveredPdf, drawnFontPdf, lookedPdf, NUM, textLook, twofacedPdf, whiteLook } from './documents.ts';
import { changeCatalog, changeObject, lastStartxref, numMaxOf, shownText, tableOf, updated } from './edit.ts';

const HIDDEN = 'Ada owes Bob the moon';
const ref = (num: number) => new Ref(num, 0);
const FORBIDDEN = ['MODIFICATION_FORBIDDEN'] as const;

/** A file with a table and a trailer behind it by hand: no object is added. */
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
      name: 'what covered a text is replaced by nothing',
      codes: FORBIDDEN,
      shows: HIDDEN,
      make: async (lab) =>
        updated(await lab.sign(coveredPdf()), (update) => update.replace(ref(6), whiteLook(0, 0))),
    },
    {
      name: 'what covered a text is set free',
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
      name: 'what covered a text is made transparent by its resources',
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
      name: 'a form field looks like another text than its value, over a document that permits no changes',
      codes: FORBIDDEN,
      shows: 'Mallory',
      make: async (lab) =>
        updated(await lab.sign(lookedPdf(), { certify: 'noChanges' }), (update) =>
          update.replace(ref(8), textLook('Mallory', 150, 20)),
        ),
    },
    {
      name: 'a form field shows a text that is not its value, where fields may be filled in',
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
      name: 'the look of a form field reaches beyond its place',
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
      name: 'a trailer alone leads to a second document that was hidden in the signed bytes',
      codes: [...FORBIDDEN, 'SIGNATURE_UNLISTED', 'SIGNATURE_REPLACED'],
      shows: HIDDEN,
      make: async (lab) => withTrailer(await lab.sign(twofacedPdf()), [], 6),
    },
    {
      name: 'a table alone lets the page show a content that was hidden in the signed bytes',
      codes: [...FORBIDDEN, 'STRUCTURE_BROKEN'],
      async make(lab) {
        const pdf = await lab.sign(twofacedPdf());
        return withTrailer(pdf, [{ num: 4, offset: offsetOf(pdf, 9) }], 1);
      },
    },
    {
      name: 'a table alone leads to an older content of the same number',
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
      name: 'the catalog is replaced by one that leads to a hidden page tree',
      codes: FORBIDDEN,
      modification: 'PAGE_TREE',
      shows: HIDDEN,
      make: async (lab) =>
        updated(await lab.sign(twofacedPdf()), (update) => changeCatalog(update, { Pages: '7 0 R' })),
    },
  ],
};
