/**
 * Where a field may begin, with what spreadsheets take for the beginning of a formula, or of a text
 * (https://owasp.org/www-community/attacks/CSV_Injection). Where the comma is the decimal mark, fields end with semicolons, and
 * quotes amid what is taken for one field are none.
 */
const TELLING = /(?<=^|[;\t\r\n])(?=[=+\-@＝＋－＠\t\r\n'])/gu;

/**
 * A table as text/csv (RFC 4180), the first row being its head. What a spreadsheet could take for a formula gets an apostrophe before
 * it, at the beginning of a value and after a semicolon, tab or line break in it, and so does an apostrophe there: taking away
 * the first of each gives back what there was.
 */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('');
}

function fieldOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = value.replace(TELLING, "'");
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
