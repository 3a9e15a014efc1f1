/** Two strings that enclose a mark. They may be equal. */
export type Delimiters = readonly [string, string];

/** A mark by its delimiters alone. Its language is not known yet. Offsets are into the text that was read. */
export type Lexeme =
  | {
      kind:
        | 'statement'
        | 'comment'
        | 'doubled'
        | 'single'
        | 'paired'
        | 'custom'
        | 'row'
        | 'escape'
        | 'dotnet';
      start: number;
      end: number;
      inner: string;
    }
  /** `{=[[ ]]=}` of docxtemplater. */
  | { kind: 'change'; start: number; end: number; inner: string }
  | {
      kind: 'unclosed' | 'unopened';
      start: number;
      end: number;
      delimiter: string;
      /** The first characters after the delimiter. */
      behind?: string;
    };

const PLUS = '+++';
const CHANGE = /=[^\s=]+ [^\s=]+=/y;
const SHOWN_CHARS = 30;

export interface LexerOptions {
  /** Only these delimiters count. */
  delimiters?: Delimiters | undefined;
  /** Whether `+++` encloses commands. */
  hasPlus: boolean;
}

/** Reads the marks of one story, text by text. */
export class Lexer {
  #delimiters: Delimiters | undefined;
  readonly #hasPlus: boolean;
  /** A command of `+++` that no text so far has closed. */
  #isInCommand = false;

  constructor({ delimiters, hasPlus }: LexerOptions) {
    this.#delimiters = delimiters;
    this.#hasPlus = hasPlus;
  }

  /** The marks of a text, in order. Takes linear time. */
  *read(text: string): Generator<Lexeme> {
    const finder = new Finder(text);
    let at = this.#skipCommand(finder);
    while (at < text.length) {
      const found = this.#delimiters === undefined ? this.#next(finder, at) : this.#custom(finder, at);
      if (found === undefined) return;
      yield found;
      at = Math.max(found.end, at + 1);
    }
  }

  /** The end of the command that a text before began. */
  #skipCommand(finder: Finder): number {
    if (!this.#isInCommand) return 0;
    const end = finder.next(PLUS, 0);
    this.#isInCommand = end === Infinity;
    return end + PLUS.length;
  }

  #next(finder: Finder, from: number): Lexeme | undefined {
    const open = finder.next('{', from);
    const close = finder.next('}', from);
    const plus = this.#hasPlus ? finder.next(PLUS, from) : Infinity;
    const first = Math.min(open, close, plus);
    if (first === Infinity) return undefined;
    if (first === plus) return this.#plus(finder, plus);
    if (first === close) return escapeAt(finder, close, from) ?? stray(finder, close);
    return this.#brace(finder, open);
  }

  #plus(finder: Finder, start: number): Lexeme {
    const end = finder.next(PLUS, start + PLUS.length);
    if (end !== Infinity) return lexeme(finder, 'paired', start, PLUS.length, end, PLUS.length);
    this.#isInCommand = true;
    return { kind: 'unclosed', start, end: finder.text.length, delimiter: PLUS };
  }

  #brace(finder: Finder, start: number): Lexeme {
    const { text } = finder;
    const change = this.#change(finder, start, ['{', '}']);
    if (change !== undefined) return change;
    const escaped = /^\{_[{%]$/.test(text.slice(start, start + 3));
    if (escaped) return { kind: 'escape', start, end: start + 3, inner: text.slice(start, start + 3) };
    const ofNet = dotnetAt(text, start);
    if (ofNet !== undefined) return ofNet;
    const second = text[start + 1];
    const tripled = tripledAt(text, start);
    if (tripled !== undefined) return tripled;
    if (second === '{') return doubled(finder, start, this.#hasPlus);
    const close = finder.next('}', start + 1);
    if (second === '%' && isStatement(finder, start, close))
      return lexeme(finder, 'statement', start, 2, finder.next('%}', start + 2), 2);
    if (second === '#' && isComment(finder, start, close))
      return lexeme(finder, 'comment', start, 2, finder.next('#}', start + 2), 2);
    const inner = finder.next('{', start + 1);
    if (close === Infinity || inner < close)
      return second === '%'
        ? {
            kind: 'unclosed',
            start,
            end: start + 1,
            delimiter: '{%',
            behind: text.slice(start + 2, start + SHOWN_CHARS),
          }
        : {
            kind: 'unclosed',
            start,
            end: start + 1,
            delimiter: '{',
            behind: text.slice(start + 1, start + SHOWN_CHARS),
          };
    if (this.#hasPlus && finder.next(PLUS, start) < close)
      return { kind: 'unclosed', start, end: start + 1, delimiter: '{' };
    return lexeme(finder, 'single', start, 1, close, 1);
  }

  #custom(finder: Finder, from: number): Lexeme | undefined {
    const [opening, closing] = this.#delimiters ?? ['{', '}'];
    const start = finder.next(opening, from);
    const stray = opening === closing ? Infinity : finder.next(closing, from);
    if (stray < start)
      return { kind: 'unopened', start: stray, end: stray + closing.length, delimiter: closing };
    if (start === Infinity) return undefined;
    const change = this.#change(finder, start, [opening, closing]);
    if (change !== undefined) return change;
    const inside = start + opening.length;
    const close = finder.next(closing, inside);
    const inner = opening === closing ? Infinity : finder.next(opening, inside);
    if (close === Infinity || inner < close)
      return { kind: 'unclosed', start, end: inside, delimiter: opening };
    return lexeme(finder, 'custom', start, opening.length, close, closing.length);
  }

  /** A tag that changes the delimiters of the rest of the story. */
  #change({ text }: Finder, start: number, [opening, closing]: Delimiters): Lexeme | undefined {
    CHANGE.lastIndex = start + opening.length;
    const inner = text[CHANGE.lastIndex] === '=' ? CHANGE.exec(text)?.[0] : undefined;
    if (inner === undefined) return undefined;
    const end = start + opening.length + inner.length;
    if (!text.startsWith(closing, end)) return undefined;
    const [first = '', second = ''] = inner.slice(1, -1).split(' ');
    this.#delimiters = [first, second];
    return { kind: 'change', start, end: end + closing.length, inner };
  }
}

/** A comment of Jinja ends at the first `#}`. Elsewhere, `{#x}` opens a section. */
function isComment(finder: Finder, start: number, close: number): boolean {
  const end = finder.next('#}', start + 2);
  return end + 1 === close || (end < Infinity && /\s/.test(finder.text[start + 2] ?? ''));
}

const DOTNET = /\{\{([^{}]{1,500}\}:\s?\w{1,40}(?:\([^{}]{0,200}\))?)\}|\{(\?)\{([^{}]{1,1000})\}\}/y;

/** `{{a}:f(n2)}` and `{?{a}}` of DocxTemplater for .NET. */
function dotnetAt(text: string, start: number): Lexeme | undefined {
  DOTNET.lastIndex = start;
  const [whole = '', formatted, sign = '', condition = ''] = DOTNET.exec(text) ?? [];
  if (whole === '') return undefined;
  return { kind: 'dotnet', start, end: start + whole.length, inner: formatted ?? sign + condition };
}

const TRIPLED = /\{\{\{([^{}]{1,500})\}\}\}/y;

/** `{{{a}}}` of Mustache, whose value is not escaped. Its inner text keeps a brace. */
function tripledAt(text: string, start: number): Lexeme | undefined {
  TRIPLED.lastIndex = start;
  const [whole = '', inner = ''] = TRIPLED.exec(text) ?? [];
  return whole === '' ? undefined : { kind: 'doubled', start, end: start + whole.length, inner: `{${inner}` };
}

function doubled(finder: Finder, start: number, hasPlus: boolean): Lexeme {
  const { text } = finder;
  const close = finder.next('}}', start + 2);
  const inner = finder.next('{{', start + 2);
  const isTripled = text[start + 2] === '{';
  const isCommand = hasPlus && finder.next(PLUS, start) < close;
  if (close !== Infinity && inner > close && !isTripled && !isCommand)
    return lexeme(finder, 'doubled', start, 2, close, 2);
  let end = start + 2;
  while (text[end] === '{') end++;
  // The last brace may open a tag of its own.
  return {
    kind: 'unclosed',
    start,
    end: end - 1,
    delimiter: '{{',
    behind: text.slice(end, end + SHOWN_CHARS),
  };
}

/** `}_}` and `%_}`, which docxtpl writes for a delimiter that is text. */
function escapeAt({ text }: Finder, close: number, from: number): Lexeme | undefined {
  const start = text.startsWith('}_}', close) ? close : close - 2;
  const inner = text.slice(Math.max(start, 0), start + 3);
  const isEscape = start >= from && (inner === '}_}' || inner === '%_}');
  return isEscape ? { kind: 'escape', start, end: start + 3, inner } : undefined;
}

function stray({ text }: Finder, start: number): Lexeme {
  let end = start + 1;
  while (text[end] === '}') end++;
  return { kind: 'unopened', start, end, delimiter: end - start > 1 ? '}}' : '}' };
}

/** Whether `{%` begins a statement, and not a picture: `{%logo}`. */
function isStatement(finder: Finder, start: number, close: number): boolean {
  const end = finder.next('%}', start + 2);
  if (end === Infinity || finder.next('{%', start + 2) < end) return false;
  return (
    end + 1 === close || finder.next('{', start + 2) < close || /[-+\s]/.test(finder.text[start + 2] ?? '')
  );
}

function lexeme(
  { text }: Finder,
  kind: Exclude<Lexeme['kind'], 'unclosed' | 'unopened'>,
  start: number,
  opening: number,
  close: number,
  closing: number,
): Lexeme {
  return { kind, start, end: close + closing, inner: text.slice(start + opening, close) };
}

/** The text of a delimiter without a partner, with what stands around it. */
export function shownAround(text: string, { start, end, kind }: Lexeme): string {
  if (kind === 'unclosed') return text.slice(start, Math.max(end, start + SHOWN_CHARS));
  return text.slice(Math.max(0, start - SHOWN_CHARS), end);
}

/** Searches forward. Repeated searches do not read the same characters again. */
class Finder {
  readonly text: string;
  /** What the last search for a string began with, and found. */
  readonly #known = new Map<string, { from: number; at: number }>();

  constructor(text: string) {
    this.text = text;
  }

  /** The first offset of `sought` from `from` on. Infinity if there is none. */
  next(sought: string, from: number): number {
    const known = this.#known.get(sought);
    if (known !== undefined && known.from <= from && from <= known.at) return known.at;
    const found = this.text.indexOf(sought, from);
    const at = found === -1 ? Infinity : found;
    this.#known.set(sought, { from, at });
    return at;
  }
}
