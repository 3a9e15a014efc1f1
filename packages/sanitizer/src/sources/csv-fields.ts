import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { CsvError, parse } from 'csv-parse/sync';
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

/** Passes each record of a CSV (RFC 4180) to `take`. Lines may have different numbers of fields. */
function readRecords(text: string, delimiter: string, take: (record: string[]) => void): void {
  parse(text, {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    on_record: (record: string[]) => {
      take(record);
      return null;
    },
  });
}

/**
 * The records of a CSV. Throws OoxmlError DOCUMENT_TOO_COMPLEX, or SanitizerError for a quote without an end.
 */
export function readCsv(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let fields = 0;
  try {
    readRecords(text, delimiter, (record) => {
      fields += record.length;
      if (fields > BOUNDS.sheetCellsMax) throw boundPassed('sheetCellsMax');
      if (record.length > COLUMNS_MAX) throw damaged(`a line has more than ${COLUMNS_MAX} fields`);
      if (record.some((field) => field.length > FIELD_CHARS_MAX))
        throw damaged(`a field has more than ${FIELD_CHARS_MAX} characters`);
      records.push(record);
      if (records.length > ROWS_MAX) throw damaged(`it has more than ${ROWS_MAX} lines`);
    });
  } catch (error) {
    throw error instanceof CsvError ? damaged('a quoted field has no closing quote') : error;
  }
  return records;
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
    readRecords(sample, delimiter, ({ length }) => {
      if (length > 1 && records < SAMPLE_RECORDS) counts.set(length, (counts.get(length) ?? 0) + 1);
      records++;
    });
  } catch {
    // The sample ends inside a quoted field, or the file does.
  }
  return Math.max(0, ...counts.values());
}
