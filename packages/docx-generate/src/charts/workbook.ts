import { newPackage } from '@scriptorium/ooxml/package';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { type Column, lettersOf, SHEET } from './columns.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
const MAIN = `${OFFICE}/spreadsheetml/2006/main`;
const RELATIONSHIPS = `${OFFICE}/officeDocument/2006/relationships`;
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const [SHEET_PART, STYLES_PART] = ['xl/worksheets/sheet1.xml', 'xl/styles.xml'];
/** Numbers of own formats begin here (ECMA-376-1 §18.8.30). */
const FIRST_FORMAT = 164;
/** Fast: a workbook of a chart is small. */
const DEFLATE_LEVEL = 3;

export const WORKBOOK_TYPE = `${TYPE}.sheet`;

/** A workbook (XLSX) with one sheet of these columns, each with its heading in the first row. */
export function workbookOf(columns: readonly Column[], isFrom1904: boolean): Buffer {
  const formats = [...new Set(columns.map(({ format }) => format ?? 'General'))];
  const styleOf = new Map(formats.map((format, index) => [format, index + 1]));
  const date1904 = isFrom1904 ? '<workbookPr date1904="1"/>' : '';
  const xml =
    `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}">${date1904}<sheets>` +
    `<sheet name="${SHEET}" sheetId="1" r:id="rId1"/></sheets></workbook>`;
  const links = [
    ['worksheet', SHEET_PART],
    ['styles', STYLES_PART],
  ] as const;
  const sheet = sheetOf(columns, (format) => styleOf.get(format ?? 'General') ?? 0);
  return newPackage(
    [
      { name: 'xl/workbook.xml', contentType: `${TYPE}.sheet.main+xml`, xml, links },
      { name: SHEET_PART, contentType: `${TYPE}.worksheet+xml`, xml: sheet },
      { name: STYLES_PART, contentType: `${TYPE}.styles+xml`, xml: stylesOf(formats) },
    ],
    { isCompressed: true, level: DEFLATE_LEVEL },
  );
}

function sheetOf(columns: readonly Column[], styleOf: (format: string | undefined) => number): string {
  const height = columns.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const rows = [
    rowOf(
      1,
      columns.map(({ heading }) => cell(heading === '' ? null : heading, 0)),
    ),
  ];
  for (let index = 0; index < height; index++)
    rows.push(
      rowOf(
        index + 2,
        columns.map(({ cells, format }) => cell(cells[index] ?? null, styleOf(format))),
      ),
    );
  return `<worksheet xmlns="${MAIN}"><sheetData>${rows.join('')}</sheetData></worksheet>`;
}

type Cell = (reference: string) => string;

function rowOf(row: number, cells: readonly Cell[]): string {
  return `<row r="${row}">${cells.map((write, column) => write(`${lettersOf(column)}${row}`)).join('')}</row>`;
}

function cell(value: string | number | null, style: number): Cell {
  if (value === null) return () => '';
  if (typeof value === 'number') return (reference) => `<c r="${reference}" s="${style}"><v>${value}</v></c>`;
  // Spreadsheets read `_x0041_` as a character (ECMA-376-1 §22.9.2.19).
  const text = escapeXml(value.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_'));
  return (reference) => `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

/** A style for each format, after the default one. */
function stylesOf(formats: readonly string[]): string {
  const codes = formats.map(
    (format, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${escapeXml(format)}"/>`,
  );
  const plain = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>';
  const styles = formats.map((format, index) => {
    const id = format === 'General' ? 0 : FIRST_FORMAT + index;
    return `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`;
  });
  return (
    `<styleSheet xmlns="${MAIN}"><numFmts count="${codes.length}">${codes.join('')}</numFmts>` +
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    `<cellStyleXfs count="1">${plain}</cellStyleXfs>` +
    `<cellXfs count="${styles.length + 1}">${plain.replace('/>', ' xfId="0"/>')}${styles.join('')}</cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
  );
}
