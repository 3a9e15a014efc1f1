import type { Edit, XmlNode } from '@scriptorium/ooxml/xml';
import { textElement } from '../fields/text.ts';
import type { Story } from '../template/story.ts';
import type { Piece } from '../template/text-groups.ts';

/** Characters removed from a `w:t`, and the runs that replace them. */
export interface Cut extends Piece {
  runs: string;
}

/** The source of a run before and after its content. */
export interface RunFrame {
  run: XmlNode;
  open: string;
  close: string;
}

export function frameOf(run: XmlNode, properties: XmlNode | undefined, { xml }: Story): RunFrame {
  const open = xml.slice(run.start, run.openEnd);
  const inner = properties === undefined ? '' : xml.slice(properties.start, properties.end);
  return { run, open: open + inner, close: xml.slice(run.closeStart, run.end) };
}

/**
 * The edit of one `w:t` that applies the ordered cuts. Its run ends before the new runs, and continues after them with
 * the same properties. No empty run remains if a cut reaches its start or end.
 */
export function editText(
  { xml, dialect }: Story,
  cuts: readonly [Cut, ...Cut[]],
  { run, open, close }: RunFrame,
): Edit {
  const [{ text }] = cuts;
  const between = textBetween(xml, cuts);
  const isContent = ({ name }: XmlNode) => name !== 'w:rPr';
  const isFirst = between[0] === '' && run.children.find(isContent) === text;
  const isLast = between.at(-1) === '' && run.children.findLast(isContent) === text;
  let isInRun = !isFirst;
  const enter = () => {
    const tag = isInRun ? '' : open;
    isInRun = true;
    return tag;
  };
  const leave = () => {
    const tag = isInRun ? close : '';
    isInRun = false;
    return tag;
  };
  let changed = '';
  for (const [index, kept] of between.entries()) {
    const { runs = '' } = cuts[index] ?? {};
    if (kept !== '') changed += enter() + textElement(kept, dialect);
    if (runs !== '') changed += leave() + runs;
  }
  changed += isLast ? leave() : enter();
  return { start: isFirst ? run.start : text.start, end: isLast ? run.end : text.end, text: changed };
}

/** The remaining text: before the first cut, between the cuts, and after the last one. */
function textBetween(xml: string, cuts: readonly [Cut, ...Cut[]]): string[] {
  const { openEnd, closeStart } = cuts[0].text;
  let at = openEnd;
  const kept = cuts.map(({ start, end }) => {
    const source = xml.slice(at, start);
    at = end;
    return source;
  });
  return [...kept, xml.slice(at, closeStart)];
}
