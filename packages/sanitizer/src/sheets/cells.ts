import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import type { FormulaJudge, Verdict } from './formula.ts';
import { SheetArea } from './sheet-area.ts';

const DETAIL_CHARS_MAX = 200;

/** The open cell. */
interface Cell {
  reference: string;
  hasValue: boolean;
  formula: Formula | undefined;
}

interface Formula {
  text: string;
  /** The group of cells that share the formula. */
  group: string | undefined;
  span: ElementSpan | undefined;
}

/** The first cell of a group, whose formula the others share. */
interface Shared {
  formula: Formula;
  verdict: Verdict;
  isNeeded: boolean;
}

/**
 * A cell that has a value keeps it, and loses its formula: the page shows what the author saw, and nothing is
 * calculated. A cell without a value keeps a safe formula, because other producers leave the calculation to the reader.
 */
export function cells(judge: FormulaJudge): Inspector {
  let count = 0;
  const onCell = (part: string) => {
    if (++count > BOUNDS.sheetCellsMax) throw boundPassed('sheetCellsMax', part);
  };
  return {
    visit: (part, dropped) => new CellReader(part, judge, dropped, () => onCell(part.name)).visitor(),
  };
}

class CellReader {
  readonly #part: Part;
  readonly #judge: FormulaJudge;
  readonly #dropped: Dropped[];
  readonly #onContent: () => void;
  readonly #groups = new Map<string, Shared>();
  readonly #area: SheetArea;
  #cell: Cell | undefined;

  constructor(part: Part, judge: FormulaJudge, dropped: Dropped[], onContent: () => void) {
    this.#part = part;
    this.#area = new SheetArea(part.name);
    this.#judge = judge;
    this.#dropped = dropped;
    this.#onContent = onContent;
  }

  visitor(): XmlVisitor {
    return {
      'x:c': {
        open: (tag) => {
          this.#cell = { reference: tag.attribute('r') ?? '', hasValue: false, formula: undefined };
        },
        close: () => this.#leaveCell(),
      },
      'x:v': { open: () => this.#haveValue() },
      'x:is': { open: () => this.#haveValue() },
      'x:f': {
        open: (tag) => this.#openFormula(tag),
        text: (text) => {
          if (this.#cell?.formula !== undefined) this.#cell.formula.text += text;
        },
        close: (span) => {
          if (this.#cell?.formula !== undefined) this.#cell.formula.span = span;
          else this.#remove(span);
        },
      },
      'x:sheetData': { close: () => this.#leaveSheet() },
    };
  }

  #haveValue(): void {
    if (this.#cell !== undefined) this.#cell.hasValue = true;
  }

  #openFormula(tag: OpenTag): void {
    if (this.#cell === undefined) return;
    const group = tag.attribute('t') === 'shared' ? tag.attribute('si') : undefined;
    this.#cell.formula = { text: '', group, span: undefined };
  }

  #remove({ start, end }: { start: number; end: number }): void {
    this.#part.edits.push({ start, end, text: '' });
  }

  #leaveCell(): void {
    const { hasValue = false, formula, reference = '' } = this.#cell ?? {};
    this.#cell = undefined;
    if (hasValue || formula !== undefined) {
      this.#onContent();
      this.#area.addReference(reference);
    }
    if (formula?.span === undefined) return;
    const { group, text, span } = formula;
    const shared = group === undefined ? undefined : this.#groups.get(group);
    if (group !== undefined && text !== '') {
      const verdict = this.#judge.judge(text);
      const first = { formula, verdict, isNeeded: !hasValue };
      this.#groups.set(group, first);
      if (verdict !== 'safe') this.#report(text, verdict, hasValue);
      // Whether it stays is decided when all cells of the group are known.
      return;
    }
    const verdict = shared?.verdict ?? (text === '' ? 'unknown' : this.#judge.judge(text));
    if (verdict === 'safe' && !hasValue) {
      if (shared !== undefined) shared.isNeeded = true;
      return;
    }
    this.#remove(span);
    if (verdict !== 'safe') this.#report(text || (shared?.formula.text ?? ''), verdict, hasValue);
  }

  /** A formula that is not understood does not lose anything where its value stays. */
  #report(text: string, verdict: Verdict, hasValue: boolean): void {
    if (verdict === 'unknown' && hasValue) return;
    const detail = text.slice(0, DETAIL_CHARS_MAX);
    this.#dropped.push({ what: 'formula', part: this.#part.name, detail, leavesGap: !hasValue });
  }

  #leaveSheet(): void {
    for (const { formula, verdict, isNeeded } of this.#groups.values())
      if (formula.span !== undefined && !(isNeeded && verdict === 'safe')) this.#remove(formula.span);
    this.#groups.clear();
  }
}
