import { Ref } from '@scriptorium/pdf/read';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formPdf, onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { AttackClass } from '../attack.ts';
import { NUM } from './documents.ts';
import {
  changeCatalog,
  lastStartxref,
  numMaxOf,
  overwritten,
  shownText,
  tableOf,
  updated,
  written,
} from './edit.ts';
import { signedOddly } from './odd-signing.ts';

const FORGED = 'Ada owes Bob the moon';
const BROKEN = ['STRUCTURE_BROKEN', 'COVERAGE_PARTIAL', 'MODIFICATION_FORBIDDEN'] as const;

/** Appends a manual update with new page content and this trailer. */
function withUpdate(pdf: Buffer, trailer: (prev: number, size: number) => string): Buffer {
  const { text, offsets } = written([{ num: NUM.content, body: shownText(FORGED) }], pdf.length);
  const start = pdf.length + text.length;
  const table = tableOf([{ num: NUM.content, offset: offsets[0] ?? 0 }]);
  const tail = `${table}${trailer(lastStartxref(pdf), numMaxOf(pdf) + 1)}startxref\n${start}\n%%EOF\n`;
  return Buffer.concat([pdf, Buffer.from(text + tail, 'latin1')]);
}

/** A file that says of itself that it is linearized, and has this length. */
const linearized = (length: number) =>
  classicPdf(onePage('', `/Linearized 1/L ${String(length).padStart(9, '0')}/H[9 9]/O 3/E 9/N 1/T 9`));
const titled = (pdf: Buffer) =>
  updated(pdf, (update) => changeCatalog(update, { MarkInfo: '<</Marked true>>' }));

export const structure: AttackClass = {
  name: 'Files that readers interpret differently',
  source: 'Mladenov et al., 1 Trillion Dollar Refund, CCS 2019; ISO 32000-2, 7.3.7 and 7.5',
  attacks: [
    {
      name: 'the signature dictionary has two byte ranges, both signed',
      codes: ['DUPLICATE_KEY'],
      make: (lab) =>
        signedOddly(lab, plainPdf(), {
          reason: 'x'.repeat(80),
          edit: ({ bytes }) => {
            const at = bytes.indexOf('/Reason(', 0, 'latin1');
            const text = '/ByteRange [0 1 2 3]';
            return overwritten(bytes, { start: at, end: at + '/Reason()'.length + 80 }, text);
          },
        }),
    },
    {
      name: 'the signature dictionary has two values, the second one signed',
      codes: ['DUPLICATE_KEY'],
      make: (lab) =>
        signedOddly(lab, plainPdf(), {
          reason: 'x'.repeat(80),
          edit: ({ bytes }) => {
            const at = bytes.indexOf('/Reason(', 0, 'latin1');
            return overwritten(bytes, { start: at, end: at + '/Reason()'.length + 80 }, '/Contents <3000>');
          },
        }),
    },
    {
      name: 'the field has two values',
      codes: ['DUPLICATE_KEY', 'MODIFICATION_FORBIDDEN', 'SIGNATURE_REPLACED', 'STRUCTURE_BROKEN'],
      make: async (lab) =>
        updated(await lab.sign(formPdf(), { field: 'Signature' }), (update) => {
          const other = update.add('<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached>>');
          const object = update.document.object(new Ref(NUM.signature, 0));
          if (!object) throw new Error('there is no field');
          const text = object.source.toString('latin1', object.start, object.end - 2);
          update.replace(new Ref(NUM.signature, 0), `${text}/V ${other}>>`);
        }),
    },
    {
      name: 'the trailer has two catalogs',
      codes: [...BROKEN, 'DUPLICATE_KEY'],
      async make(lab) {
        const pdf = await lab.sign(plainPdf());
        const catalog = '<</Type/Catalog/Pages 2 0 R>>';
        const withCatalog = updated(pdf, (update) => update.add(catalog));
        return withUpdate(
          withCatalog,
          (prev, size) => `trailer\n<</Size ${size}/Root ${size - 1} 0 R/Root 1 0 R/Prev ${prev}>>\n`,
        );
      },
    },
    {
      name: 'an update has two trailers',
      codes: BROKEN,
      make: async (lab) =>
        withUpdate(
          await lab.sign(plainPdf()),
          (prev, size) =>
            `trailer\n<</Size ${size}/Root 1 0 R/Prev ${prev}>>\ntrailer\n<</Size ${size}/Root 2 0 R/Prev ${prev}>>\n`,
        ),
    },
    {
      name: 'an update refers to itself as the previous one',
      codes: BROKEN,
      async make(lab) {
        const pdf = await lab.sign(plainPdf());
        const start = pdf.length + written([{ num: NUM.content, body: shownText(FORGED) }], 0).text.length;
        return withUpdate(pdf, (_, size) => `trailer\n<</Size ${size}/Root 1 0 R/Prev ${start}>>\n`);
      },
    },
    {
      name: 'an update lists an object twice',
      codes: BROKEN,
      async make(lab) {
        const pdf = await lab.sign(plainPdf());
        const { text, offsets } = written([{ num: NUM.content, body: shownText(FORGED) }], pdf.length);
        const start = pdf.length + text.length;
        const entries = [
          { num: NUM.content, offset: offsets[0] ?? 0 },
          { num: NUM.content, offset: pdf.indexOf('4 0 obj', 0, 'latin1') },
        ];
        const trailer = `trailer\n<</Size ${numMaxOf(pdf) + 1}/Root 1 0 R/Prev ${lastStartxref(pdf)}>>\n`;
        const tail = `${tableOf(entries)}${trailer}startxref\n${start}\n%%EOF\n`;
        return Buffer.concat([pdf, Buffer.from(text + tail, 'latin1')]);
      },
    },
    {
      name: 'an update lists an object at the offset of another one',
      codes: BROKEN,
      async make(lab) {
        const pdf = await lab.sign(plainPdf());
        const entries = [{ num: NUM.content, offset: pdf.indexOf('5 0 obj', 0, 'latin1') }];
        const trailer = `trailer\n<</Size ${numMaxOf(pdf) + 1}/Root 1 0 R/Prev ${lastStartxref(pdf)}>>\n`;
        const tail = `${tableOf(entries)}${trailer}startxref\n${pdf.length}\n%%EOF\n`;
        return Buffer.concat([pdf, Buffer.from(tail, 'latin1')]);
      },
    },
    {
      name: 'bytes were put before the header',
      codes: [
        'BYTE_RANGE_GAP',
        'BYTE_RANGE_INVALID',
        'DIGEST_MISMATCH',
        'COVERAGE_PARTIAL',
        'STRUCTURE_BROKEN',
      ],
      make: async (lab) =>
        Buffer.concat([Buffer.from('#!/bin/sh\necho evil; exit\n'), await lab.sign(plainPdf())]),
    },
    {
      name: 'another PDF was put before the header',
      codes: [
        'BYTE_RANGE_GAP',
        'BYTE_RANGE_INVALID',
        'DIGEST_MISMATCH',
        'COVERAGE_PARTIAL',
        'STRUCTURE_BROKEN',
      ],
      make: async (lab) => Buffer.concat([plainPdf(), await lab.sign(plainPdf())]),
    },
    {
      name: 'another PDF was appended',
      codes: [...BROKEN, 'SIGNATURE_UNLISTED'],
      make: async (lab) => Buffer.concat([await lab.sign(plainPdf()), plainPdf()]),
    },
    {
      name: 'a web page was appended',
      codes: BROKEN,
      make: async (lab) =>
        Buffer.concat([await lab.sign(plainPdf()), Buffer.from('<html><script>alert(1)</script></html>\n')]),
    },
    {
      name: 'a million zeros were appended',
      codes: BROKEN,
      make: async (lab) => Buffer.concat([await lab.sign(plainPdf()), Buffer.alloc(1_000_000)]),
    },
    {
      name: 'the last line of the file was cut off',
      codes: ['BYTE_RANGE_INVALID', 'COVERAGE_PARTIAL', 'STRUCTURE_BROKEN'],
      make: async (lab) => (await lab.sign(plainPdf())).subarray(0, -8),
    },
    {
      name: 'the header was replaced by another version',
      codes: ['DIGEST_MISMATCH'],
      make: async (lab) => {
        const pdf = Buffer.from(await lab.sign(plainPdf()));
        pdf.write('%PDF-1.4', 0, 'latin1');
        return pdf;
      },
    },
    {
      name: 'pdf.js reads an update as a linearized file, and finds other cross-reference data',
      codes: ['STRUCTURE_BROKEN'],
      make: async (lab) => {
        const { length } = titled(await lab.sign(linearized(9)));
        return titled(await lab.sign(linearized(length)));
      },
    },
    {
      name: 'pdf.js reads the signed revision as a linearized file, and finds other cross-reference data',
      codes: ['STRUCTURE_BROKEN'],
      make: async (lab) => lab.sign(linearized((await lab.sign(linearized(9))).length)),
    },
  ],
};
