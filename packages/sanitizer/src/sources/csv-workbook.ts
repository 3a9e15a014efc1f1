import { EXCEL_PACKAGE, newPackage } from '@scriptorium/ooxml/package';
import { escapeXml, FORBIDDEN_CHARACTERS } from '@scriptorium/ooxml/xml';
import { type Paper, paperTwips } from './paper.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
const NAMESPACE = `${OFFICE}/spreadsheetml/2006/main`;
const RELATIONSHIPS = `${OFFICE}/officeDocument/2006/relationships`;
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const [MAIN_TYPE = ''] = EXCEL_PACKAGE.mainTypes;
const [SHEET, STYLES] = ['xl/worksheets/sheet1.xml', 'xl/styles.xml'];

/** `ST_PaperSize` (ECMA-376-1 §18.3.1.63). */
const PAPER_NUMBERS: Readonly<Record<Paper, number>> = { letter: 1, legal: 5, a3: 8, a4: 9, a5: 11 };
const MARGIN_INCHES = 0.5;
const TWIPS_PER_INCH = 1440;
/** A digit of the default font has this width; columns are measured in digits. */
const DIGIT_TWIPS = 105;
const [WIDTH_MIN, WIDTH_MAX, WIDTH_PADDING] = [6, 60, 2];
const NUMBER = /^\s*[-+]?(?:\d+|\d{1,3}(?:[.,\u00a0\u202f' ]\d{3})+)(?:[.,]\d+)?(?:e[-+]?\d+)?\s*(?:%\s*)?$/i;

const [TEXT_STYLE, NUMBER_STYLE] = [1, 2];
const LINE = (side: string) => `<${side} style="hair"><color rgb="FF808080"/></${side}>`;
const STYLES_XML =
  `<styleSheet xmlns="${NAMESPACE}"><fonts count="1"><font><sz val="10"/><name val="Liberation Sans"/></font></fonts>` +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  `<borders count="2"><border><left/><right/><top/><bottom/></border><border>${['left', 'right', 'top', 'bottom'].map(LINE).join('')}</border></borders>` +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3">' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  ['left', 'right']
    .map(
      (side) =>
        '<xf numFmtId="49" fontId="0" fillId="0" borderId="1" xfId="0" applyAlignment="1" applyBorder="1">' +
        `<alignment horizontal="${side}" vertical="top" wrapText="1"/></xf>`,
    )
    .join('') +
  '</cellXfs></styleSheet>';

/** `A`, `Z`, `AA`: the letters of a column, counted from 0. */
function columnName(index: number): string {
  const rest = Math.floor(index / 26) - 1;
  return (rest >= 0 ? columnName(rest) : '') + String.fromCharCode(65 + (index % 26));
}

function widthsOf(records: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const record of records)
    for (const [column, field] of record.entries()) {
      const longest = Math.max(...field.split('\n').map(({ length }) => length));
      widths[column] = Math.max(widths[column] ?? 0, longest);
    }
  return Array.from(widths, (width = 0) => Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width + WIDTH_PADDING)));
}

function cell(field: string, reference: string): string {
  const style = NUMBER.test(field) ? NUMBER_STYLE : TEXT_STYLE;
  const text = escapeXml(field.replace(FORBIDDEN_CHARACTERS, ''));
  return `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

function sheetXml(records: readonly (readonly string[])[], paper: Paper): string {
  const widths = widthsOf(records);
  const columns = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  );
  const names = widths.map((_, at) => columnName(at));
  const rows = records.map((record, at) => {
    const cells = record.map((field, column) => cell(field, `${names[column]}${at + 1}`));
    return `<row r="${at + 1}">${cells.join('')}</row>`;
  });
  const total = widths.reduce((sum, width) => sum + width, 0) * DIGIT_TWIPS;
  const isWide = total > paperTwips(paper)[0] - 2 * MARGIN_INCHES * TWIPS_PER_INCH;
  const margins = ['left', 'right', 'top', 'bottom'].map((side) => `${side}="${MARGIN_INCHES}"`).join(' ');
  return (
    `<worksheet xmlns="${NAMESPACE}">${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}` +
    `<sheetData>${rows.join('')}</sheetData><pageMargins ${margins} header="0.3" footer="0.3"/>` +
    `<pageSetup paperSize="${PAPER_NUMBERS[paper]}" orientation="${isWide ? 'landscape' : 'portrait'}"/></worksheet>`
  );
}

/** A workbook with one sheet that shows these records as texts. */
export function workbookOf(records: readonly (readonly string[])[], paper: Paper): Buffer {
  const workbook =
    `<workbook xmlns="${NAMESPACE}" xmlns:r="${RELATIONSHIPS}"><sheets>` +
    '<sheet name="CSV" sheetId="1" r:id="rId1"/></sheets></workbook>';
  const links = [
    ['worksheet', SHEET],
    ['styles', STYLES],
  ] as const;
  return newPackage(
    [
      { name: 'xl/workbook.xml', contentType: MAIN_TYPE, xml: workbook, links },
      { name: STYLES, contentType: `${TYPE}.styles+xml`, xml: STYLES_XML },
      { name: SHEET, contentType: `${TYPE}.worksheet+xml`, xml: sheetXml(records, paper) },
    ],
    { isCompressed: false },
  );
}
