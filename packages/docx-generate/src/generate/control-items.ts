import type { Control, Story } from '@scriptorium/docx-template/template';
import { namesOf } from '@scriptorium/docx-template/template';
import { type Expression, parseExpression } from '@scriptorium/expressions/expression';
import { childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { FoundMark } from './instruction.ts';
import { type Item, RANKS, type Writer } from './items.ts';
import type { ControlOp } from './program.ts';
import { spanOf } from './span.ts';

/** A control that can take a value, and the item of a repeating section that is repeated. */
export interface ControlPlace {
  control: Control;
  names: readonly Expression[];
  section: XmlNode | undefined;
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
    if (control.story !== story) continue;
    const names = namesOf(control).flatMap((name) => expressionOf(name));
    const section = sectionItem(control);
    if (names.length === 0 || (section === undefined && holds(control.node, starts))) continue;
    places.push({ control, names, section });
  }
  return places;
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

function expressionOf(name: string): Expression[] {
  try {
    return [parseExpression(name, { syntax: 'word' })];
  } catch {
    return [];
  }
}

/** The first item of a repeating section (MS-DOCX 2.5.1.5). */
function sectionItem({ properties, content }: Control): XmlNode | undefined {
  if (properties === undefined || childOf(properties, 'w15:repeatingSection') === undefined) return undefined;
  for (const node of descendantsOf(content)) {
    const own = node.name === 'w:sdt' ? childOf(node, 'w:sdtPr') : undefined;
    if (own !== undefined && childOf(own, 'w15:repeatingSectionItem') !== undefined) return node;
  }
  return undefined;
}

/** The item of a control. */
export function controlItem(story: Story, { control, names, section }: ControlPlace): Item {
  const { start, end } = control.node;
  const make = (writer: Writer): ControlOp => {
    const id = copyOf(control, writer.loopDepth);
    const shared = { kind: 'control', control, names, id } as const;
    if (section === undefined) return { ...shared, ops: writer.write(start, end), item: undefined };
    const before = writer.write(start, section.start);
    writer.loopDepth++;
    const ops = writer.write(section.start, section.end);
    writer.loopDepth--;
    // Other items are samples.
    const after = writer.write(control.content.closeStart, end);
    return { ...shared, ops: [story.xml.slice(start, end)], item: { before, ops, after } };
  };
  return { start, end, rank: RANKS.control, make };
}

function copyOf({ wordId }: Control, depth: number): ControlOp['id'] {
  return wordId === undefined || depth === 0
    ? undefined
    : { kind: 'copy', what: 'control', value: wordId, depth };
}
