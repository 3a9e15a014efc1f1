import { describe, expect, test } from '@jest/globals';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { compoundTree } from '@scriptorium/testing/fixtures/cfb';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import * as notDocx from '@scriptorium/testing/fixtures/not-docx';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import { presentationWith } from '@scriptorium/testing/fixtures/presentation';
import { textCell, workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { SanitizerError } from '../../src/sanitizer-error.ts';
import { SOURCE_FORMATS, type SourceFormat } from '../../src/sources/sanitizers.ts';
import { prepare, refusal } from './sanitizer-under-test.ts';

function doc(): Buffer {
  const main = Buffer.alloc(5000);
  main.writeUInt16LE(0xa5ec, 0);
  main.writeUInt16LE(0xc1, 2);
  main.writeUInt16LE(0x0200, 10);
  return compoundTree([{ name: 'WordDocument', data: main }, { name: '1Table' }]);
}

const SHEET =
  '<table:table><table:table-row><table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row></table:table>';

/** A valid file of each type, and its name in an error message. */
const FILES: Readonly<Record<string, { bytes: Buffer; name: string }>> = {
  odt: { bytes: odtWith(), name: 'ODT' },
  rtf: { bytes: notDocx.rtf(), name: 'RTF' },
  doc: { bytes: doc(), name: '.doc' },
  html: { bytes: notDocx.html(), name: 'HTML' },
  txt: { bytes: notDocx.text(), name: 'plain text' },
  docx: { bytes: docxWith(['x']), name: 'DOCX' },
  xlsx: { bytes: workbookWith(), name: 'XLSX' },
  pptx: { bytes: presentationWith(), name: 'PPTX' },
  ods: { bytes: odtWith({ body: 'spreadsheet', text: SHEET }), name: 'ODS' },
  odp: { bytes: odtWith({ body: 'presentation', text: '<draw:page draw:name="1"/>' }), name: 'ODP' },
  csv: { bytes: Buffer.from('a;b\n1;2\n'), name: 'plain text' },
  zip: { bytes: notDocx.plainZip(), name: 'a ZIP archive' },
  pdf: { bytes: notDocx.pdf(), name: 'a PDF' },
  png: { bytes: notDocx.png(), name: 'a PNG image' },
  jpeg: { bytes: notDocx.jpeg(), name: 'a JPEG image' },
  xml: { bytes: Buffer.from('<?xml version="1.0"?><office:document/>'), name: 'an XML file' },
  gzip: { bytes: Buffer.from('1f8b0800000000000003', 'hex'), name: 'gzip' },
};

/** Accepted pairs: plain text is valid Markdown and CSV. */
const TAKEN = new Set(['txt as md', 'csv as md', 'csv as txt', 'txt as csv']);
/** Formats that share the package of another one. */
const SAME: Readonly<Partial<Record<SourceFormat, string>>> = {
  docm: 'docx',
  dotx: 'docx',
  dotm: 'docx',
  xlsm: 'xlsx',
  xltx: 'xlsx',
  pptm: 'pptx',
  potx: 'pptx',
  ppsx: 'pptx',
};
/** One format of each sanitizer. */
const OWN_FORMATS = SOURCE_FORMATS.filter((format) => SAME[format] === undefined);

describe('the sanitizer of the declared format', () => {
  const pairs = OWN_FORMATS.flatMap((format) =>
    Object.keys(FILES)
      .filter((file) => file !== format && !TAKEN.has(`${file} as ${format}`))
      .map((file) => [file, format] as const),
  );
  test.each(pairs)('rejects %s declared as %s', async (file, format) => {
    const { bytes = Buffer.alloc(0), name = '' } = FILES[file] ?? {};
    const { code, message } = await refusal(format, bytes);
    expect(code).toBe('INVALID_FILE_FORMAT');
    expect(message).toContain(name);
  });

  test.each(SOURCE_FORMATS.filter((format) => format !== 'md'))(
    'accepts %s declared as such',
    async (format) => {
      const { bytes = Buffer.alloc(0) } = FILES[SAME[format] ?? format] ?? {};
      expect((await prepare(format, bytes)).dropped).toEqual([]);
    },
  );

  test.each(SOURCE_FORMATS)('rejects an empty file declared as %s', async (format) => {
    expect(await refusal(format, Buffer.alloc(0))).toEqual({
      code: 'INVALID_FILE_FORMAT',
      message: 'The file is empty.',
    });
  });
});

/** Deterministic pseudo-random numbers between 0 and 1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function mutated(bytes: Buffer, next: () => number): Buffer {
  const copy = Buffer.from(bytes);
  const at = () => Math.floor(next() * copy.length);
  const changes = 1 + Math.floor(next() * 8);
  for (let i = 0; i < changes; i++) copy[at()] = Math.floor(next() * 256);
  const [cut, from] = [at(), at()];
  if (next() < 0.3) return copy.subarray(0, cut);
  if (next() < 0.3) return Buffer.concat([copy.subarray(0, cut), copy.subarray(from)]);
  return copy;
}

const RICH: Readonly<Partial<Record<SourceFormat, Buffer>>> = {
  docx: docxWith(['x', 'y']),
  odt: odtWith({ parts: [{ name: 'Pictures/1.png', data: notDocx.png() }] }),
  rtf: Buffer.from(
    `{\\rtf1\\ansi{\\b x}{\\field{\\*\\fldinst HYPERLINK "http://a"}{\\fldrslt y}}{\\pict\\pngblip ${notDocx.png().toString('hex')}}\\'e4\\u228 ?{\\pict\\bin3 abc}{\\shp{\\sp{\\sn pib}{\\sv x}}}}`,
  ),
  doc: doc(),
  html: Buffer.from(
    `<html><style>p { color: red }</style><body><p style="margin: 1px">x<a href="#a">b</a><img src="data:image/png;base64,${notDocx.png().toString('base64')}"><table><tr><td colspan=2>`,
  ),
  md: Buffer.from('# a\n\n- *b* [c](http://d)\n\n|a|b|\n|-|-|\n|`c`|d|\n\n> ![e](f)\n'),
  txt: Buffer.from('one\ttwo\fthree\r\nÄÖÜ €\n'),
  csv: Buffer.from('a;"b""c";d\r\n1,5;=SUM(A1);"x\ny"\r\n'),
  xlsx: workbookWith({
    sheets: [{ rows: `<row r="1">${textCell('A1', 'x', 'SUM(B1:C1)')}</row>` }],
    inside: '<definedNames><definedName name="n">Sheet1!$A$1</definedName></definedNames>',
  }),
  pptx: presentationWith(),
  ods: odtWith({ body: 'spreadsheet', text: SHEET }),
  odp: odtWith({ body: 'presentation', text: '<draw:page draw:name="1"/>' }),
};

describe('a rejection never names the same format twice', () => {
  const withControl = (start: string) => Buffer.from(`${start}\u0001\u0002`);
  test.each([
    ['html', withControl('<!doctype html><html><body>')],
    ['html', withControl('<html>')],
    ['odt', zip([{ name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' }])],
  ] as const)('%s', async (format, bytes) => {
    const { message } = await refusal(format, bytes);
    const [, found = '', wanted = 'x'] =
      /^The file is (?:an? )?(.*), not (?:an? )?(.*)\.$/.exec(message) ?? [];
    expect(found).not.toBe(wanted);
  });

  test.each(OWN_FORMATS)('in damaged documents of the format %s', async (format) => {
    const next = random(11);
    for (let i = 0; i < 300; i++) {
      const message = await prepare(format, mutated(RICH[format] ?? Buffer.alloc(0), next)).then(
        () => '',
        ({ message: said }: Error) => said,
      );
      const [, found = '', wanted = 'x'] =
        /^The file is (?:an? )?(.*), not (?:an? )?(.*)\.$/.exec(message) ?? [];
      expect(found).not.toBe(wanted);
    }
  });
});

describe('the sanitizer of the format', () => {
  test.each(OWN_FORMATS)('%s rejects or accepts damaged documents without other errors', async (format) => {
    const next = random(7);
    const codes = new Set<string>();
    for (let i = 0; i < 1_500; i++) {
      const error = await prepare(format, mutated(RICH[format] ?? Buffer.alloc(0), next)).then(
        ({ bytes }) => (bytes.length > 0 ? 'taken' : 'nothing'),
        (thrown: unknown) =>
          thrown instanceof OoxmlError || thrown instanceof SanitizerError ? thrown.code : thrown,
      );
      if (typeof error !== 'string') throw error;
      codes.add(error);
    }
    const allowed = ['taken', 'INVALID_FILE_FORMAT', 'DOCUMENT_TOO_COMPLEX', 'DOCUMENT_ENCRYPTED'];
    expect(allowed).toEqual(expect.arrayContaining([...codes]));
  });
});
