import { isLikelyName } from '@scriptorium/docx-template/template';
import type { Syntax } from '../instruction.ts';
import { Decision, type Enclosed } from './decision.ts';
import {
  CARBONE,
  CARBONE_SURE,
  CLOSE,
  COMMAND_END,
  CURLY,
  hasPlusCommands,
  INSERT,
  isValue,
  PATH_CHARS_MAX,
  POI_TL,
  SECTION,
} from './forms.ts';
import { type Delimiters, type Lexeme, Lexer } from './lexer.ts';

export interface LanguageOptions {
  syntax: 'auto' | Syntax;
  delimiters?: Delimiters | undefined;
}

/** A longer mark is a mistake, whatever its language. */
const INNER_CHARS_MAX = 2_000;

/** How often a template uses the marks of one kind of delimiters. */
class Count {
  all = 0;
  ends = 0;
  names = 0;
  dollarNames = 0;
  poiTl = 0;
  curly = 0;
  carbone = 0;
  carboneSure = 0;
  readonly opened = new Set<string>();
  readonly closed = new Set<string>();
  readonly #closedAfterDollar = new Set<string>();
  inserts = 0;

  add(inner: string, isAfterDollar: boolean): void {
    this.all++;
    if (inner.length > INNER_CHARS_MAX) return;
    if (COMMAND_END.test(inner)) this.ends++;
    if (POI_TL.test(inner)) this.poiTl++;
    if (CURLY.test(inner)) this.curly++;
    if (isAfterDollar && POI_TL.test(inner)) this.dollarNames++;
    if (INSERT.test(inner)) this.inserts++;
    const opened = SECTION.exec(inner)?.[1];
    const closed = CLOSE.exec(inner)?.[1];
    if (opened !== undefined) this.opened.add(opened.trim());
    else if (closed !== undefined) {
      this.closed.add(closed.trim());
      if (isAfterDollar) this.#closedAfterDollar.add(closed.trim());
    } else if (CARBONE.test(inner)) this.carbone++;
    else if (isValue(inner)) isAfterDollar ? this.dollarNames++ : this.names++;
    if (CARBONE_SURE.test(inner)) this.carboneSure++;
  }

  /** Whether a section is closed as docxtemplater does. */
  get hasSections(): boolean {
    if (this.opened.size === 0) return false;
    return this.closed.has('') || [...this.closed].some((name) => this.opened.has(name));
  }

  /** Whether a tag has the form of a section, closed or not. */
  get looksLikeSections(): boolean {
    const closed = [...this.closed].filter((name) => !this.#closedAfterDollar.has(name));
    return [...this.opened, ...closed].some((name) => name.length <= PATH_CHARS_MAX && isLikelyName(name));
  }

  get hasTables(): boolean {
    return this.opened.size > 0 && !this.hasSections;
  }
}

/** Which languages a template uses. */
export class Usage {
  readonly options: LanguageOptions;
  readonly #counts: Readonly<Record<'single' | 'doubled' | 'custom', Count>>;
  #statements = 0;
  #changes = 0;
  hasPlus = false;

  constructor(options: LanguageOptions) {
    this.options = options;
    this.#counts = { single: new Count(), doubled: new Count(), custom: new Count() };
  }

  /** Counts the marks of the texts of one story. */
  add(texts: readonly string[]): void {
    const { syntax } = this.options;
    const takesPlus = syntax === 'auto' || syntax === 'command';
    this.hasPlus ||= takesPlus && this.options.delimiters === undefined && texts.some(hasPlusCommands);
    const lexer = this.lexer();
    for (const text of texts) for (const found of lexer.read(text)) this.#count(found, text);
  }

  /** A lexer for one story. */
  lexer(): Lexer {
    return new Lexer({
      delimiters: this.options.delimiters,
      hasPlus: this.hasPlus,
      hasStatements: this.#statements > 0,
    });
  }

  #count(found: Lexeme, text: string): void {
    const { kind } = found;
    if (kind === 'statement') this.#statements++;
    if (kind === 'change') this.#changes++;
    if (kind === 'single' || kind === 'doubled' || kind === 'custom')
      this.#counts[kind].add(found.inner, text[found.start - 1] === '$');
  }

  /** What the marks of a template mean as a whole. */
  decide(): Decision {
    const { single, doubled, custom } = this.#counts;
    const { syntax } = this.options;
    const isAuto = syntax === 'auto';
    const hasSections = single.hasSections;
    const enclosed = languageOf(doubled, this.#statements > 0);
    const isCarbone = single.carbone > 0 && (single.carboneSure > 0 || (single.names === 0 && !hasSections));
    const isCommand = single.ends > 0 || (single.inserts > 0 && !hasSections);
    // Beside another language, a name in braces is text, as that language has it.
    const isOther = (enclosed !== 'any' && doubled.all > 0) || this.#statements > 0 || this.hasPlus;
    const hasNames = single.names > 0 && !isOther && single.carboneSure === 0;
    const isCurly =
      hasNames || hasSections || single.looksLikeSections || single.curly > 0 || this.#changes > 0;
    const isMixed = this.#statements > 0 || doubled.all > 0 || this.hasPlus || isCarbone;
    return new Decision({
      syntax,
      hasStatements: this.#statements > 0,
      hasDoubled: doubled.all > 0 && (!isAuto || enclosed !== 'any' || doubled.names > 0),
      hasCarbone: syntax === 'carbone' || (isAuto && isCarbone),
      hasCommands: syntax === 'command' || (isAuto && isCommand),
      hasCurly: syntax === 'curly' || (isAuto && isCurly),
      hasDollars: isAuto && single.dollarNames > 0 && !isCurly && !isCommand && !isOther,
      hasNames: syntax === 'curly' || (isAuto && hasNames),
      isStrict:
        syntax === 'curly' || (isAuto && ((hasSections && !isOther) || ((isCurly || isCommand) && !isMixed))),
      doubled: enclosed,
      custom: languageOf(custom, false),
    });
  }
}

function languageOf(count: Count, hasStatements: boolean): Enclosed {
  if (count.ends > 0 || (count.inserts > 0 && count.poiTl === 0)) return 'command';
  const isCurly = count.hasSections || count.curly > 0;
  if (count.poiTl > 0 && !(count.hasSections && count.poiTl === 0)) return 'poi-tl';
  if (isCurly) return 'curly';
  if (hasStatements) return 'jinja';
  return count.hasTables ? 'poi-tl' : 'any';
}
