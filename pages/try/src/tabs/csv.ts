/** Rows of a table with the names of its columns. */
export interface Table {
  columns: string[];
  rows: string[][];
  encoding: string;
}

const DELIMITERS = [',', ';', '\t', '|'];
export const ENCODINGS = [
  'utf-8',
  'windows-1252',
  'utf-16le',
  'iso-8859-2',
  'windows-1251',
  'shift_jis',
  'gb18030',
];

/** Returns the text of a file, and the encoding that was used: by its first bytes, or else UTF-8 if it is that. */
export function decodeText(bytes: Uint8Array, encoding = ''): { text: string; encoding: string } {
  if (encoding !== '') return { text: new TextDecoder(encoding).decode(bytes), encoding };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeText(bytes, 'utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeText(bytes, 'utf-16be');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    return decodeText(bytes, 'windows-1252');
  }
}

/**
 * Reads a CSV (RFC 4180), also with other delimiters, and with quotes in the middle of a value, which then stand for
 * themselves. The first row has the names of the columns. Rows without a value are left out.
 */
export function readCsv(text: string): Pick<Table, 'columns' | 'rows'> {
  const all = recordsOf(text, delimiterOf(text)).filter((cells) => cells.some((cell) => cell.trim() !== ''));
  const [head = [], ...rows] = all;
  return { columns: head.map((name, at) => name.trim() || `Column ${at + 1}`), rows };
}

/** The delimiter that the first line has most. */
function delimiterOf(text: string): string {
  const first = (/^[^\r\n]*/.exec(text)?.[0] ?? '').replace(/"(?:[^"]|"")*"/g, '');
  const countOf = (delimiter: string): number => first.split(delimiter).length;
  return DELIMITERS.reduce((best, next) => (countOf(next) > countOf(best) ? next : best));
}

function recordsOf(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    const [cell, next] = text[at] === '"' ? quotedCell(text, at, delimiter) : plainCell(text, at, delimiter);
    cells.push(cell);
    at = next;
    if (text[at] === delimiter) {
      at += 1;
      // A delimiter at the very end is followed by an empty value.
      if (at < text.length) continue;
      cells.push('');
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    at += 1;
    records.push(cells);
    cells = [];
  }
  return records;
}

function plainCell(text: string, from: number, delimiter: string): [cell: string, end: number] {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return [text.slice(from, end), end];
}

/** A quoted value ends at a quote before a delimiter or the end of the line; other quotes are doubled, or stand for themselves. */
function quotedCell(text: string, from: number, delimiter: string): [cell: string, end: number] {
  let cell = '';
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] !== '"') cell += text[at];
    else if (text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (at + 1 >= text.length || [delimiter, '\n', '\r'].includes(text[at + 1] ?? ''))
      return [cell, at + 1];
    else cell += '"';
  }
  return [cell, text.length];
}
