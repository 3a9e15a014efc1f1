import { looseEndsIn } from '@scriptorium/docx-template/editor';
import type { Story } from '@scriptorium/docx-template/template';
import { ancestorsOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { endsSection, showsOnly } from './control-paragraphs.ts';
import type { FoundMark } from './instruction.ts';
import { type Item, RANKS, staticItem, type Writer } from './items.ts';
import type { Op, ValueOp } from './program.ts';
import { around, opening, preservingTag, spanOf, UNITS } from './span.ts';

/** The items of the marks of a story: values, and the text of all other marks, which goes. */
export function markItems(story: Story, marks: readonly FoundMark[]): Item[] {
  const items: Item[] = [];
  const texts = new Set<XmlNode>();
  for (const mark of marks) {
    items.push(...itemsOf(story, mark));
    if (mark.place.kind === 'text') for (const { text } of mark.place.pieces) texts.add(text);
  }
  for (const text of texts) items.push(staticItem(text.start, text.openEnd, preservingTag(text, story.xml)));
  return [...items, ...aloneItems(story, marks), ...releaseItems(marks)];
}

function itemsOf(story: Story, mark: FoundMark): Item[] {
  const { place, instruction } = mark;
  const commented = commentedIn(mark);
  if (commented !== undefined && instruction.type === 'set')
    return [{ ...commented, rank: RANKS.removed, make: () => setOf(instruction) }];
  if (commented !== undefined) return [staticItem(commented.start, commented.end, '', RANKS.removed)];
  if (place.kind === 'comment') return commentItems(story, mark, place);
  if (place.kind === 'field') {
    const { start, end } = spanOf(mark);
    if (instruction.type === 'set') return [{ start, end, rank: RANKS.leaf, make: () => setOf(instruction) }];
    if (instruction.type !== 'value') return [staticItem(start, end, '')];
    const value = fieldValue(story, mark, place.run);
    const [open, close] = [value.runTags[0] + value.textTags[0], value.textTags[1] + value.runTags[1]];
    return [{ start, end, rank: RANKS.leaf, make: () => [open, value, close] }];
  }
  const pieces = place.pieces.map(({ start, end }, index) =>
    index === 0 && (instruction.type === 'value' || instruction.type === 'set')
      ? { start, end, rank: RANKS.leaf, make: () => leafOf(story, mark) }
      : staticItem(start, end, ''),
  );
  return [...pieces, ...(place.breaks ?? []).map(({ start, end }) => staticItem(start, end, ''))];
}

/** The anchors of a comment, which go with it, and the value that takes the place of the text between them. */
function commentItems(
  story: Story,
  mark: FoundMark,
  { from, to, anchors, run: replaced }: Extract<FoundMark['place'], { kind: 'comment' }>,
): Item[] {
  const items = anchors.map((anchor) => {
    const run = anchor.parent;
    const isAlone =
      run?.name === 'w:r' && run.children.every((node) => node === anchor || node.name === 'w:rPr');
    const { start, end } = isAlone ? run : anchor;
    return staticItem(start, end, '');
  });
  if (mark.instruction.type !== 'value' || replaced === undefined) return items;
  const value = fieldValue(story, mark, replaced);
  const [open, close] = [value.runTags[0] + value.textTags[0], value.textTags[1] + value.runTags[1]];
  const make = () => [open, value, close];
  return [...items, { start: from.end, end: to.start, rank: RANKS.leaf, make }];
}

/** The row, cell or paragraph that a comment or an assignment takes along. */
function commentedIn(mark: FoundMark): XmlNode | undefined {
  const { instruction } = mark;
  if (!('unit' in instruction) || instruction.unit === undefined) return undefined;
  if (instruction.type !== 'comment' && instruction.type !== 'set') return undefined;
  const name = UNITS[instruction.unit];
  return name === undefined ? undefined : around(spanOf(mark).first, name);
}

function leafOf(story: Story, mark: FoundMark): Op {
  return mark.instruction.type === 'set' ? setOf(mark.instruction) : textValue(story, mark);
}

function setOf({ variable, expression, isGlobal }: Extract<FoundMark['instruction'], { type: 'set' }>): Op {
  return { kind: 'set', variable, expression, isGlobal };
}

function textValue(story: Story, mark: FoundMark): ValueOp {
  const { first: text } = spanOf(mark);
  const run = text.parent ?? text;
  return {
    ...sharedBy(story, mark),
    text,
    textTags: [preservingTag(text, story.xml), closing(text, story)],
    runTags: [opening(run, story), closing(run, story)],
  };
}

function fieldValue(story: Story, mark: FoundMark, run: XmlNode): ValueOp {
  const [open = '', close = ''] = story.dialect.element('t', {}, '\n').split('\n');
  const properties = childOf(run, 'w:rPr');
  const style = properties === undefined ? '' : story.xml.slice(properties.start, properties.end);
  const [runOpen = '', runClose = ''] = story.dialect.element('r', {}, '\n').split('\n');
  return {
    ...sharedBy(story, mark),
    text: run,
    textTags: [`${open.slice(0, -1)} xml:space="preserve">`, close],
    runTags: [runOpen + style, runClose],
  };
}

function sharedBy(story: Story, { instruction, written }: FoundMark) {
  if (instruction.type !== 'value') throw new Error('the mark is not a value');
  return { kind: 'value' as const, expression: instruction.expression, as: instruction.as, written, story };
}

function closing({ closeStart, end }: XmlNode, { xml }: Story): string {
  return xml.slice(closeStart, end);
}

/** Paragraphs that show one value and nothing else. */
function aloneItems(story: Story, marks: readonly FoundMark[]): Item[] {
  const single = new Map<XmlNode, FoundMark | undefined>();
  for (const mark of marks) {
    const paragraph = mark.place.kind === 'comment' ? undefined : around(spanOf(mark).first, 'w:p');
    if (paragraph !== undefined) single.set(paragraph, single.has(paragraph) ? undefined : mark);
  }
  const items: Item[] = [];
  for (const [paragraph, mark] of single)
    if (
      mark?.instruction.type === 'value' &&
      mark.place.kind === 'text' &&
      showsOnly(story, paragraph, [mark])
    )
      items.push(aloneItem(story, paragraph, mark));
  return items;
}

function aloneItem(story: Story, paragraph: XmlNode, mark: FoundMark): Item {
  const { start, end } = paragraph;
  const [{ start: from, end: to }] = mark.place.kind === 'text' ? mark.place.pieces : [paragraph];
  const make = (writer: Writer): Op => ({
    kind: 'alone',
    before: writer.write(start, from),
    value: textValue(story, mark),
    after: writer.write(to, end),
    behind: remainsOf(story, paragraph),
  });
  return { start, end, rank: RANKS.alone, make };
}

/** What stays of a paragraph whose content goes: the end of its section, and one end of a range. */
export function remainsOf({ xml }: Story, paragraph: XmlNode): string {
  const loose = looseEndsIn(descendantsOf(paragraph), xml);
  if (!endsSection(paragraph)) return loose;
  const properties = childOf(paragraph, 'w:pPr');
  const name = /^<([^\s/>]+)/.exec(xml.slice(paragraph.start, paragraph.openEnd))?.[1] ?? 'w:p';
  const kept = properties === undefined ? '' : xml.slice(properties.start, properties.end);
  return `<${name}>${kept}${loose}</${name}>`;
}

/** Controls around values show content from now on: without the mark of a prompt, and not bound to other data. */
function releaseItems(marks: readonly FoundMark[]): Item[] {
  const released = new Set<XmlNode>();
  for (const mark of marks)
    for (const outer of ancestorsOf(spanOf(mark).first)) {
      if (outer.name !== 'w:sdt' || released.has(outer)) continue;
      released.add(outer);
    }
  return [...released].flatMap((control) =>
    (childOf(control, 'w:sdtPr')?.children ?? [])
      .filter(({ name }) => /^w(?:15)?:(?:showingPlcHdr|dataBinding)$/.test(name))
      .map(({ start, end }) => staticItem(start, end, '')),
  );
}
