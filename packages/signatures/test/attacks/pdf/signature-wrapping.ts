import { Ref } from '@scriptorium/pdf/read';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { AttackClass } from '../attack.ts';
import type { Lab } from '../lab.ts';
import { lastSignature, lastStartxref, overwritten, replaced, shownText, updated } from './edit.ts';
import { type OddSigning, signedOddly } from './odd-signing.ts';

const FORGED = 'Ada owes Bob the moon';
const CONTENT = 4;

interface Wrapping {
  /** Other keys of the dictionary between the value and the rest, given the range that would now be correct. */
  inGap(range: readonly number[]): string;
}

/** Keys of a signature dictionary rewritten in the gap, so that the second part can move. */
async function wrapped(lab: Lab, { inGap }: Wrapping): Promise<Buffer> {
  const pdf = await lab.sign(plainPdf());
  const { byteRange, contents } = lastSignature(pdf);
  const [, length, second] = byteRange;
  const xrefAt = lastStartxref(pdf);
  const part2 = pdf.subarray(second);
  const between = pdf.toString('latin1', second, xrefAt);
  const content = `${CONTENT} 0 obj\n${shownText(FORGED)}\nendobj\n`;
  const table = pdf.toString('latin1', xrefAt, pdf.indexOf('trailer', xrefAt));
  const trailer = pdf.toString('latin1', pdf.indexOf('trailer', xrefAt), pdf.indexOf('startxref', xrefAt));
  const fill = (at: number) => `${String(at).padStart(10, '0')} 00000 n\r\n`;
  const head = `${table}${CONTENT} 1\n${fill(0)}${trailer}`;
  const contentAt = xrefAt + head.length;
  const moved = contentAt + content.length;
  const range = [0, length, moved, part2.length];
  // The zeros after the CMS make room; everything else in the gap stays in place.
  const value = pdf.toString('latin1', contents.start, contents.end);
  const extra = inGap(range);
  const short = `${value.slice(0, value.length - 1 - extra.length)}>${extra}`;
  const gap = `${short.slice(short.indexOf('<'))}${between}${table}${CONTENT} 1\n${fill(contentAt)}${trailer}${content}`;
  return Buffer.concat([pdf.subarray(0, length), Buffer.from(gap, 'latin1'), part2]);
}

const odd = (lab: Lab, odd: OddSigning): Promise<Buffer> => signedOddly(lab, plainPdf(), odd);

const rangeKey = (range: readonly number[]): string => `/ByteRange [${range.join(' ')}]`;

export const signatureWrapping: AttackClass = {
  name: 'Signature wrapping',
  source: 'Mladenov et al., 1 Trillion Dollar Refund, CCS 2019, 5.3',
  attacks: [
    {
      name: 'the second part is moved, and a second byte range in the gap names its position',
      codes: ['DUPLICATE_KEY'],
      shows: FORGED,
      make: (lab) => wrapped(lab, { inGap: rangeKey }),
    },
    {
      name: 'the second part is moved, and a second byte range hides behind a comment',
      codes: ['DUPLICATE_KEY', 'BYTE_RANGE_GAP'],
      make: (lab) => wrapped(lab, { inGap: (range) => `%\r${rangeKey(range)}` }),
    },
    {
      name: 'the second part is moved, and the byte range in the gap is spelled with an escape',
      codes: ['DUPLICATE_KEY'],
      shows: FORGED,
      make: (lab) => wrapped(lab, { inGap: (range) => `/Byte#52ange [${range.join(' ')}]` }),
    },
    {
      name: 'the second part is moved, but the byte range is unchanged',
      codes: ['BYTE_RANGE_INVALID', 'BYTE_RANGE_GAP', 'COVERAGE_PARTIAL', 'DIGEST_MISMATCH'],
      shows: FORGED,
      make: (lab) => wrapped(lab, { inGap: () => '' }),
    },
    {
      name: 'the gap contains a second signature value',
      codes: ['DUPLICATE_KEY', 'BYTE_RANGE_GAP'],
      async make(lab) {
        const pdf = await odd(lab, { range: (right) => [...right] });
        const { contents } = lastSignature(pdf);
        const second = '/Contents <3000>';
        return overwritten(pdf, { start: contents.end - second.length - 1, end: contents.end }, `>${second}`);
      },
    },
    {
      name: 'the gap also contains the reason, which was replaced',
      codes: ['BYTE_RANGE_GAP'],
      async make(lab) {
        const pdf = await odd(lab, { range: ([a, b, c, d]) => [a, b, c + 100, d - 100] });
        return replaced(pdf, '/Reason(As agreed)', '/Reason(Disagreed)');
      },
    },
    {
      name: 'the byte range also excludes itself',
      codes: ['BYTE_RANGE_GAP'],
      make: (lab) => odd(lab, { range: ([a, b, c, d]) => [a, b - 60, c, d] }),
    },
    {
      name: 'the byte range includes the brackets of the value',
      codes: ['BYTE_RANGE_GAP'],
      make: (lab) => odd(lab, { range: ([a, b, c, d]) => [a, b + 1, c - 1, d + 1] }),
    },
    {
      name: 'the byte range excludes the header',
      codes: ['BYTE_RANGE_INVALID'],
      make: (lab) => odd(lab, { range: ([, b, c, d]) => [9, b - 9, c, d] }),
    },
    {
      name: 'the byte range excludes the last bytes of the file',
      codes: ['COVERAGE_PARTIAL'],
      make: (lab) => odd(lab, { range: ([a, b, c, d]) => [a, b, c, d - 40] }),
    },
    {
      name: 'the byte range covers only the signature',
      codes: ['BYTE_RANGE_INVALID', 'COVERAGE_PARTIAL'],
      make: (lab) => odd(lab, { range: ([, b, c]) => [b - 10, 10, c, 10] }),
    },
    {
      name: 'the byte range ends before a later update that shows another text',
      codes: ['COVERAGE_PARTIAL', 'MODIFICATION_FORBIDDEN'],
      shows: FORGED,
      make: async (lab) =>
        updated(await odd(lab, { range: ([a, b, c, d]) => [a, b, c, d - 6] }), (update) =>
          update.replace(new Ref(CONTENT, 0), shownText(FORGED)),
        ),
    },
    {
      name: 'the gap begins two bytes too early and ends two bytes too early',
      codes: ['BYTE_RANGE_GAP'],
      make: (lab) => odd(lab, { range: ([a, b, c, d]) => [a, b - 2, c - 2, d + 2] }),
    },
  ],
};
