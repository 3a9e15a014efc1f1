import { literal } from '../write/literal.ts';
import type { FormFont } from './form-fonts.ts';
import type { Frame } from './frame.ts';

/** The options of a list box, and which are chosen. */
export interface ListLayout {
  labels: readonly string[];
  chosen: ReadonlySet<number>;
  size: number;
  color: string;
}

const SIZE = 12;
const LINE_HEIGHT = 1.15;
const ASCENT = 0.93;
const PADDING_MIN = 1;
/** What readers draw behind an option that is chosen. */
const GROUND = '0.6 0.7569 0.8549 rg';

/** The options that a list box shows from its top on. */
export interface ShownOptions {
  top: number;
  labels: readonly string[];
  /** Whether all that are chosen are among them. */
  hasAllChosen: boolean;
}

/** Finds the part of a list box that shows the first chosen option. */
export function shownOptions({ labels, chosen, ...style }: ListLayout, frame: Frame): ShownOptions {
  const padding = Math.max(PADDING_MIN, frame.border);
  const rows = Math.max(1, Math.floor((frame.height - 2 * padding) / ((style.size || SIZE) * LINE_HEIGHT)));
  const first = chosen.size > 0 ? Math.min(...chosen) : 0;
  const top = first < rows ? 0 : Math.min(first, Math.max(0, labels.length - rows));
  const hasAllChosen = Math.max(0, ...chosen) < top + rows;
  return { top, labels: labels.slice(top, top + rows + 1), hasAllChosen };
}

/** Returns the content of the look of a list box. */
export function listLook(
  font: FormFont,
  { chosen, color, ...style }: ListLayout,
  { top, labels }: ShownOptions,
  frame: Frame,
): string {
  const padding = Math.max(PADDING_MIN, frame.border);
  const size = style.size || SIZE;
  const leading = size * LINE_HEIGHT;
  const clip = [padding, padding, frame.width - 2 * padding, frame.height - 2 * padding]
    .map(literal.number)
    .join(' ');
  const grounds: string[] = [];
  const lines: string[] = [];
  for (const [at, label] of labels.entries()) {
    const up = frame.height - padding - at * leading;
    const area = [padding, up - leading, frame.width - 2 * padding, leading].map(literal.number).join(' ');
    if (chosen.has(top + at)) grounds.push(`${area} re f`);
    const place = `1 0 0 1 ${literal.number(2 * padding)} ${literal.number(up - ASCENT * size)} Tm`;
    if (label !== '') lines.push(`${place} ${font.show(label, size)}`);
  }
  const behind = grounds.length === 0 ? '' : `q ${GROUND} ${grounds.join(' ')} Q `;
  const letters = lines.length === 0 ? '' : `BT ${color} ${lines.join('\n')} ET `;
  return `${frame.drawn}/Tx BMC q ${clip} re W n ${behind}${letters}Q EMC`;
}
