import { FORMULA_CHARS_MAX, hasUnsafeLink, judgeCalls, type Verdict } from './formula.ts';

const QUOTED = /"(?:[^"]|"")*"|'(?:[^']|'')*'/g;
/** The address of another file; a name of a sheet has none of these. */
const OUTSIDE = /[[\]\\/?*#|]/;
const REFERENCE = /\[[^[\]]*\]/g;
const ERROR_VALUE = /#(?:REF!|N\/A|NAME\?|NUM!|NULL!|VALUE!|DIV\/0!)/gi;
/** Functions of conditions, which compare the value of the cell (ODF 1.3 part 3 §19.470, LibreOffice's `calcext`). */
const CONDITIONS =
  /\b(?:is-true-formula|formula-is|cell-content|cell-content-is-between|cell-content-is-not-between|between|not-between|value|duplicate|unique|top-elements|bottom-elements|top-percent|bottom-percent|above-average|below-average|above-equal-average|below-equal-average|is-error|is-no-error|begins-with|ends-with|contains-text|not-contains-text)\b\(?/g;

/** Judges a formula of OpenDocument (ODF 1.3 part 4), with or without its prefix `of:=`. */
export function judgeOpenFormula(formula: string): Verdict {
  if (formula.length > FORMULA_CHARS_MAX) return 'unknown';
  const text = formula.replace(/^(?:of|oooc):/, '').replace(/^=+/, '');
  let isOutside = false;
  const bare = text.replace(QUOTED, (quoted) => {
    if (quoted.startsWith('"')) return '""';
    if (OUTSIDE.test(quoted)) isOutside = true;
    return 'Quoted';
  });
  if (isOutside || hasUnsafeLink(text)) return 'active';
  const calls = judgeCalls(bare);
  if (calls === 'active') return 'active';
  const plain = bare
    .replace(ERROR_VALUE, '0')
    .replace(REFERENCE, (reference) => (reference.includes('#') ? '#' : 'R'));
  if (/[#|[\]]/.test(plain)) return 'active';
  return calls === 'safe' && !/["']/.test(plain.replaceAll('""', '')) ? 'safe' : 'unknown';
}

/** Judges the condition of a conditional format, whose functions may be nested in others. */
export function judgeCondition(condition: string): Verdict {
  return judgeOpenFormula(condition.replace(CONDITIONS, '('));
}
