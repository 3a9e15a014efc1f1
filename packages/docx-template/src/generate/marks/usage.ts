import { isLikelyName } from '../../placeholders/likely-name.ts';
import type { TextSyntax } from '../dialects/dialects.ts';
import type { Syntax } from '../instruction.ts';
import { type Delimiters, Lexer, type Lexeme } from './lexer.ts';

export interface LanguageOptions {
  syntax: 'auto' | Syntax;
  delimiters?: Delimiters | undefined;
}


const COMMAND_END = /^\s*END-(?:FOR|IF)\b/i;
const COMMAND = /^\s*(?:(?:INS|FOR|END-FOR|IF|END-IF|IMAGE|LINK|HTML|QUERY|EXEC|ALIAS)\b|[=!*$])/i;
/** A command that looks like nothing else. */
const INSERT = /^\s*(?:INS\s+\S|=\s*[\p{L}_$])/u;
const COMMAND_PATH = /^\s*[\p{L}_][\p{L}\p{N}_.[\]]*(?:\s*\(.*\))?\s*$/u;
const PATH_CHARS_MAX = 200;
const CARBONE = /^\s*[cd]\s*[.[:]/;
const CARBONE_ONLY = /^\s*(?:t\s*\(|[#$])/;
const CARBONE_SURE = /^\s*d\s*[.[][^{}]*(?:\[\s*[A-Za-z]\w*(?:\s*\+\s*1)?\s*\]|:\s*[A-Za-z]\w*)/;
/** What only poi-tl writes in double braces. A table `{{#x}}` looks as an open section does. */
const POI_TL = /^\s*(?:[?*+@]|=\s*#)/;
const CURLY = /^\s*(?:\^|%|~|-\w+:)/;
const SIGIL = /^\s*(?:[?*+@=#/^%~]|-\w+:)/;
const MINI_WORD = /^\s*(?:foreach\b|if\s*\()/;
const SECTION = /^\s*[#^](.*)$/s;
const CLOSE = /^\s*\/(.*)$/s;
const PICTURE = /^\s*(?:%%?|~~?)\s*[\p{L}_][\p{L}\p{N}_.]*\s*$/u;
const FORMATTED = /^\s*[\p{L}_.$][\p{L}\p{N}_.$[\]]*\s*\|\s*\w+/u;
const GUID = /^\s*[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\s*$/i;
const THIS = /^\s*(?:\.|\$\w+)\s*$/;

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
    }
    else if (CARBONE.test(inner)) this.carbone++;
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

function isValue(inner: string): boolean {
  const text = inner.trim();
  if (text.length > PATH_CHARS_MAX) return false;
  return isLikelyName(text) || PICTURE.test(text) || FORMATTED.test(text) || THIS.test(text);
}

/** Whether texts between `+++` are commands. */
export function hasPlusCommands(text: string): boolean {
  if (!text.includes('+++')) return false;
  const parts = text.split('+++');
  const isCommand = (inner: string) =>
    COMMAND.test(inner) || (inner.length <= PATH_CHARS_MAX && COMMAND_PATH.test(inner));
  if (parts.length === 2) return COMMAND.test(parts[1] ?? '');
  return parts.some((part, index) => index % 2 === 1 && index < parts.length - 1 && isCommand(part));
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
    const isCarbone =
      single.carbone > 0 && (single.carboneSure > 0 || (single.names === 0 && !hasSections));
    const isCommand = single.ends > 0 || (single.inserts > 0 && !hasSections);
    // Beside another language, a name in braces is text, as that language has it.
    const isOther = (enclosed !== 'any' && doubled.all > 0) || this.#statements > 0 || this.hasPlus;
    const hasNames = single.names > 0 && !isOther && single.carboneSure === 0;
    const isCurly = hasNames || hasSections || single.looksLikeSections || single.curly > 0 || this.#changes > 0;
    const isMixed = this.#statements > 0 || doubled.all > 0 || this.hasPlus || isCarbone;
    return new Decision({
      syntax,
      hasStatements: this.#statements > 0,
      hasDoubled: doubled.all > 0 && (!isAuto || doubled.names > 0 || doubled.poiTl > 0 || doubled.ends > 0),
      hasCarbone: syntax === 'carbone' || (isAuto && isCarbone),
      hasCommands: syntax === 'command' || (isAuto && isCommand),
      hasCurly: syntax === 'curly' || (isAuto && isCurly),
      hasDollars: isAuto && single.dollarNames > 0 && !isCurly && !isCommand && !isOther,
      hasNames: syntax === 'curly' || (isAuto && hasNames),
      isStrict: syntax === 'curly' || (isAuto && ((hasSections && !isOther) || ((isCurly || isCommand) && !isMixed))),
      doubled: enclosed,
      custom: languageOf(custom, false),
    });
  }
}

type Enclosed = 'command' | 'poi-tl' | 'curly' | 'jinja' | 'any';

function languageOf(count: Count, hasStatements: boolean): Enclosed {
  if (count.ends > 0 || (count.inserts > 0 && count.poiTl === 0)) return 'command';
  const isCurly = count.hasSections || count.curly > 0;
  if (count.poiTl > 0 && !(count.hasSections && count.poiTl === 0)) return 'poi-tl';
  if (isCurly) return 'curly';
  if (hasStatements) return 'jinja';
  return count.hasTables ? 'poi-tl' : 'any';
}

interface Facts {
  syntax: 'auto' | Syntax;
  hasStatements: boolean;
  hasDoubled: boolean;
  hasCarbone: boolean;
  hasCommands: boolean;
  hasCurly: boolean;
  hasDollars: boolean;
  /** Whether a name in braces is a mark. */
  hasNames: boolean;
  /** Whether every brace is a delimiter, as docxtemplater has it. */
  isStrict: boolean;
  doubled: Enclosed;
  custom: Enclosed;
}

/** The language of a mark, or why it is not a mark. */
export type Choice =
  | { syntax: TextSyntax; form: 'tag' | 'statement' | 'comment'; takesDollar?: boolean }
  | { issue: string }
  | undefined;

/** Names the language of each mark of a template. */
export class Decision {
  readonly facts: Facts;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  /** The language of a mark. Undefined if it is text. */
  choose(found: Lexeme, before: string, { isStrict = this.facts.isStrict } = {}): Choice {
    const { syntax } = this.facts;
    switch (found.kind) {
      case 'unclosed':
      case 'unopened':
        return this.#lone(found);
      case 'escape':
        return takes(syntax, 'jinja') && (this.facts.doubled === 'jinja' || this.facts.doubled === 'any')
          ? { syntax: 'jinja', form: 'tag' }
          : undefined;
      case 'row':
        return { syntax: 'poi-tl', form: 'tag' };
      case 'change':
        return takes(syntax, 'curly') ? { syntax: 'curly', form: 'comment' } : undefined;
      case 'paired':
        return { syntax: 'command', form: 'tag' };
      case 'statement':
      case 'comment':
        if (syntax === 'curly') return { syntax: 'curly', form: 'tag' };
        return takes(syntax, 'jinja') ? { syntax: 'jinja', form: found.kind } : undefined;
      case 'custom':
        return { syntax: this.#customSyntax(found.inner), form: 'tag' };
      case 'doubled':
        return this.#doubled(found.inner);
      default:
        return this.#single(found.inner, before, isStrict);
    }
  }

  /** Whether `[name]` in a row can be a mark. */
  get takesRows(): boolean {
    const { syntax, doubled, hasStatements, hasDoubled } = this.facts;
    if (syntax !== 'auto') return syntax === 'poi-tl';
    return hasDoubled && !hasStatements && (doubled === 'poi-tl' || doubled === 'any');
  }

  #customSyntax(inner: string): TextSyntax {
    const { syntax, custom } = this.facts;
    if (syntax !== 'auto' && syntax !== 'word') return syntax;
    if (custom === 'poi-tl' || custom === 'command') return custom;
    return COMMAND.test(inner) && /^\s*[A-Z]/.test(inner) ? 'command' : 'curly';
  }

  #doubled(inner: string): Choice {
    const { syntax, doubled, hasStatements } = this.facts;
    if (syntax === 'carbone' || syntax === 'word') return undefined;
    if (syntax !== 'auto') return { syntax, form: 'tag' };
    if (!this.facts.hasDoubled) return undefined;
    if (MINI_WORD.test(inner)) return { syntax: 'poi-tl', form: 'tag' };
    if (doubled === 'any') return { syntax: 'jinja', form: 'tag' };
    if (hasStatements && !SIGIL.test(inner)) return { syntax: 'jinja', form: 'tag' };
    return { syntax: doubled, form: 'tag' };
  }

  #single(inner: string, before: string, isStrict: boolean): Choice {
    const { syntax, hasCarbone, hasCommands, hasCurly, hasDollars, hasNames } = this.facts;
    if (hasCarbone && (CARBONE.test(inner) || (syntax === 'carbone' && CARBONE_ONLY.test(inner))))
      return { syntax: 'carbone', form: 'tag' };
    if (syntax !== 'auto' && syntax !== 'curly' && syntax !== 'command') return undefined;
    if (hasDollars && before === '$' && isValue(inner.replace(/^\s*[?@/]/, '')))
      return { syntax: /^\s*[?@/]/.test(inner) ? 'poi-tl' : 'curly', form: 'tag', takesDollar: true };
    const isSection = SECTION.test(inner) || CLOSE.test(inner);
    if (hasCommands && !isSection && (isStrict || COMMAND.test(inner) || isValue(inner)))
      return { syntax: 'command', form: 'tag' };
    if (!hasCurly || (syntax === 'auto' && GUID.test(inner))) return undefined;
    const isMark = isStrict || isSection || CURLY.test(inner) || (hasNames && isValue(inner));
    return isMark ? { syntax: 'curly', form: 'tag' } : undefined;
  }

  /** A delimiter without a partner, in the words of docxtemplater. */
  #lone({ kind, delimiter, behind = '' }: Extract<Lexeme, { kind: 'unclosed' | 'unopened' }>): Choice {
    const { isStrict, hasDoubled, hasStatements, syntax } = this.facts;
    if (MINI_WORD.test(behind) && syntax === 'auto')
      return { issue: 'A condition or loop of MiniWord is not supported; use {{?name}}…{{/name}}' };
    const isOwn = !/^(?:\{|\}|\{\{|\}\}|\{%)$/.test(delimiter);
    const isUsed =
      isOwn ||
      isStrict ||
      (delimiter === '{{' && (hasDoubled || hasStatements)) ||
      (delimiter === '{%' && (hasStatements || syntax === 'jinja'));
    if (!isUsed) return undefined;
    if (delimiter === '+++') return { issue: 'Unclosed command (a command must be in one paragraph)' };
    if (kind === 'unopened')
      return { issue: delimiter === '}}' ? 'Duplicate close tag, expected one close tag' : 'Unopened tag' };
    const isDuplicate = delimiter === '{{' && isStrict && !hasDoubled;
    return { issue: isDuplicate ? 'Duplicate open tag, expected one open tag' : 'Unclosed tag' };
  }
}

function takes(syntax: 'auto' | Syntax, wanted: Syntax): boolean {
  return syntax === 'auto' || syntax === wanted;
}

