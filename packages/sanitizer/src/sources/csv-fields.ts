import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { damaged } from './refusal.ts';

/** Separators that programs write, in the order of preference. */
const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAMPLE_CHARS = 64 * 1024;
const SAMPLE_RECORDS = 100;
/** Columns of a sheet (ECMA-376-1 §18.3.1.4 and Excel's own limit). */
const COLUMNS_MAX = 16_384;
const ROWS_MAX = 1_048_576;
/** Characters that a cell of Excel holds. */
const FIELD_CHARS_MAX = 32_767;

/**
 * The records of a CSV (RFC 4180). A field that begins with a quote ends with one, and may contain separators and line
 * ends. Throws OoxmlError DOCUMENT_TOO_COMPLEX, or SanitizerError for a quote without an end.
 */
export function readCsv(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let fields = 0;
  for (const record of scanCsv(text, delimiter)) {
    fields += record.length;
    if (fields > BOUNDS.sheetCellsMax) throw boundPassed('sheetCellsMax');
    if (record.length > COLUMNS_MAX) throw damaged(`a line has more than ${COLUMNS_MAX} fields`);
    if (record.some((field) => field.length > FIELD_CHARS_MAX))
      throw damaged(`a field has more than ${FIELD_CHARS_MAX} characters`);
    records.push(record);
    if (records.length > ROWS_MAX) throw damaged(`it has more than ${ROWS_MAX} lines`);
  }
  return records;
}

function* scanCsv(text: string, delimiter: string): Generator<string[]> {
  let at = 0;
  while (at < text.length) {
    const record: string[] = [];
    for (;;) {
      const [field, end] = text[at] === '"' ? quotedField(text, at) : plainField(text, at, delimiter);
      record.push(field);
      at = end;
      if (text[at] !== delimiter) break;
      at++;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    at++;
    yield record;
  }
}

function plainField(text: string, start: number, delimiter: string): [field: string, end: number] {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++;
  return [text.slice(start, end), end];
}

/** What follows the closing quote up to the separator belongs to the field, as in other programs. */
function quotedField(text: string, start: number): [field: string, end: number] {
  let value = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) throw damaged('a quoted field has no closing quote');
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return [value, quote + 1];
    value += '"';
    at = quote + 2;
  }
}

/** The separator with which most of the first lines have the same number of fields, and more than one. */
export function detectDelimiter(text: string): string {
  const sample = text.slice(0, SAMPLE_CHARS);
  let [best, bestScore] = [',', 0];
  for (const delimiter of DELIMITERS) {
    const score = scoreOf(sample, delimiter);
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

function scoreOf(sample: string, delimiter: string): number {
  const counts = new Map<number, number>();
  let records = 0;
  try {
    for (const { length } of scanCsv(sample, delimiter)) {
      if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
      if (++records === SAMPLE_RECORDS) break;
    }
  } catch {
    // The sample ends inside a quoted field, or the file does.
  }
  return Math.max(0, ...counts.values());
}
