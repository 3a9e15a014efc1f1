import type { TextSyntax } from '../dialects/dialects.ts';
import type { Syntax } from '../instruction.ts';
import {
  AFTER_DOLLAR,
  ALIAS,
  ALIAS_USE,
  BEGINS_MARK,
  CARBONE,
  CARBONE_ONLY,
  CLOSE,
  COMMAND,
  CURLY,
  GUID,
  isValue,
  MINI_WORD,
  NOTE,
  SECTION,
  SIGIL,
  TRANSLATION,
} from './forms.ts';
import type { Lexeme } from './lexer.ts';
import type { InSingle } from './scores.ts';
import { signerMark } from './signer-marks.ts';

interface Facts {
  syntax: 'auto' | Syntax;
  hasStamper: boolean;
  hasStatements: boolean;
  hasDoubled: boolean;
  /** What single braces enclose. */
  used: ReadonlySet<InSingle>;
  /** The names of blocks of PHPWord. */
  dollarBlocks: ReadonlySet<string>;
  /** Whether every brace is a delimiter, as docxtemplater has it. */
  isStrict: boolean;
  /** The languages that marks in double braces, and between delimiters of the caller, fit best. */
  fits: Readonly<Record<'doubled' | 'custom', readonly TextSyntax[]>>;
}

/** A name in the delimiters `{#` and `#}`. */
const MACRO = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

const tag = (syntax: TextSyntax) => ({ syntax, form: 'tag' }) as const;

const ENCLOSING = new Set<Lexeme['kind']>(['single', 'doubled', 'custom', 'paired']);

const isSignerMark = (found: Lexeme): boolean =>
  ENCLOSING.has(found.kind) && 'inner' in found && signerMark(found.inner) !== undefined;

/** The language of a mark, or why it is not a mark. */
export type Choice =
  | {
      syntax: TextSyntax;
      form: 'tag' | 'statement' | 'comment';
      takesDollar?: boolean;
      /** What the language reads, if that is another text than the mark has. */
      inner?: string;
    }
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
    if (isSignerMark(found)) return this.#ofSigner(found.kind, before);
    switch (found.kind) {
      case 'unclosed':
      case 'unopened':
        return this.#lone(found, before);
      case 'escape':
        return takes(syntax, 'jinja') && this.#mayBe('jinja') ? tag('jinja') : undefined;
      case 'row':
        return tag('poi-tl');
      case 'change':
        return takes(syntax, 'curly') ? { syntax: 'curly', form: 'comment' } : undefined;
      case 'paired':
        return tag('command');
      case 'comment':
        if (this.#isMacro(found.inner)) return this.#macro(found.inner, before);
        return this.#statement(found.kind);
      case 'statement':
        return this.#statement(found.kind);
      case 'dotnet':
        return takes(syntax, 'dotnet') ? tag('dotnet') : { issue: 'Unclosed tag' };
      case 'custom':
        return this.#enclosed(found.kind, found.inner);
      case 'doubled':
        if (found.inner.startsWith('{')) return this.#tripled(found.inner.slice(1));
        return noted(this.#enclosed(found.kind, found.inner), found.inner);
      default:
        return this.#single(found.inner, before, isStrict);
    }
  }

  /** Such a mark is the same in every language, and names none. */
  #ofSigner(kind: Lexeme['kind'], before: string): Choice {
    const { syntax, fits, hasStamper } = this.facts;
    const takesDollar = kind === 'single' && before === '$';
    if (syntax !== 'auto' && syntax !== 'word') return { ...tag(syntax), takesDollar };
    const [doubled = 'jinja'] = fits.doubled;
    const guess = { paired: 'command', doubled } as const;
    const own = hasStamper ? 'stamper' : 'curly';
    return { ...tag(guess[kind as keyof typeof guess] ?? own), takesDollar };
  }

  #statement(form: 'statement' | 'comment'): Choice {
    const { syntax } = this.facts;
    if (syntax === 'curly') return tag('curly');
    return takes(syntax, 'jinja') ? { syntax: 'jinja', form } : undefined;
  }

  /** Whether `{#name#}` is a value: PHPWord may have such delimiters. Beside marks of Jinja, it is a comment. */
  #isMacro(inner: string): boolean {
    const { syntax, hasStatements, hasDoubled } = this.facts;
    return syntax === 'auto' && !hasStatements && !hasDoubled && MACRO.test(inner);
  }

  #macro(inner: string, before: string): Choice {
    return { syntax: 'curly', form: 'tag', inner, takesDollar: before === '$' };
  }

  /** Whether `[name]` in a row can be a mark. */
  get takesRows(): boolean {
    const { syntax, hasStatements, hasDoubled } = this.facts;
    if (syntax !== 'auto') return syntax === 'poi-tl';
    return hasDoubled && !hasStatements && this.#mayBe('poi-tl');
  }

  /** Whether marks in double braces can be of this language. */
  #mayBe(syntax: TextSyntax): boolean {
    const { doubled } = this.facts.fits;
    return doubled.length === 0 || doubled.includes(syntax);
  }

  /** The language that the marks of these delimiters fit best. Where several fit equally, only the caller knows it. */
  #enclosed(kind: 'doubled' | 'custom', inner: string): Choice {
    const { syntax, hasStatements, fits } = this.facts;
    if (syntax === 'word' || (syntax === 'carbone' && kind === 'doubled')) return undefined;
    if (syntax !== 'auto') return tag(syntax);
    if (kind === 'doubled' && MINI_WORD.test(inner)) return tag('poi-tl');
    if (kind === 'doubled' && hasStatements && !SIGIL.test(inner)) return tag('jinja');
    const [best, ...others] = fits[kind];
    if (others.length > 0)
      return { issue: `The marks fit ${fits[kind].join(' and ')}; name the language in “syntax”` };
    const isCommand = COMMAND.test(inner) && /^\s*[A-Z]/.test(inner);
    return tag(best ?? (kind === 'doubled' ? 'jinja' : isCommand ? 'command' : 'curly'));
  }

  /** A value of Mustache. Other languages have no such mark. */
  #tripled(inner: string): Choice {
    const choice = this.#enclosed('doubled', inner);
    if (choice === undefined || 'issue' in choice) return choice;
    const isOfMustache = choice.syntax === 'handlebars' || choice.syntax === 'curly';
    return isOfMustache ? { ...choice, inner } : { issue: 'Unclosed tag' };
  }

  #single(inner: string, before: string, isStrict: boolean): Choice {
    const { syntax, used, hasStamper } = this.facts;
    if (hasStamper) {
      const form = before === '$' ? 'tag' : before === '#' ? 'statement' : undefined;
      return form && { syntax: 'stamper', form, takesDollar: true };
    }
    if (
      used.has('carbone') &&
      (CARBONE.test(inner) ||
        (syntax === 'carbone' && CARBONE_ONLY.test(inner)) ||
        TRANSLATION.test(inner) ||
        ALIAS.test(inner) ||
        (used.has('aliases') && ALIAS_USE.test(inner)))
    )
      return tag('carbone');
    if (syntax !== 'auto' && syntax !== 'curly' && syntax !== 'command') return undefined;
    if (used.has('dollars') && before === '$' && AFTER_DOLLAR.test(inner)) {
      if (this.facts.dollarBlocks.has(inner.trim()))
        return { syntax: 'poi-tl', form: 'tag', takesDollar: true, inner: `?${inner.trim()}` };
      return { syntax: /^\s*[?@/]/.test(inner) ? 'poi-tl' : 'curly', form: 'tag', takesDollar: true };
    }
    const isSection = SECTION.test(inner) || CLOSE.test(inner);
    if (used.has('command') && !isSection && (isStrict || COMMAND.test(inner) || isValue(inner)))
      return tag('command');
    if (!used.has('curly') || (syntax === 'auto' && GUID.test(inner))) return undefined;
    const isMark = isStrict || isSection || CURLY.test(inner) || (used.has('names') && isValue(inner));
    return isMark ? tag('curly') : undefined;
  }

  /** A delimiter without a partner, in the words of docxtemplater. */
  #lone(
    { kind, delimiter, behind = '' }: Extract<Lexeme, { kind: 'unclosed' | 'unopened' }>,
    before: string,
  ): Choice {
    const { isStrict, hasDoubled, hasStatements, syntax, used, hasStamper } = this.facts;
    if (delimiter !== '{' && MINI_WORD.test(behind) && syntax === 'auto')
      return { issue: 'A condition or loop of MiniWord is not supported; use {{?name}}…{{/name}}' };
    const isOwn = !/^(?:\{|\}|\{\{|\}\}|\{%)$/.test(delimiter);
    const isUsed =
      isOwn ||
      isStrict ||
      (kind === 'unclosed' && before === '$' && (hasStamper || used.has('dollars'))) ||
      (syntax === 'auto' && kind === 'unclosed' && BEGINS_MARK[delimiter]?.test(behind) === true) ||
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

/** The same language, but a comment if the mark is one of Mustache. */
function noted(choice: Choice, inner: string): Choice {
  const isNote =
    choice !== undefined && 'syntax' in choice && choice.syntax !== 'command' && NOTE.test(inner);
  return isNote ? { ...choice, form: 'comment' } : choice;
}

function takes(syntax: 'auto' | Syntax, wanted: Syntax): boolean {
  return syntax === 'auto' || syntax === wanted;
}
