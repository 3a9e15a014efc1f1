import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import type { FormulaJudge } from './formula.ts';

const DETAIL_CHARS_MAX = 200;
/** Names that Excel runs when a workbook is opened or closed. */
const RUNNING_NAME = /^(?:_xlnm\.)?auto_(?:open|close|activate|deactivate)/i;

/** An element that goes if one of the formulas in it is not safe. */
interface Holder {
  unsafe: string | undefined;
}

/**
 * Judges the formulas outside of cells: of defined names, conditional formats, sparklines and charts. A chart shows
 * the values that are stored with it where its reference is removed.
 */
export function formulaPlaces(judge: FormulaJudge): Inspector {
  return { visit: (part, dropped) => visitPlaces(part, judge, dropped) };
}

function visitPlaces(part: Part, judge: FormulaJudge, dropped: Dropped[]): XmlVisitor {
  const holders: Holder[] = [];
  let text = '';
  const remove = ({ start, end }: { start: number; end: number }) =>
    void part.edits.push({ start, end, text: '' });
  const report = (detail: string, leavesGap: boolean) =>
    dropped.push({ what: 'formula', part: part.name, detail: detail.slice(0, DETAIL_CHARS_MAX), leavesGap });
  const check = (formula: string) => {
    const holder = holders.at(-1);
    if (holder !== undefined && judge.judge(formula.replace(/^=/, '')) !== 'safe') holder.unsafe ??= formula;
  };
  const holder = {
    open: () => void holders.push({ unsafe: undefined }),
    close(span: ElementSpan) {
      const unsafe = holders.pop()?.unsafe;
      if (unsafe === undefined) return;
      remove(span);
      report(unsafe, true);
    },
  };
  const collect = {
    open() {
      text = '';
    },
    text(piece: string) {
      text += piece;
    },
  };
  const inHolder = { ...collect, close: () => check(text) };
  const value = {
    open(tag: OpenTag) {
      if (tag.attribute('type') === 'formula') check(tag.attribute('val') ?? '');
    },
  };
  return {
    ...definedNames(part, judge, dropped),
    'x:cfRule': holder,
    'x14:cfRule': holder,
    'x14:sparkline': holder,
    'x:formula': inHolder,
    'xm:f': inHolder,
    'x:cfvo': value,
    'x14:cfvo': value,
    'c:f': {
      ...collect,
      close(span) {
        if (judge.judge(text) === 'safe') return;
        remove(span);
        if (judge.judge(text) === 'active') report(text, false);
      },
    },
  };
}

function definedNames(part: Part, judge: FormulaJudge, dropped: Dropped[]): XmlVisitor {
  let [text, isRunning] = ['', false];
  return {
    'x:definedName': {
      open(tag) {
        const isTrue = (name: string) => ['1', 'true'].includes(tag.attribute(name) ?? '');
        text = '';
        isRunning =
          RUNNING_NAME.test(tag.attribute('name') ?? '') ||
          ['xlm', 'vbProcedure', 'function'].some((name) => isTrue(name));
      },
      text(piece) {
        text += piece;
      },
      close({ start, end }) {
        const verdict = judge.judge(text);
        if (!isRunning && verdict === 'safe') return;
        part.edits.push({ start, end, text: '' });
        if (!isRunning && verdict === 'unknown') return;
        const what = isRunning ? 'macro' : 'formula';
        dropped.push({ what, part: part.name, detail: text.slice(0, DETAIL_CHARS_MAX), leavesGap: false });
      },
    },
  };
}
