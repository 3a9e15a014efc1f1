import type { Edit, XmlNode } from '@scriptorium/ooxml/xml';
import { textElement } from '../fields/text.ts';
import type { Story } from '../template/story.ts';
import type { Piece } from './marks.ts';

/** Characters that go out of a `w:t`, and the runs that come in their place. */
export interface Cut extends Piece {
  runs: string;
}

/** What a run is but for its content, as source. */
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
 * The change to one `w:t` that makes the cuts in it, which are in order. Its run ends before what comes in, and goes on
 * behind it with the same properties; no run without content is left where the cuts reach its start or its end.
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

/** What stays: before the first cut, between them, and behind the last one. */
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
