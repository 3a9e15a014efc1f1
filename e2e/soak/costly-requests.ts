import { agileEncrypted } from '@scriptorium/testing/fixtures/agile-encrypted';
import { documentXml, docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { crowdedPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { zip } from '@scriptorium/testing/fixtures/zip';

/** A request that takes the service much more than its caller. */
export interface CostlyRequest {
  path: string;
  body: object;
}

/** Number of each kind, so that most documents are new to the service. */
const VARIANTS = 4;
const ROUNDS = 1_000_000;

const base64Of = (bytes: Buffer) => ({ base64: bytes.toString('base64') });
const text = (value: string) => `<w:r><w:t xml:space="preserve">${value}</w:t></w:r>`;
const row = (cells: number) => `<w:tr>${`<w:tc>${p(run('cell'))}</w:tc>`.repeat(cells)}</w:tr>`;
const bold = `<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r>${text(' b')}`;
const section =
  '<w:p><w:pPr><w:sectPr><w:type w:val="continuous"/><w:cols w:num="3"/></w:sectPr></w:pPr></w:p>';

const docx = (body: string) =>
  zip(packageEntries({ mainXml: documentXml([]).replace('<w:body>', `<w:body>${body}`) }));

const convert = (from: string, bytes: Buffer, more: object = {}): CostlyRequest => ({
  path: `/v1/convert?from=${from}`,
  body: { document: base64Of(bytes), ...more },
});

const generate = (template: Buffer, data: object): CostlyRequest => ({
  path: '/v1/generate?to=docx',
  body: { document: base64Of(template), data },
});

/** Documents within the bounds that take an engine seconds to a minute. The mark makes each a new one. */
const slowDocuments = (mark: string): CostlyRequest[] => [
  convert('docx', docx(p(text(mark)) + p(text('w')).repeat(190_000))),
  convert('docx', docx(`${p(text(mark))}<w:tbl>${row(10).repeat(5_000)}</w:tbl><w:p/>`)),
  convert('docx', docx(`${p(text(mark))}<w:tbl>${row(63).repeat(1_000)}</w:tbl><w:p/>`)),
  convert('docx', docx(p(text(mark)) + p(bold.repeat(9_900)).repeat(4))),
  convert('docx', docx(p(text(mark)) + p(text('some words '.repeat(22_000))).repeat(8))),
  convert('docx', docx(p(text(mark)) + section.repeat(1_500))),
  convert(
    'html',
    Buffer.from(
      `<!DOCTYPE html><p>${mark}</p><table>${`<tr>${'<td>x</td>'.repeat(8)}</tr>`.repeat(6_000)}</table>`,
    ),
  ),
];

/** A pattern of as many fields as there may be, for each item of a list. */
const dates = (mark: string): CostlyRequest =>
  generate(templateOf(p(run(`${mark}{#a}{b|date("${'dddd MMMM '.repeat(12)}")}{/a}`))), {
    a: Array(20_000).fill({ b: '2025-01-02T03:04:05Z' }),
  });

/** A date of digits without separators, which was read in exponential time. */
const digits = (mark: string): CostlyRequest =>
  generate(templateOf(p(run(`${mark}{x|convDate("${'Hms'.repeat(20)}")}`))), { x: '1'.repeat(130) });

const barcodes = (mark: string): CostlyRequest =>
  generate(templateOf(p(run(`${mark}{#a}{b}{/a}`))), {
    a: Array.from({ length: 6 }, (_, at) => ({
      b: { $barcode: { type: 'qr', value: `${mark}${at}`.padEnd(1_500, 'Qr') } },
    })),
  });

/** Cells without a value, so that their formulas stay. */
const workbook = (cells: number, formula: (row: number) => string): Buffer => {
  const rows = Array.from({ length: cells }, (_, at) => at + 1);
  const xml = rows.map((at) => `<row r="${at}"><c r="A${at}"><f>${formula(at)}</f></c></row>`);
  return workbookWith({ sheets: [{ rows: xml.join('') }] });
};

/** As many documents, and as large ones, as a worker merges in some seconds. */
const merges = (mark: string): CostlyRequest[] => {
  const letter = docxWith([mark, ...Array<string>(4_000).fill('A paragraph of many.')]);
  const crowded = crowdedPdf(20_000);
  return [
    { path: '/v1/merge?to=docx', body: { documents: Array(40).fill(base64Of(letter)) } },
    { path: '/v1/merge?to=pdf', body: { documents: Array(100).fill(base64Of(crowded)) } },
  ];
};

/** Makes the requests of each attack, in turns. They take long to make, so this is done before. */
const COSTLY: Record<string, (mark: string) => CostlyRequest[]> = {
  dates: (mark) => [dates(mark), digits(mark)],
  barcodes: (mark) => [barcodes(mark)],
  formulas: (mark) => [
    convert(
      'xlsx',
      workbook(1_000, (at) => `"${mark}"&amp;${'N(A9)+'.repeat(1_300)}${at}`),
    ),
    convert(
      'xlsx',
      workbook(5, () => 'a'.repeat(32_000)),
    ),
  ],
  sums: (mark) => [
    convert(
      'xlsx',
      workbook(20, (at) => `SUMPRODUCT(B:B,C:C,D:D)+${at}+LEN("${mark}")`),
    ),
  ],
  rounds: (mark) => [
    convert('docx', agileEncrypted(docxWith([mark]), 'secret', { spins: ROUNDS }), { password: 'secret' }),
  ],
  slow: slowDocuments,
  merges,
};

export const COSTLY_NAMES = Object.keys(COSTLY);

/** The requests of one attack, each of them in variants. */
export function costlyRequests(name: string): CostlyRequest[] {
  const variants = Array.from({ length: VARIANTS }, (_, at) => COSTLY[name]?.(`mark${at}`) ?? []);
  return variants.flat();
}
