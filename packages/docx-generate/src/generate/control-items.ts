import type { Control, Story } from '@scriptorium/docx-template/template';
import { namesOf } from '@scriptorium/docx-template/template';
import { type Expression, parseExpression } from '@scriptorium/expressions/expression';
import { ancestorsOf, childOf, childValue, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { FoundMark } from './instruction.ts';
import { type Item, RANKS, type Writer } from './items.ts';
import { signerMark } from './marks/signer-marks.ts';
import type { ControlOp } from './program.ts';
import { spanOf } from './span.ts';

/** A control that can take a value, and what a list repeats. */
export interface ControlPlace {
  control: Control;
  names: readonly Expression[];
  item: ItemPlace | undefined;
}

interface ItemPlace {
  start: number;
  end: number;
  /** The control is a repeating section: it has samples of other items, and shows nothing but a list. */
  isSection: boolean;
  /** Nothing of the content stays without items. */
  isWhole: boolean;
}

/** The controls of a story whose names can be names of data. A control around marks is not filled. */
export function controlPlaces(
  story: Story,
  controls: readonly Control[],
  marks: readonly FoundMark[],
): ControlPlace[] {
  const starts = marks.map((mark) => spanOf(mark).start);
  const places: ControlPlace[] = [];
  for (const control of controls) {
    if (control.story !== story || isOfSigner(control)) continue;
    const names = namesOf(control).flatMap((name) => expressionOf(name));
    const item = sectionItem(control);
    if (names.length === 0 || (item === undefined && holds(control.node, starts))) continue;
    places.push({ control, names, item });
  }
  return places.map((place, index) => ({ ...place, item: place.item ?? contentItem(places, index) }));
}

/** Whether a control is the place of a field for a signer, which is not filled. */
function isOfSigner({ properties }: Control): boolean {
  const tag = properties === undefined ? undefined : childValue(properties, 'w:tag');
  return tag !== undefined && signerMark(tag) !== undefined;
}

/**
 * What a list repeats in a control with other controls inside. It repeats the rows of a table from the first to the last of these
 * controls, else the whole content.
 */
function contentItem(places: readonly ControlPlace[], index: number): ItemPlace | undefined {
  const { content } = (places[index] as ControlPlace).control;
  const rows = new Set<XmlNode | undefined>();
  let [first, last]: (XmlNode | undefined)[] = [];
  for (let next = index + 1; next < places.length; next++) {
    const { node } = (places[next] as ControlPlace).control;
    if (node.start >= content.closeStart) break;
    last = outermostRow(node, content);
    first ??= last;
    rows.add(last?.parent);
  }
  if (rows.size === 0) return undefined;
  const [table] = rows;
  if (rows.size > 1 || table === undefined || first === undefined || last === undefined)
    return { start: content.openEnd, end: content.closeStart, isSection: false, isWhole: true };
  const all = table.children.filter(({ name }) => name === 'w:tr');
  const isWhole = all[0] === first && all.at(-1) === last;
  return { start: first.start, end: last.end, isSection: false, isWhole };
}

function outermostRow(node: XmlNode, content: XmlNode): XmlNode | undefined {
  let row: XmlNode | undefined;
  for (const outer of ancestorsOf(node)) {
    if (outer === content) break;
    if (outer.name === 'w:tr') row = outer;
  }
  return row;
}

/** Whether one of the ordered offsets is inside the element. */
function holds({ start, end }: XmlNode, offsets: readonly number[]): boolean {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  const next = offsets[low];
  return next !== undefined && next < end;
}

/** PHPWord names a control as a mark. Other names with a dollar sign are kinds of values. */
function expressionOf(written: string): Expression[] {
  const name = /^\$\{(.+)\}$/.exec(written)?.[1] ?? written;
  if (name.startsWith('$')) return [];
  try {
    return [parseExpression(name, { syntax: 'word' })];
  } catch {
    return [];
  }
}

/** The first item of a repeating section (MS-DOCX 2.5.1.5). */
function sectionItem({ properties, content }: Control): ItemPlace | undefined {
  if (properties === undefined || childOf(properties, 'w15:repeatingSection') === undefined) return undefined;
  for (const node of descendantsOf(content)) {
    const own = node.name === 'w:sdt' ? childOf(node, 'w:sdtPr') : undefined;
    if (own !== undefined && childOf(own, 'w15:repeatingSectionItem') !== undefined)
      return { start: node.start, end: node.end, isSection: true, isWhole: false };
  }
  return undefined;
}

/** The item of a control. */
export function controlItem(story: Story, { control, names, item }: ControlPlace): Item {
  const { start, end } = control.node;
  const make = (writer: Writer): ControlOp => {
    const id = copyOf(control, writer.loopDepth);
    const shared = { kind: 'control', control, names, id } as const;
    if (item === undefined) return { ...shared, ops: writer.write(start, end), item: undefined };
    const { isSection, isWhole } = item;
    const before = writer.write(start, item.start);
    writer.loopDepth++;
    const ops = writer.write(item.start, item.end);
    writer.loopDepth--;
    // Other items of a section are samples.
    const after = writer.write(isSection ? control.content.closeStart : item.end, end);
    const source = isSection ? [story.xml.slice(start, end)] : [];
    return { ...shared, ops: source, item: { before, ops, after, isSection, isWhole } };
  };
  return { start, end, rank: RANKS.control, make };
}

function copyOf({ wordId }: Control, depth: number): ControlOp['id'] {
  return wordId === undefined || depth === 0
    ? undefined
    : { kind: 'copy', what: 'control', value: wordId, depth };
}
