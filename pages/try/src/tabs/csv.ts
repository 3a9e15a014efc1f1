import Papa from 'papaparse';

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
  const { data } = Papa.parse<string[]>(text.replace(/\r\n?/g, '\n'), {
    delimitersToGuess: DELIMITERS,
    skipEmptyLines: 'greedy',
  });
  const [head = [], ...rows] = data;
  return { columns: head.map((name, at) => name.trim() || `Column ${at + 1}`), rows };
}
