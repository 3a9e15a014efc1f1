import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unlessMalformed } from '@scriptorium/pdf/error';
import { isNightly, isWhole } from '@scriptorium/testing/extent';
import { classicPdf, streamBody, xrefStreamPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';
import { readPdfEvidence } from '../../src/pades/pdf-evidence.ts';
import { type Lab, openLab } from '../attacks/lab.ts';
import { addAnnotation, updated } from '../attacks/pdf/edit.ts';
import { Choices } from '../pdf-changes/random.ts';

const COUNT = isNightly ? 600 : isWhole ? 20 : 8;

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

/** What readers may take for something else than the standard says. */
const PIECES = [
  ...[
    ' ',
    '\n',
    '\r',
    '\t',
    '\0',
    '\f',
    '\v',
    '\x80',
    '\xa0',
    '\xff',
    '%x\n',
    '0',
    '1',
    '9',
    '+',
    '-',
    '.',
    '(',
  ],
  ...[
    ')',
    '<<',
    '>>',
    '[',
    ']',
    '/',
    ' 0 R',
    'obj',
    'endobj',
    'null',
    'xref\n',
    'trailer\n',
    'stream\n',
    'endstream',
  ],
];
/** The structure of an update: heads and ends of objects, lengths, and all after the last object. */
const STRUCTURE = /\d+ 0 obj\n|\nendobj\n|stream\n|\nendstream|\/Length \d+|(?:xref|\/Size)[\s\S]*$/g;

interface Seen {
  poppler: string;
  mupdf: string;
  complaints: string;
}

/** The first page as Poppler and MuPDF show it, and whether they had to repair the file. */
const seenBy = (pdf: Buffer): Promise<Seen> =>
  withFiles([pdf], '.pdf', async ([path = ''], folder) => {
    const [poppler, mupdf] = [`${folder}/poppler`, `${folder}/mupdf.pgm`];
    const outcomes = [
      await outcomeOf('pdftoppm', ['-r', '50', '-gray', '-singlefile', path, poppler]),
      await outcomeOf('mutool', ['draw', '-r', '50', '-F', 'pgm', '-o', mupdf, path, '1']),
    ];
    const complaint = /.*(?:reconstruct|repair|xref|trailer|Length|endstream).*/gi;
    const picture = async (file: string) => (await readFile(file)).toString('base64');
    return {
      poppler: await picture(`${poppler}.pgm`),
      mupdf: await picture(mupdf),
      complaints: outcomes.flatMap(({ text }) => text.match(complaint) ?? []).join('\n'),
    };
  });

/** Inserts, overwrites or removes something in the structure of what follows the signed bytes. */
function mutated(pdf: Buffer, signed: number, choices: Choices): Buffer {
  const places = [...pdf.toString('latin1', signed).matchAll(STRUCTURE)];
  const { index, 0: text } = choices.of(places);
  const at = signed + index + choices.upTo(text.length);
  const piece = Buffer.from(choices.upTo(3) === 0 ? '' : choices.of(PIECES), 'latin1');
  const cut = choices.of([0, piece.length, 1 + choices.upTo(3)]);
  return Buffer.concat([pdf.subarray(0, at), piece, pdf.subarray(at + cut)]);
}

/** Whether nothing but the certificates and PDFium could make the signature less than valid. */
function isSound(pdf: Buffer): boolean {
  const [signature] = unlessMalformed(() => readPdfEvidence(pdf))?.signatures ?? [];
  if (signature === undefined || signature.faults.length > 0) return false;
  return signature.modifications.every(({ level }) => level === 'permitted');
}

describe.each([
  ['table', classicPdf],
  ['stream', xrefStreamPdf],
])('an update with a damaged cross-reference %s', (_, make) => {
  test('is not valid, or shows the same in readers that repair files', async () => {
    const signed = await lab.sign(make(onePage()));
    const noted = updated(signed, (update) => {
      const look = update.add(streamBody('/Subtype/Form/BBox[0 0 20 20]', Buffer.from('0 0 9 9 re f')));
      addAnnotation(update, `/Subtype/Text/Contents(Read)/Rect[10 10 30 30]/F 4/AP<</N ${look}>>`);
    });
    const honest = await seenBy(noted);
    expect(honest.complaints).toBe('');
    const choices = new Choices(1);
    let valid = 0;
    for (let count = 0; count < COUNT; count++) {
      const pdf = mutated(noted, signed.length, choices);
      if (!isSound(pdf)) continue;
      valid++;
      const what = pdf.toString('latin1', signed.length);
      expect({ what, ...(await seenBy(pdf)) }).toEqual({ what, ...honest });
    }
    // Otherwise nothing was tried.
    if (isWhole) expect(valid).toBeGreaterThan(0);
  });
});
