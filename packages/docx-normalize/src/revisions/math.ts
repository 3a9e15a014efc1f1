import type { ElementSpan, XmlVisitor } from '@scriptorium/ooxml/xml';
import type { Story } from './story.ts';

/** Structures of ECMA-376-1 §22.1.2 that have a control character, and their arguments. */
const STRUCTURES =
  'acc bar box borderBox d eqArr f func groupChr limLow limUpp m nary phant rad sPre sSub sSubSup sSup'.split(
    ' ',
  );
const ARGUMENTS = ['e', 'num', 'den', 'sub', 'sup', 'deg', 'lim', 'fName', 'mr'];

interface Structure {
  outer: Structure | undefined;
  isInProperties: boolean;
  isGone: boolean;
  properties?: ElementSpan;
  arguments: ElementSpan[];
}

interface Formula {
  outer: Formula | undefined;
  hasRuns: boolean;
  isCut: boolean;
}

/** Tracks formulas. Changes in them mark a run, or the control character of a structure. */
export class FormulaReader {
  readonly #story: Story;
  #structure: Structure | undefined;
  #formula: Formula | undefined;

  constructor(story: Story) {
    this.#story = story;
    story.onCut.push(() => this.#cut());
  }

  /** Marks the current control character as removed. */
  loseControl(): void {
    if (this.#structure?.isInProperties === true) this.#structure.isGone = true;
  }

  #cut(): void {
    if (this.#formula !== undefined) this.#formula.isCut = true;
  }

  /** A structure without its control character is replaced by the content of its arguments. */
  #closeStructure(span: ElementSpan): void {
    const { text } = this.#story;
    const closed = this.#structure;
    this.#structure = closed?.outer;
    if (closed?.isGone !== true) return;
    text.unwrap(span);
    if (closed.properties !== undefined) text.remove(closed.properties);
    for (const argument of closed.arguments) text.unwrap(argument);
    this.#cut();
  }

  /** A formula that lost all of its runs is removed. */
  #closeFormula(span: ElementSpan): void {
    const closed = this.#formula;
    this.#formula = closed?.outer;
    if (closed === undefined) return;
    if (closed.isCut && !closed.hasRuns) {
      this.#story.removeWithAnchors(span);
      return;
    }
    this.#story.leaveAnchors();
    if (this.#formula !== undefined) this.#formula.hasRuns = true;
  }

  get visitor(): XmlVisitor {
    const formula = {
      open: () => {
        this.#story.enterAnchors();
        this.#formula = { outer: this.#formula, hasRuns: false, isCut: false };
      },
      close: (span: ElementSpan) => this.#closeFormula(span),
    };
    const structure = {
      open: () => {
        const outer = this.#structure;
        this.#structure = { outer, isInProperties: false, isGone: false, arguments: [] };
      },
      close: (span: ElementSpan) => this.#closeStructure(span),
    };
    const properties = {
      open: () => {
        if (this.#structure !== undefined) this.#structure.isInProperties = true;
      },
      close: (span: ElementSpan) => {
        if (this.#structure !== undefined)
          Object.assign(this.#structure, { isInProperties: false, properties: span });
      },
    };
    const argument = { close: (span: ElementSpan) => void this.#structure?.arguments.push(span) };
    const each = <T>(names: readonly string[], handler: T) =>
      Object.fromEntries(names.map((name) => [`m:${name}`, handler]));
    return {
      'm:oMath': formula,
      'm:oMathPara': formula,
      ...each(STRUCTURES, structure),
      ...each(
        STRUCTURES.map((name) => `${name}Pr`),
        properties,
      ),
      ...each(ARGUMENTS, argument),
    };
  }

  /** Notes a run that stays. */
  keepRun(): void {
    if (this.#formula !== undefined) this.#formula.hasRuns = true;
  }
}
