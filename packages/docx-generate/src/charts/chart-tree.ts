import type { Part } from '@scriptorium/ooxml/package';
import {
  attributeOf,
  childOf,
  decodeReferences,
  descendantsOf,
  escapeXml,
  type XmlNode,
} from '@scriptorium/ooxml/xml';

/** A chart part that was read. */
export interface ChartTree {
  part: Part;
  xml: string;
  root: XmlNode;
}

/** Longer texts are none that this code reads. */
const TEXT_CHARS_MAX = 4_096;
const STRICT_CHARTS = 'http://purl.oclc.org/ooxml/drawingml/chart';
const OFFICE = 'http://schemas.openxmlformats.org';
const STRICT = 'http://purl.oclc.org/ooxml';

/** Whether the part is written in Strict (ISO/IEC 29500). */
export function isStrict({ root }: ChartTree): boolean {
  return root.attributes.some(({ value }) => value === STRICT_CHARTS);
}

/** An element of a chart with the prefix that the part uses: `element(chart, 'idx', { val: 0 })`. */
export function element(
  { xml, root }: ChartTree,
  name: string,
  attributes: Readonly<Record<string, string | number>> = {},
  content = '',
): string {
  const prefix = /^<([^\s/>:]+:)?/.exec(xml.slice(root.start, root.openEnd))?.[1] ?? '';
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`);
  const head = `<${prefix}${name}${list.join('')}`;
  return content === '' ? `${head}/>` : `${head}>${content}</${prefix}${name}>`;
}

/** The namespace of DrawingML's colors and fills, or of relationships, for elements that declare it themselves. */
export function namespaceOf(chart: ChartTree, of: 'a' | 'r'): string {
  if (of === 'a') return isStrict(chart) ? `${STRICT}/drawingml/main` : `${OFFICE}/drawingml/2006/main`;
  const folder = isStrict(chart) ? `${STRICT}/officeDocument` : `${OFFICE}/officeDocument/2006`;
  return `${folder}/relationships`;
}

/** The number in a child such as `<c:idx val="1"/>`. */
export function numberIn(node: XmlNode, child: string): number | undefined {
  const found = childOf(node, child);
  const text = found && attributeOf(found, 'val');
  return text === undefined || !/^\d{1,9}$/.test(text) ? undefined : Number(text);
}

/** The decoded text of the first descendant with this name. */
export function textIn({ xml }: ChartTree, node: XmlNode, name: string): string | undefined {
  for (const inner of descendantsOf(node))
    if (inner.name === name && inner.closeStart - inner.openEnd <= TEXT_CHARS_MAX)
      return decodeReferences(xml.slice(inner.openEnd, inner.closeStart).replace(/<[^>]*>/g, ''));
  return undefined;
}

export function sourceOf({ xml }: ChartTree, { start, end }: { start: number; end: number }): string {
  return xml.slice(start, end);
}
