import type { Story } from '@scriptorium/docx-template/template';
import type { XmlNode } from '@scriptorium/ooxml/xml';
import { childOf, decodeReferences, descendantsOf } from '@scriptorium/ooxml/xml';
import type { MarkIssue, TextPart } from './instruction.ts';
import { type Item, RANKS } from './items.ts';
import type { FoundMarks } from './marks/find-marks.ts';

/** Attributes that show a text to readers: alternative texts and titles of drawings, and watermarks. */
const SHOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ['wp:docPr', ['descr', 'title']],
  ['pic:cNvPr', ['descr', 'title']],
  ['v:shape', ['alt']],
  ['v:imagedata', ['o:title']],
  ['v:textpath', ['string']],
]);
/** `c:chart` in a drawing, and the element of the charts that Office has since 2016. */
export const CHARTS: ReadonlySet<string> = new Set([
  'c:chart',
  '{http://schemas.microsoft.com/office/drawing/2014/chartex}chart',
]);
/** Elements that refer to the address of a link: of a text, and of a picture or a shape. */
const LINKS = new Set(['w:hyperlink', 'a:hlinkClick', 'a:hlinkHover']);
const SHOWN_IN = /\s(?:descr|title|alt|o:title|string)=|:instrText|:oMath/;
/** Elements whose text has no runs of its own: field codes and formulas. */
const PLAIN_TEXTS = new Set(['w:instrText', 'm:t']);

/** The items of marks in attributes, and in the addresses of hyperlinks. */
export function textItems(story: Story, found: FoundMarks, issues: MarkIssue[]): Item[] {
  const addresses = new Map(
    story.part.relationships.list
      .filter(({ kind, isExternal }) => kind === 'hyperlink' && isExternal)
      .map(({ id, target }) => [id, partsIn(found, unescaped(target))] as const)
      .filter(([, parts]) => parts !== undefined),
  );
  if (addresses.size === 0 && !SHOWN_IN.test(story.xml)) return [];
  const items: Item[] = [];
  for (const node of descendantsOf(story.root)) {
    for (const name of SHOWN.get(node.name) ?? []) {
      const parts = partsIn(found, node.attributes.find((attribute) => attribute.name === name)?.value ?? '');
      if (parts !== undefined && areTexts(parts, story, node, issues))
        items.push(
          attributeItem(story, node, name, { kind: 'text', parts, story, node, isOfChart: isOfChart(node) }),
        );
      const picture = parts === undefined ? undefined : pictureItem(story, node, parts);
      if (picture !== undefined) items.push(picture);
    }
    if (PLAIN_TEXTS.has(node.name)) items.push(...plainTextItem(story, node, found, issues));
    const address = LINKS.has(node.name) ? addresses.get(idOf(node)) : undefined;
    if (address !== undefined && areTexts(address, story, node, issues))
      items.push(attributeItem(story, node, 'r:id', { kind: 'link', parts: address, story, node }));
  }
  return items;
}

/** The item of a picture whose text is one mark and nothing else. */
function pictureItem(story: Story, properties: XmlNode, parts: readonly TextPart[]): Item | undefined {
  const [part, ...others] = parts;
  const drawing = properties.parent?.parent;
  if (properties.name !== 'wp:docPr' || drawing?.name !== 'w:drawing') return undefined;
  if (part === undefined || typeof part === 'string' || others.length > 0 || 'issue' in part)
    return undefined;
  if (part.instruction.type !== 'value') return undefined;
  const { start, end } = drawing;
  const { expression, as } = part.instruction;
  const isImage = as === 'image' || part.syntax === 'carbone';
  const make: Item['make'] = (writer) => ({
    kind: 'picture',
    expression,
    story,
    drawing,
    properties,
    isImage,
    ops: writer.write(start, end),
  });
  return { start, end, rank: RANKS.control, make };
}

/** The item of marks in a field code or a formula. */
function plainTextItem(story: Story, node: XmlNode, found: FoundMarks, issues: MarkIssue[]): Item[] {
  const { openEnd: start, closeStart: end } = node;
  const source = story.xml.slice(start, end);
  const isCode = node.name === 'w:instrText';
  const text = decodeReferences(source);
  // The mark is the field.
  if (isCode && /^\s*MERGEFIELD\b/i.test(text)) return [];
  const isLink = isCode && /^\s*HYPERLINK\b/i.test(text);
  const parts = source.includes('<') ? undefined : partsIn(found, isLink ? unescaped(text) : text);
  if (parts === undefined || !areTexts(parts, story, node, issues)) return [];
  return [{ start, end, rank: RANKS.leaf, make: () => ({ kind: 'text', parts, story, node, isCode }) }];
}

/** Whether an alternative text belongs to a chart. */
function isOfChart(properties: XmlNode): boolean {
  const graphic = properties.parent && childOf(properties.parent, 'a:graphic');
  const data = graphic && childOf(graphic, 'a:graphicData');
  return (
    properties.name === 'wp:docPr' && data !== undefined && data.children.some(({ name }) => CHARTS.has(name))
  );
}

function idOf(node: XmlNode): string {
  return node.attributes.find(({ name }) => name === 'r:id')?.value ?? '';
}

/** Word escapes braces in addresses. */
function unescaped(address: string): string {
  return address.replace(/%(?:7B|7D|24|23|25|20|7C|5B|5D)/gi, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
}

/** The parts of a text with marks. Undefined if it has none. */
export function partsIn(found: FoundMarks, text: string): TextPart[] | undefined {
  if (text === '') return undefined;
  const parts = found.readText(text);
  return parts.some((part) => typeof part !== 'string') ? parts : undefined;
}

/** Whether all marks are values or comments. Others are mistakes here. */
export function areTexts(
  parts: readonly TextPart[],
  story: Story,
  node: XmlNode,
  issues: MarkIssue[],
): boolean {
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const isMistake = 'issue' in part;
    if (!isMistake && /^(?:value|comment)$/.test(part.instruction.type)) continue;
    const refused = 'Loops and conditions cannot stand in a text without runs, such as an alternative text';
    issues.push({ story, node, written: part.written, issue: isMistake ? part.issue : refused });
    return false;
  }
  return true;
}

function attributeItem(
  story: Story,
  node: XmlNode,
  name: string,
  op: Exclude<ReturnType<Item['make']>, readonly unknown[]>,
): Item {
  return { ...attributeSpan(story, node, name), rank: RANKS.leaf, make: () => op };
}

/** The offsets of an attribute's value. */
export function attributeSpan({ xml }: Story, node: XmlNode, name: string): { start: number; end: number } {
  const attribute = node.attributes.find((candidate) => candidate.name === name) ?? { start: 0, end: 0 };
  const from = node.start + attribute.start;
  const end = node.start + attribute.end - 1;
  return { start: from + xml.slice(from, end).search(/["']/) + 1, end };
}
