/**
 * Positions where a spreadsheet could read the start of a formula or of an escaped text
 * (https://owasp.org/www-community/attacks/CSV_Injection). Where the comma is the decimal mark, spreadsheets split fields at
 * semicolons, and quotes inside a field then have no effect.
 */
const FORMULA_START = /(?<=^|[;\t\r\n])(?=[=+\-@＝＋－＠\t\r\n'])/gu;

/**
 * Formats a table as text/csv (RFC 4180) with the header in the first row. An apostrophe precedes a possible formula or
 * apostrophe at the start of a value, and after a semicolon, tab or line break in it. Removing the first apostrophe at each of
 * these positions restores the value.
 */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('');
}

function fieldOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = value.replace(FORMULA_START, "'");
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
