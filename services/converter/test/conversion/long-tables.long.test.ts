import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { compareDocuments } from '@scriptorium/rendering/compare-documents';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { few } from '@scriptorium/testing/extent';
import { convert } from '../../src/conversion/convert.ts';
import { systemFonts } from '../../src/conversion/fonts.ts';
import type { EngineResult } from '../../src/engines/engine.ts';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { finish } from '../../src/threads/finish-thread.ts';
import { type Prepare, sanitizerThreads } from '../../src/threads/threads.ts';
import { make } from '../engines/formats.suite.ts';
import { docxOf, NAMESPACES } from '../rigs/documents.ts';
import { textOf } from '../rigs/pdf-text.ts';

const ROWS = 1_150;
const LINES = 'a text that takes several lines of its narrow cell, and more of them in some rows ';
const side = (name: string, size = 4) =>
  `<w:${name} w:val="single" w:sz="${size}" w:space="0" w:color="auto"/>`;
const GRID = `<w:tblBorders>${['top', 'left', 'bottom', 'right', 'insideH', 'insideV'].map((name) => side(name)).join('')}</w:tblBorders>`;

interface Look {
  /** Properties of the table. */
  table?: string;
  rows?: number;
  /** Further tables behind this one, with a paragraph between them. */
  others?: number;
  heads?: number;
  row?: string;
  rowOf?(row: number): string;
  cell?: string;
  paragraph?: string;
  textOf?(row: number): string;
}

const short = (row: number) => `Row ${row}`;
const uneven = (row: number) => `Row ${row} ${LINES.repeat(((row * row) % 11) % 4)}`;

function tableOf({
  table = GRID,
  rows: count = ROWS,
  heads = 0,
  row = '',
  rowOf = () => row,
  cell = '',
  paragraph = '',
  textOf = short,
}: Look): string {
  const cellOf = (text: string, properties: string) =>
    `<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/>${cell}</w:tcPr><w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p></w:tc>`;
  const rows = Array.from({ length: count }, (_, at) => {
    const head = at < heads ? '<w:tblHeader/>' : '';
    const properties = at < heads ? '' : paragraph;
    const cells = [String(at), textOf(at), 'third'].map((text) => cellOf(text, properties));
    return `<w:tr><w:trPr>${rowOf(at)}${head}</w:trPr>${cells.join('')}</w:tr>`;
  });
  const grid = '<w:gridCol w:w="3000"/>'.repeat(3);
  return `<w:tbl><w:tblPr>${table}</w:tblPr><w:tblGrid>${grid}</w:tblGrid>${rows.join('')}</w:tbl>`;
}

const paragraphs = (count: number, text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`.repeat(count);

/** Every second row is gray, and the first and the last one are bold. */
const STRIPES =
  `<w:styles ${NAMESPACES}><w:style w:type="table" w:styleId="Stripes"><w:name w:val="Stripes"/><w:tblPr><w:tblStyleRowBandSize w:val="1"/></w:tblPr>` +
  '<w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr></w:tblStylePr><w:tblStylePr w:type="lastRow"><w:rPr><w:b/></w:rPr></w:tblStylePr>' +
  '<w:tblStylePr w:type="band1Horz"><w:tcPr><w:shd w:val="clear" w:fill="CCCCCC"/></w:tcPr></w:tblStylePr></w:style></w:styles>';
const STRIPED =
  '<w:tblStyle w:val="Stripes"/><w:tblLook w:val="0460" w:firstRow="1" w:lastRow="1" w:firstColumn="0" w:lastColumn="0" w:noHBand="0" w:noVBand="1"/>';
const NUMBERING =
  `<w:numbering ${NAMESPACES}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>` +
  '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>';

const higherAt = (high: number) => (row: number) =>
  row === high ? '<w:trHeight w:val="1700" w:hRule="atLeast"/>' : '';

const LOOKS: Readonly<Record<string, Look>> = {
  'a grid': {},
  'heading rows, in four pieces': { heads: 2, rows: 2 * ROWS },
  'another long table behind it': { others: 1 },
  'a row in the third piece that is higher, with no more text': {
    heads: 1,
    rows: 2 * ROWS,
    rowOf: higherAt(ROWS + 300),
  },
  'a row on the second page that is higher': { rowOf: higherAt(80) },
  'rows of several lines, which go over pages': { heads: 1, textOf: uneven },
  'rows of several lines, which stay whole': { row: '<w:cantSplit/>', textOf: uneven },
  'thick lines around each cell': {
    table: '',
    cell: `<w:tcBorders>${['top', 'left', 'bottom', 'right'].map((name) => side(name, 24)).join('')}</w:tcBorders>`,
  },
  'stripes below a heading row': { table: STRIPED, heads: 1, textOf: uneven },
  'numbered cells': { heads: 1, paragraph: '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>' },
};

const engine = new LibreOfficeKitEngine({ zygotes: 2 });
beforeAll(() => engine.start());
afterAll(() => engine.close());

function documentOf(look: Look): Buffer {
  const tables = Array.from({ length: 1 + (look.others ?? 0) }, () => tableOf(look));
  const body = `${paragraphs(7, 'above the table')}${tables.join(paragraphs(1, 'between tables'))}${paragraphs(60, 'below the table')}`;
  return docxOf(body, [
    { name: 'styles.xml', kind: 'styles', data: STRIPES },
    { name: 'numbering.xml', kind: 'numbering', data: NUMBERING },
  ]);
}

async function converted(document: Buffer, isSplit: boolean): Promise<EngineResult> {
  const longTableRows = isSplit ? ROWS : undefined;
  const options = { from: 'docx', revisions: 'markup', updateFields: 'none', longTableRows } as const;
  const { bytes, isInPieces } = await prepare(document, options);
  expect(isInPieces === true).toBe(isSplit);
  return await make(engine, bytes, { isInPieces });
}

describe('a long table in pieces has the same pages as the whole one', () => {
  test.each(few(Object.keys(LOOKS), 1, 2))('with %s', async (name) => {
    const document = documentOf(LOOKS[name] ?? {});
    const [joined, whole] = await Promise.all([converted(document, true), converted(document, false)]);
    expect(joined.pages).toBe(whole.pages);
    expect(joined.pages).toBeGreaterThan(15);
    expect(await compareDocuments(joined.bytes, whole.bytes)).toBeUndefined();
  });
});

test('a long table whose heading rows are numbered is not joined: each piece would count them', async () => {
  const numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>';
  const heading = `<w:tr><w:trPr><w:tblHeader/></w:trPr>${`<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr><w:p><w:pPr>${numbered}</w:pPr><w:r><w:t>head</w:t></w:r></w:p></w:tc>`.repeat(3)}</w:tr>`;
  const table = tableOf({}).replace('<w:tr>', `${heading}<w:tr>`);
  const document = docxOf(table, [{ name: 'numbering.xml', kind: 'numbering', data: NUMBERING }]);
  await expect(converted(document, true)).rejects.toMatchObject({ kind: 'unsupported' });
  const parts = {
    engines: [engine],
    prepare: ({ bytes, options: { mayBeInPieces, ...options } }: Parameters<Prepare>[0]) =>
      prepare(Buffer.from(bytes), { ...options, longTableRows: mayBeInPieces ? ROWS : undefined }),
    fonts: systemFonts(),
    finish: async (request: Parameters<typeof finish>[0]) => finish(request),
    draw: () => Promise.reject(new Error('no image is asked for')),
    onRemoved: () => {},
  };
  const options = conversion.parse(convertOptions.parse({ from: 'docx' }));
  const context = { signal: new AbortController().signal, deadlineAt: Date.now() + 150_000 };
  const { bytes } = await convert(parts, document, options, context);
  expect(textOf(bytes)).toContain(String(ROWS - 1));
  expect(textOf(bytes)).not.toContain('4. head');
});

test.each([
  [{}, true],
  [{ to: 'png' }, true],
  [{ to: 'docx' }, false],
  [{ updateFields: 'toc' }, false],
  [{ comments: 'margin' }, false],
])('with the options %j, long tables are split: %j', async (asked, splits) => {
  const prepared: unknown[] = [];
  const parts = {
    engines: [],
    prepare: ({ options: asked }: Parameters<Prepare>[0]) => {
      prepared.push(asked.mayBeInPieces);
      return Promise.reject(new Error('that is all'));
    },
    fonts: systemFonts(),
    finish: async (request: Parameters<typeof finish>[0]) => finish(request),
    draw: () => Promise.reject(new Error('no image is asked for')),
    onRemoved: () => {},
  };
  const options = conversion.parse(convertOptions.parse({ from: 'docx', ...asked }));
  const context = { signal: new AbortController().signal, deadlineAt: Date.now() + 150_000 };
  await expect(convert(parts, Buffer.alloc(0), options, context)).rejects.toThrow('that is all');
  expect(prepared).toEqual([splits]);
});

test('tables are split from the number of rows in the settings on, if nothing moves after the layout', async () => {
  const document = documentOf({});
  const options = { from: 'docx', revisions: 'markup', updateFields: 'none' } as const;
  const { signal } = new AbortController();
  for (const [longTableRows, mayBeInPieces, isSplit] of [
    [ROWS, true, true],
    [ROWS, false, false],
    [ROWS + 1, true, false],
    [undefined, true, false],
  ] as const) {
    const threads = sanitizerThreads({ threads: 1, data: { longTableRows } });
    const { isInPieces } = await threads.prepare(
      { bytes: document, options: { ...options, mayBeInPieces } },
      signal,
    );
    expect(isInPieces === true).toBe(isSplit);
    await threads.close();
  }
});
