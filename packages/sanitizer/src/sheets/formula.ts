import { isSafeLink } from '@scriptorium/ooxml/package';
import { ACTIVE_FUNCTIONS, SAFE_FUNCTIONS } from './functions.ts';

/**
 * `safe`: it computes from the workbook alone. `active`: it reaches outside. `unknown`: it is not understood, and is
 * neither calculated nor reported as active.
 */
export type Verdict = 'safe' | 'unknown' | 'active';

/** The longest formula of Excel. A longer one is neither read nor calculated. */
export const FORMULA_CHARS_MAX = 8_192;
/** Texts and quoted names, whichever begins first. Each hides the quotes of the other. */
const QUOTED = /"(?:[^"]|"")*"|'(?:[^']|'')*'/g;
/** A name of a sheet cannot contain these; the path of another workbook does. */
const OUTSIDE = /[[\]\\/?*#|]|^\w+:/;
const ERROR_VALUE =
  /#(?:REF!|N\/A|NAME\?|NUM!|NULL!|VALUE!|DIV\/0!|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|GETTING_DATA)/gi;
/**
 * A word, with the columns of a table after it: `Sales[Total]`, `Sales[[#All],[Total]]`. This and the next two match
 * each word with or without what they look for. So no word is read twice.
 */
const COLUMNS = /([\p{L}_\\][\p{L}\p{N}_.\\]*)(\[(?:[^[\]]|\[[^[\]]*\])*\])?/gu;
const CALL = /([\p{L}_][\p{L}\p{N}_.]*)\s*(\(?)/gu;
const SHEET_PREFIX = /([\p{L}\p{N}_.:]+)\s*(!?)/gu;
const FUNCTION_PREFIX = /^(?:_XLFN\.|_XLWS\.|COM\.MICROSOFT\.|ORG\.OPENOFFICE\.|ORG\.LIBREOFFICE\.)+/;
/** The address is known only if one text is the whole argument. */
const LINK = /HYPERLINK\s*\(\s*(?:"((?:[^"]|"")*)"(?=\s*[,;)]))?/gi;

/** Judges formulas of one document. `sheets` are its sheets by their name in lower case. */
export class FormulaJudge {
  readonly #sheets: ReadonlySet<string>;
  readonly #known = new Map<string, Verdict>();

  constructor(sheets: ReadonlySet<string>) {
    this.#sheets = sheets;
  }

  /** Judges a formula of SpreadsheetML, without its `=`. */
  judge(formula: string): Verdict {
    const known = this.#known.get(formula);
    if (known !== undefined) return known;
    const verdict = this.#read(formula);
    if (this.#known.size < 10_000 && formula.length < 500) this.#known.set(formula, verdict);
    return verdict;
  }

  #read(formula: string): Verdict {
    if (formula.length > FORMULA_CHARS_MAX) return 'unknown';
    const sheets: string[] = [];
    // `[0]` is the workbook itself.
    const bare = formula.replace(/\[0\]!/g, '').replace(QUOTED, (quoted) => {
      if (quoted.startsWith('"')) return '""';
      sheets.push(quoted.slice(1, -1).replaceAll("''", "'"));
      return 'Quoted';
    });
    if (sheets.some((name) => OUTSIDE.test(name) && !this.#isSpan(name))) return 'active';
    const calls = judgeCalls(bare);
    if (calls === 'active' || hasUnsafeLink(formula)) return 'active';
    const plain = bare
      .replace(ERROR_VALUE, '0')
      .replace(COLUMNS, (word, _, columns?: string) => (columns === undefined ? word : 'T'));
    if (/[[\]|]/.test(plain)) return 'active';
    const unquoted = [...plain.matchAll(SHEET_PREFIX)].flatMap(([, words = '', sign]) =>
      sign === '' ? [] : sheetsIn(words),
    );
    if (unquoted.some((name) => name !== 'Quoted' && !this.#isSheet(name))) return 'active';
    const isUnderstood =
      calls === 'safe' &&
      !/[#"'{}]/.test(plain.replaceAll('""', '').replace(/\{[^{}]*\}/g, '')) &&
      sheets.every((name) => this.#isSheet(name));
    return isUnderstood ? 'safe' : 'unknown';
  }

  #isSheet(name: string): boolean {
    return this.#sheets.has(name.toLowerCase()) || this.#isSpan(name);
  }

  /** `Jan:Dec`, several sheets. */
  #isSpan(name: string): boolean {
    const ends = name.toLowerCase().split(':');
    return ends.length === 2 && ends.every((end) => this.#sheets.has(end));
  }
}

/** The sheet or the two sheets that words with colons between them end with. */
function sheetsIn(words: string): string {
  return words
    .split(':')
    .slice(-2)
    .filter((word) => word !== '')
    .join(':');
}

export function judgeCalls(bare: string): Verdict {
  let verdict: Verdict = 'safe';
  for (const [, name = '', sign] of bare.matchAll(CALL)) {
    if (sign === '') continue;
    const written = name.toUpperCase().replace(FUNCTION_PREFIX, '');
    if (ACTIVE_FUNCTIONS.has(written)) return 'active';
    if (!SAFE_FUNCTIONS.has(written)) verdict = 'unknown';
  }
  return verdict;
}

/** Whether a link is unsafe, or is computed so that its address is not known. */
export function hasUnsafeLink(formula: string): boolean {
  return [...formula.matchAll(LINK)].some(
    ([, address]) => address === undefined || !isSafeLink(address.replaceAll('""', '"')),
  );
}
