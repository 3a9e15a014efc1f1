import { attributeOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';

/** Starts and ends of ranges over the text. They stay, because their other ends may be elsewhere. */
const STARTS = new Set([
  'w:bookmarkStart',
  'w:commentRangeStart',
  'w:permStart',
  'w:moveFromRangeStart',
  'w:moveToRangeStart',
  'w:customXmlInsRangeStart',
  'w:customXmlDelRangeStart',
  'w:customXmlMoveFromRangeStart',
  'w:customXmlMoveToRangeStart',
]);
const ENDS = new Set([...STARTS].map((name) => name.replace('Start', 'End')));

/** The range marks in replaced content, as source. */
export interface Ranges {
  starts: string;
  ends: string;
  /** The reference runs of comments. The comment text is elsewhere and stays. */
  references: string;
}

export function rangesIn(nodes: Iterable<XmlNode>, xml: string): Ranges {
  const ranges: Ranges = { starts: '', ends: '', references: '' };
  for (const node of nodes) {
    const source = () => xml.slice(node.start, node.end);
    if (STARTS.has(node.name)) ranges.starts += source();
    else if (ENDS.has(node.name)) ranges.ends += source();
    else if (isReference(node)) ranges.references += source();
  }
  return ranges;
}

/** Range marks in removed content whose other ends are outside of it. */
export function looseEndsIn(nodes: Iterable<XmlNode>, xml: string): string {
  const marks = [...nodes].filter(({ name }) => STARTS.has(name) || ENDS.has(name));
  const keyOf = (node: XmlNode) => `${node.name.replace(/(?:Start|End)$/, '')} ${attributeOf(node, 'w:id')}`;
  const counts = new Map<string, number>();
  for (const mark of marks) counts.set(keyOf(mark), (counts.get(keyOf(mark)) ?? 0) + 1);
  return marks
    .filter((mark) => counts.get(keyOf(mark)) === 1)
    .map(({ start, end }) => xml.slice(start, end))
    .join('');
}

/** The elements and their descendants, except the VML copy of a drawing. */
export function* withDescendants(nodes: Iterable<XmlNode>): Generator<XmlNode> {
  for (const node of nodes) {
    yield node;
    yield* descendantsOf(node, ({ name }) => name === 'mc:Fallback');
  }
}

function isReference(node: XmlNode): boolean {
  return node.name === 'w:r' && childOf(node, 'w:commentReference') !== undefined;
}
