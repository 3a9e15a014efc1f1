import { isLikelyName } from '@scriptorium/docx-template/template';
import type { TextSyntax } from '../dialects/dialects.ts';
import {
  AFTER_DOLLAR,
  ALIAS,
  CARBONE,
  CLOSE,
  CURLY,
  isValue,
  PATH_CHARS_MAX,
  POI_TL,
  SECTION,
  TRANSLATION,
} from './forms.ts';

/** What the form of a mark shows. */
const FORMS = {
  end: /^\s*END-(?:FOR|IF)\b/i,
  insert: /^\s*(?:INS\s+\S|=\s*[\p{L}_$])/u,
  helper:
    /^\s*~?(?:#\s*(?:each|if|unless|with)\s+[\p{L}_.@(]|else(?:\s+if\s.*)?\s*~?\s*$|\/\s*(?:each|if|unless|with)\s*~?\s*$)/u,
  sign: POI_TL,
  prefix: CURLY,
  path: CARBONE,
  net: /^\s*(?::(?:s:|break|pagebreak|sectionbreak|ignore)?\s*$|\/:ignore|(?:#\s*(?:switch|case|s|c)|@\s*[A-Za-z_]\w*)\s*:|[\w.]*\._(?:Idx|Length)\s*$)/i,
  translation: TRANSLATION,
  alias: ALIAS,
  chain: /^\s*d\s*[.[][^{}]*(?:\[\s*[A-Za-z]\w*(?:\s*\+\s*1)?\s*\]|:\s*[A-Za-z]\w*)/,
} as const;
/**
 * A `section` is closed as docxtemplater does it, a `half` has the form of either end, and a `table` is never closed. A
 * `dollar` stands before the brace of a value. `other` is a language of other delimiters.
 */
type Clue =
  | keyof typeof FORMS
  | 'name'
  | 'dollar'
  | 'section'
  | 'half'
  | 'table'
  | 'statement'
  | 'change'
  | 'other';
type Points = Readonly<Partial<Record<Clue, number>>>;

/** The points of each language for marks in double braces, or in delimiters of the caller. Most points win. */
const ENCLOSED: readonly (readonly [TextSyntax, Points])[] = [
  ['command', { end: 4, insert: 3 }],
  ['handlebars', { helper: 8 }],
  ['dotnet', { net: 20 }],
  ['poi-tl', { sign: 4, table: 1 }],
  ['curly', { section: 4, prefix: 4 }],
  ['jinja', { statement: 2 }],
];

export type InSingle = 'carbone' | 'aliases' | 'command' | 'curly' | 'names' | 'dollars';
/**
 * The points of what single braces may enclose. All with more than 0 are used, since the form of a mark distinguishes
 * them. A name looks like prose: beside another language it is text, as that language has it.
 */
const SINGLE: readonly (readonly [InSingle, Points])[] = [
  ['carbone', { chain: 20, path: 1, translation: 1, alias: 20, name: -5, section: -5 }],
  ['aliases', { alias: 1 }],
  ['command', { end: 10, insert: 1, section: -5 }],
  ['curly', { section: 10, half: 10, prefix: 10, change: 10, name: 1, chain: -2, other: -2 }],
  ['names', { name: 1, section: 10, chain: -2, other: -2 }],
];

/** A longer mark is a mistake, whatever its language. */
const INNER_CHARS_MAX = 2_000;

/** The marks of one kind of delimiters, as clues to their languages. */
export class Clues {
  readonly #seen = new Set<Clue>();
  readonly #opened = new Set<string>();
  readonly #closed = new Set<string>();
  readonly #openedAfterDollar = new Set<string>();
  readonly #closedAfterDollar = new Set<string>();
  count = 0;

  add(inner: string, isAfterDollar: boolean): void {
    this.count++;
    if (inner.length > INNER_CHARS_MAX) return;
    for (const [clue, form] of Object.entries(FORMS)) if (form.test(inner)) this.#seen.add(clue as Clue);
    const opened = ALIAS.test(inner) ? undefined : SECTION.exec(inner)?.[1]?.trim();
    const closed = CLOSE.exec(inner)?.[1]?.trim();
    if (opened !== undefined) this.#opened.add(opened);
    else if (closed !== undefined) (isAfterDollar ? this.#closedAfterDollar : this.#closed).add(closed);
    else if (
      !CARBONE.test(inner) &&
      !TRANSLATION.test(inner) &&
      (isAfterDollar ? AFTER_DOLLAR.test(inner) : isValue(inner))
    )
      this.#seen.add(isAfterDollar ? 'dollar' : 'name');
    if (isAfterDollar && inner.trim().startsWith('?'))
      this.#openedAfterDollar.add(inner.trim().slice(1).trim());
  }

  /** The languages with the most points, more than one if they fit equally. None if no clue counts for one. */
  best(beside: readonly Clue[] = []): TextSyntax[] {
    const clues = this.#with(beside);
    const scores = ENCLOSED.map(([syntax, points]) => ({ syntax, score: scoreOf(points, clues) }));
    const most = Math.max(1, ...scores.map(({ score }) => score));
    return scores.filter(({ score }) => score === most).map(({ syntax }) => syntax);
  }

  /** What single braces enclose, and whether there is a section. */
  inSingle(beside: readonly Clue[]): { used: Set<InSingle>; hasSections: boolean } {
    const clues = this.#with(beside);
    const used = new Set(SINGLE.flatMap(([name, points]) => (scoreOf(points, clues) > 0 ? [name] : [])));
    const isForced = used.has('curly') || used.has('command') || clues.has('other');
    if (clues.has('dollar') && !isForced) used.add('dollars');
    return { used, hasSections: clues.has('section') };
  }

  /** The names that begin a block of PHPWord: `${x}` … `${/x}`. */
  get dollarBlocks(): ReadonlySet<string> {
    return new Set([...this.#closedAfterDollar].filter((name) => !this.#openedAfterDollar.has(name)));
  }

  #with(beside: readonly Clue[]): ReadonlySet<Clue> {
    const clues = new Set([...this.#seen, ...beside]);
    const isLikely = (name: string) => name.length <= PATH_CHARS_MAX && isLikelyName(name);
    const closed = [...this.#closed, ...this.#closedAfterDollar];
    if ([...this.#opened, ...this.#closed].some(isLikely)) clues.add('half');
    if (this.#opened.size > 0)
      clues.add(closed.some((name) => name === '' || this.#opened.has(name)) ? 'section' : 'table');
    return clues;
  }
}

function scoreOf(points: Points, clues: ReadonlySet<Clue>): number {
  return [...clues].reduce((sum, clue) => sum + (points[clue] ?? 0), 0);
}
