import type { Syntax } from '../instruction.ts';
import { Decision } from './decision.ts';
import { hasPlusCommands } from './forms.ts';
import { type Delimiters, type Lexeme, Lexer } from './lexer.ts';
import { Clues, type InSingle } from './scores.ts';
import { signerMark } from './signer-marks.ts';

export interface LanguageOptions {
  syntax: 'auto' | Syntax;
  delimiters?: Delimiters | undefined;
}

/** An instruction of docx-stamper in the text. */
const STAMPS = /#\{\s*(?:display|repeat|replace)\w*\s*\(/;

/** What single braces enclose if the caller names the language. */
const NAMED: Readonly<Partial<Record<Syntax, readonly InSingle[]>>> = {
  carbone: ['carbone', 'aliases'],
  command: ['command'],
  curly: ['curly', 'names'],
};

/** Which languages a template uses. */
export class Usage {
  readonly options: LanguageOptions;
  readonly #clues = { single: new Clues(), doubled: new Clues(), custom: new Clues() };
  readonly #kinds = new Set<Lexeme['kind']>();
  hasPlus = false;
  /** The template has instructions of docx-stamper, whose values have a dollar sign. */
  hasStamper = false;

  constructor(options: LanguageOptions) {
    this.options = options;
  }

  /** The delimiters of its marks are those of the caller or of the template. */
  get hasOwnDelimiters(): boolean {
    return this.options.delimiters !== undefined || this.#kinds.has('change');
  }

  /** Counts the marks of the texts of one story. */
  add(texts: readonly string[]): void {
    const { syntax } = this.options;
    const takesPlus = syntax === 'auto' || syntax === 'command';
    if (syntax === 'auto') this.hasStamper ||= texts.some((text) => STAMPS.test(text));
    this.hasPlus ||= takesPlus && this.options.delimiters === undefined && texts.some(hasPlusCommands);
    const lexer = this.lexer();
    for (const text of texts) for (const found of lexer.read(text)) this.#count(found, text);
  }

  /** A lexer for one story. */
  lexer(): Lexer {
    return new Lexer({ delimiters: this.options.delimiters, hasPlus: this.hasPlus });
  }

  #count(found: Lexeme, text: string): void {
    const { kind } = found;
    if ('inner' in found && signerMark(found.inner) !== undefined) return;
    this.#kinds.add(kind);
    if (kind === 'single' || kind === 'doubled' || kind === 'custom')
      this.#clues[kind].add(found.inner, text[found.start - 1] === '$');
  }

  /** What the marks of a template mean as a whole. */
  decide(): Decision {
    const { single, doubled, custom } = this.#clues;
    const { syntax } = this.options;
    const hasDoubled = doubled.count > 0;
    const hasStatements = this.#kinds.has('statement');
    const isOfNet = this.#kinds.has('dotnet');
    const beside = [hasStatements ? ['statement' as const] : [], isOfNet ? ['net' as const] : []].flat();
    const fits = { doubled: doubled.best(beside), custom: custom.best() };
    const isOther = ((hasDoubled || isOfNet) && fits.doubled.length > 0) || hasStatements || this.hasPlus;
    const change = this.#kinds.has('change') ? (['change'] as const) : [];
    const { used, hasSections } = single.inSingle([...change, ...(isOther ? (['other'] as const) : [])]);
    const isAlone = !hasDoubled && !isOther && !used.has('carbone');
    const isStrict = (hasSections && !isOther) || (isAlone && (used.has('curly') || used.has('command')));
    return new Decision({
      syntax,
      hasStamper: this.hasStamper || syntax === 'stamper',
      hasStatements,
      hasDoubled,
      used: syntax === 'auto' ? used : new Set(NAMED[syntax]),
      isStrict: syntax === 'auto' ? isStrict : syntax === 'curly',
      dollarBlocks: single.dollarBlocks,
      fits,
    });
  }
}
