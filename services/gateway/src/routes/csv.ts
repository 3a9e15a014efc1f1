/** What spreadsheets take for the beginning of a formula (https://owasp.org/www-community/attacks/CSV_Injection), and what marks a text. */
const TELLING = /^[=+\-@＝＋－＠\t\r\n']/u;

/**
 * A table as text/csv (RFC 4180), the first row being its head. A value that a spreadsheet could take for a formula gets an
 * apostrophe before it, and so does one that begins with an apostrophe: taking away the first gives back what there was.
 */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('');
}

function fieldOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = TELLING.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
