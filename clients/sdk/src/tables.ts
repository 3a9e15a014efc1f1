import { ScriptoriumError } from './error.ts';

export { ENCODINGS, encodingOf, type TextSource, textOf } from './encodings.ts';

/** What a row of data is, and where it stands. */
export interface Placed<Value> {
  value: Value;
  /** Such as `rows.csv, line 3`. */
  place: string;
}

/** Rows of cells below the names of their columns. */
export interface Table {
  columns: readonly string[];
  delimiter: string;
  /** Each row has as many cells as there are columns. */
  rows: AsyncGenerator<Placed<string[]>>;
}

const DELIMITERS = [',', ';', '\t', '|'];
const HEAD_CHARS_MAX = 64 * 1024;
/** Those of a sheet of Excel. */
const COLUMNS_MAX = 16_384;
/** As many as a row of the service may have (40 MiB), at one byte a character. */
const ROW_CHARS_MAX = 40 * 1024 * 1024;

const invalid = (message: string): ScriptoriumError =>
  new ScriptoriumError({ code: 'DATA_INVALID', message });
const tooLong = (place: string): ScriptoriumError =>
  invalid(`${place} has more than ${ROW_CHARS_MAX} characters.`);

/** Reads JSON of which each line is a value. Throws DATA_INVALID with the line. */
export async function* readJsonLines(
  parts: AsyncIterable<string>,
  name: string,
): AsyncGenerator<Placed<unknown>> {
  let [rest, number] = ['', 0];
  const parseLine = (line: string): Placed<unknown>[] => {
    number++;
    if (line.trim() === '') return [];
    const place = `${name}, line ${number}`;
    try {
      return [{ value: JSON.parse(line), place }];
    } catch (error) {
      throw invalid(`${place} is not JSON: ${(error as Error).message}.`);
    }
  };
  for await (const part of parts) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield* parseLine(line);
    if (rest.length > ROW_CHARS_MAX) throw tooLong(`${name}, line ${number + 1}`);
  }
  yield* parseLine(rest);
}

/**
 * Reads CSV (RFC 4180), also with another delimiter: the given one, that of a line `sep=;`, or the one that the first line
 * has most. A quote in the middle of a cell stands for itself. Rows without a value are left out, as is a column that has
 * neither a name nor values. Throws DELIMITER_UNKNOWN, or DATA_INVALID with the line.
 */
export async function openTable(parts: AsyncIterator<string>, name: string, given?: string): Promise<Table> {
  const { text, delimiter } = await withDelimiter(parts, name, given);
  const rows = cellsOf(text, delimiter, name);
  const { value: head } = await rows.next();
  const names: string[] = (head?.value ?? []).map((cell: string) => cell.trim());
  checkColumns(names, name);
  const columns = names.filter((column) => column !== '');
  return { columns, delimiter, rows: checkedRows(rows, names) };
}

function checkColumns(names: readonly string[], name: string): void {
  const seen = new Set<string>();
  const head = `The first line of ${name}`;
  if (names.length > COLUMNS_MAX) throw invalid(`${head} has more than ${COLUMNS_MAX} columns.`);
  if (names.every((column) => column === '')) throw invalid(`${head} names no column.`);
  for (const column of names) {
    if (column !== '' && seen.has(column)) throw invalid(`${head} has two columns ${column}.`);
    seen.add(column);
  }
}

async function* checkedRows(
  rows: AsyncIterable<Placed<string[]>>,
  names: readonly string[],
): AsyncGenerator<Placed<string[]>> {
  for await (const { value: cells, place } of rows) {
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (cells.length !== names.length)
      throw invalid(`${place} has ${cells.length} cells, and the first line has ${names.length}.`);
    const stray = cells.find((cell, at) => names[at] === '' && cell !== '');
    if (stray !== undefined) throw invalid(`${place} has a value in a column without a name.`);
    yield { value: cells.filter((_, at) => names[at] !== ''), place };
  }
}

async function withDelimiter(parts: AsyncIterator<string>, name: string, given: string | undefined) {
  let head = '';
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    head += next.value;
    if (/[\r\n]./s.test(head) || head.length > HEAD_CHARS_MAX) break;
  }
  const named = /^sep=(.)\r?\n/.exec(head);
  if (named !== null) head = head.slice(named[0].length);
  async function* text() {
    yield head;
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) yield next.value;
  }
  return { delimiter: given ?? named?.[1] ?? delimiterOf(head, name), text: text() };
}

function delimiterOf(head: string, name: string): string {
  const [line = ''] = head.replace(/"[^"]*"/g, '').split(/\r\n?|\n/);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  const most = Math.max(...counts);
  const found = DELIMITERS.filter((_, at) => counts[at] === most);
  if (most > 1 && found.length > 1)
    throw new ScriptoriumError({
      code: 'DELIMITER_UNKNOWN',
      message: `The first line of ${name} has as many of one delimiter as of another. Name the delimiter.`,
    });
  return found[0] ?? ',';
}

/** Where a reader is: before a cell, in one without or with quotes, or behind its closing quote. */
type State = 'start' | 'plain' | 'quoted' | 'closed';

/** Reads the cells of each row. */
async function* cellsOf(
  parts: AsyncIterable<string>,
  delimiter: string,
  name: string,
): AsyncGenerator<Placed<string[]>> {
  const reader = new CellReader(delimiter, name);
  for await (const part of parts) yield* reader.read(part);
  yield* reader.end();
}

class CellReader {
  readonly #delimiter: string;
  readonly #name: string;
  readonly #ends: RegExp;
  #state: State = 'start';
  #cell = '';
  #cells: string[] = [];
  #chars = 0;
  /** The line that is read, and the one in which the row, or its last quote, begins. */
  #line = 1;
  #rowLine = 1;
  #quoteLine = 1;
  #isAfterReturn = false;

  constructor(delimiter: string, name: string) {
    if (delimiter.length !== 1 || /["\r\n]/.test(delimiter))
      throw invalid('A delimiter is one character, and no quote or line break.');
    this.#delimiter = delimiter;
    this.#name = name;
    this.#ends = new RegExp(`[\\r\\n\\u{${delimiter.charCodeAt(0).toString(16)}}]`, 'gu');
  }

  *read(text: string): Generator<Placed<string[]>> {
    for (let at = 0; at < text.length; ) {
      if (this.#state === 'quoted') at = this.#readQuoted(text, at);
      else if (text[at] === '\n' && this.#isAfterReturn) at++;
      else if (text[at] === '\r' || text[at] === '\n') {
        yield* this.#endRow();
        this.#isAfterReturn = text[at++] === '\r';
        continue;
      } else at = this.#readPlain(text, at);
      this.#isAfterReturn = false;
    }
  }

  *end(): Generator<Placed<string[]>> {
    if (this.#state === 'quoted')
      throw invalid(`${this.#name}, line ${this.#quoteLine} has a quote without an end.`);
    if (this.#state !== 'start' || this.#cells.length > 0) yield* this.#endRow();
  }

  #readQuoted(text: string, at: number): number {
    const end = text.indexOf('"', at);
    const part = text.slice(at, end < 0 ? text.length : end);
    this.#line += part.split('\n').length - 1;
    this.#add(part);
    if (end < 0) return text.length;
    this.#state = 'closed';
    return end + 1;
  }

  #readPlain(text: string, at: number): number {
    const character = text[at];
    if (character === this.#delimiter) {
      this.#endCell();
      return at + 1;
    }
    if (character === '"' && this.#state !== 'plain') {
      if (this.#state === 'closed') this.#add('"');
      else this.#quoteLine = this.#line;
      this.#state = 'quoted';
      return at + 1;
    }
    if (this.#state === 'closed')
      throw invalid(`${this.#name}, line ${this.#line} has a text after the end of a quote.`);
    this.#ends.lastIndex = at;
    const end = this.#ends.exec(text)?.index ?? text.length;
    this.#add(text.slice(at, end));
    if (/^\s+"/.test(this.#cell))
      throw invalid(`${this.#name}, line ${this.#line} has a space before a quote.`);
    this.#state = 'plain';
    return end;
  }

  #add(text: string): void {
    this.#chars += text.length;
    if (this.#chars > ROW_CHARS_MAX) throw tooLong(`${this.#name}, line ${this.#rowLine}`);
    this.#cell += text;
  }

  #endCell(): void {
    this.#cells.push(this.#cell.replace(/\r\n?/g, '\n'));
    this.#cell = '';
    this.#state = 'start';
  }

  *#endRow(): Generator<Placed<string[]>> {
    this.#endCell();
    const row = { value: this.#cells, place: `${this.#name}, line ${this.#rowLine}` };
    this.#line++;
    this.#cells = [];
    this.#chars = 0;
    this.#rowLine = this.#line;
    // An empty line has one cell without a text.
    if (row.value.length > 1 || row.value[0] !== '') yield row;
  }
}
