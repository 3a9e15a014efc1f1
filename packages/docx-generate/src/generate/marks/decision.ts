import type { TextSyntax } from '../dialects/dialects.ts';
import type { Syntax } from '../instruction.ts';
import {
  CARBONE,
  CARBONE_ONLY,
  CLOSE,
  COMMAND,
  CURLY,
  GUID,
  isValue,
  MINI_WORD,
  SECTION,
  SIGIL,
} from './forms.ts';
import type { Lexeme } from './lexer.ts';

/** The language of the marks between one pair of delimiters. */
export type Enclosed = 'command' | 'poi-tl' | 'curly' | 'jinja' | 'any';

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
