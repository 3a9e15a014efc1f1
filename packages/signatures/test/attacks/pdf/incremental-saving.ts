import { Ref } from '@scriptorium/pdf/read';
import { formPdf, packedPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { Attack, AttackClass } from '../attack.ts';
import type { Lab } from '../lab.ts';
import { lastSignature, lastStartxref, numMaxOf, shownText, tableOf, updated, written } from './edit.ts';

const FORGED = 'Ada owes Bob the moon';
const CONTENT = new Ref(4, 0);

const STRUCTURE = ['STRUCTURE_BROKEN', 'COVERAGE_PARTIAL', 'MODIFICATION_FORBIDDEN'] as const;

/** Adds new page content and a manually written end of the file. */
const byHand =
  (rest: (place: { offset: number; start: number; size: number; pdf: Buffer }) => string) =>
  async (lab: Lab): Promise<Buffer> => {
    const pdf = await lab.sign(plainPdf());
    const { text, offsets } = written([{ num: 4, body: shownText(FORGED) }], pdf.length);
    const offset = offsets[0] ?? 0;
    const tail = rest({ offset, start: pdf.length + text.length, size: numMaxOf(pdf) + 1, pdf });
    return Buffer.concat([pdf, Buffer.from(text + tail, 'latin1')]);
  };

const trailer = (size: number, prev: number, more = ''): string =>
  `trailer\n<</Size ${size}/Root 1 0 R/Prev ${prev}${more}>>\n`;
const end = (startxref: number | string): string => `startxref\n${startxref}\n%%EOF\n`;

const wellFormed = (name: string, make: () => Buffer): Attack => ({
  name,
  codes: ['MODIFICATION_FORBIDDEN'],
  modification: 'PAGE_CONTENT',
  shows: FORGED,
  make: async (lab) =>
    updated(await lab.sign(make()), (update) => update.replace(CONTENT, shownText(FORGED))),
});

/** Returns the signature dictionary unchanged as object 90, with the page's new content around it. */
const withCopy = async (lab: Lab, isComment: boolean): Promise<Buffer> => {
  const pdf = await lab.sign(formPdf(), { field: 'Signature' });
  const { range, contents } = lastSignature(pdf);
  const at = pdf.lastIndexOf(' 0 obj', range.start);
  const num = Number(/\d+$/.exec(pdf.toString('latin1', at - 8, at))?.[0]);
  const dictEnd = pdf.indexOf('endobj', contents.end);
  const copy = pdf.toString('latin1', at + ' 0 obj\n'.length, dictEnd).trim();
  const [head = '', tail = ''] = [copy.slice(0, copy.indexOf('>') + 1), copy.slice(copy.indexOf('>') + 1)];
  const body = isComment ? `${head}%\n${tail}` : copy;
  const pieces = [
    { num: 4, body: shownText(FORGED) },
    { num, body },
  ];
  const { text, offsets } = written(pieces, pdf.length);
  const start = pdf.length + text.length;
  const entries = pieces.map((piece, index) => ({ num: piece.num, offset: offsets[index] ?? 0 }));
  const rest = `${tableOf(entries)}${trailer(numMaxOf(pdf) + 1, lastStartxref(pdf))}${end(start)}`;
  return Buffer.concat([pdf, Buffer.from(text + rest, 'latin1')]);
};

export const incrementalSaving: AttackClass = {
  name: 'Incremental saving',
  source: 'Mladenov et al., 1 Trillion Dollar Refund, CCS 2019, 5.2',
  attacks: [
    wellFormed('a later update shows another text, in a file with a table', plainPdf),
    wellFormed('a later update shows another text, in a file with a cross-reference stream', packedPdf),
    {
      name: 'an update without cross-reference table and trailer shows another text',
      codes: STRUCTURE,
      make: byHand(() => ''),
    },
    {
      name: 'an update without cross-reference table shows another text',
      codes: STRUCTURE,
      make: byHand(({ size, pdf }) => `${trailer(size, lastStartxref(pdf))}${end(lastStartxref(pdf))}`),
    },
    {
      name: 'an update without a trailer shows another text',
      codes: STRUCTURE,
      make: byHand(({ offset, start }) => `${tableOf([{ num: 4, offset }])}${end(start)}`),
    },
    {
      name: 'an update names the old cross-reference table as the newest',
      codes: STRUCTURE,
      make: byHand(
        ({ offset, size, pdf }) =>
          `${tableOf([{ num: 4, offset }])}${trailer(size, lastStartxref(pdf))}${end(lastStartxref(pdf))}`,
      ),
    },
    {
      name: 'an update does not name the offset of its cross-reference table',
      codes: STRUCTURE,
      make: byHand(
        ({ offset, size, pdf }) =>
          `${tableOf([{ num: 4, offset }])}${trailer(size, lastStartxref(pdf))}${end(0)}`,
      ),
    },
    {
      name: 'an update has no %%EOF',
      codes: STRUCTURE,
      make: byHand(
        ({ offset, start, size, pdf }) =>
          `${tableOf([{ num: 4, offset }])}${trailer(size, lastStartxref(pdf))}startxref\n${start}\n`,
      ),
    },
    {
      name: 'an update hides in a comment for readers with other line ends',
      codes: STRUCTURE,
      make: byHand(
        ({ offset, start, size, pdf }) =>
          `%\r${tableOf([{ num: 4, offset }])}${trailer(size, lastStartxref(pdf))}${end(start + 2)}`,
      ),
    },
    {
      name: 'an update skips the signed revision, and the signature disappears',
      codes: ['SIGNATURE_UNLISTED', 'SIGNATURE_REPLACED', 'MODIFICATION_FORBIDDEN', 'STRUCTURE_BROKEN'],
      make: byHand(({ offset, start, size, pdf }) => {
        const first = Number(/startxref\s+(\d+)/.exec(pdf.toString('latin1'))?.[1]);
        return `${tableOf([{ num: 4, offset }])}${trailer(size, first)}${end(start)}`;
      }),
    },
    {
      name: 'an update refers to a newer one before it',
      codes: STRUCTURE,
      make: byHand(
        ({ offset, start, size }) =>
          `${tableOf([{ num: 4, offset }])}${trailer(size, start + 10_000)}${end(start)}`,
      ),
    },
    {
      name: 'an update has a copy of the signature',
      codes: ['BYTE_RANGE_GAP', 'SIGNATURE_REPLACED', 'MODIFICATION_FORBIDDEN'],
      shows: FORGED,
      make: (lab) => withCopy(lab, false),
    },
    {
      name: 'an update has a copy of the signature, and a comment within it',
      codes: ['BYTE_RANGE_GAP', 'SIGNATURE_REPLACED', 'MODIFICATION_FORBIDDEN'],
      shows: FORGED,
      make: (lab) => withCopy(lab, true),
    },
    {
      name: 'a copy of the whole update follows, with another text',
      codes: STRUCTURE,
      async make(lab) {
        const original = plainPdf();
        const pdf = await lab.sign(original);
        const again = pdf.subarray(original.length).toString('latin1').replace('/Name', '/Nome');
        return Buffer.concat([pdf, Buffer.from(again, 'latin1')]);
      },
    },
  ],
};
