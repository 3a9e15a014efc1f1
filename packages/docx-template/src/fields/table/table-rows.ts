import { ancestorsOf, childOf, childValue, type XmlNode } from '@scriptorium/ooxml/xml';
import { isOn } from '../../template/controls.ts';

const WRAPPERS = new Set(['w:sdt', 'w:sdtContent', 'w:customXml']);

/** The rows of a table or of a control around rows, including those in nested controls. */
export function rowsIn(node: XmlNode): Generator<XmlNode> {
  return insideWrappers(node, 'w:tr');
}

export function cellsIn(row: XmlNode): Generator<XmlNode> {
  return insideWrappers(row, 'w:tc');
}

function* insideWrappers(node: XmlNode, name: string): Generator<XmlNode> {
  for (const child of node.children) {
    if (child.name === name) yield child;
    else if (WRAPPERS.has(child.name)) yield* insideWrappers(child, name);
  }
}

/** Whether a row is repeated at the top of each page (ECMA-376-1 §17.4.49). */
export function isHeaderRow(row: XmlNode): boolean {
  const properties = childOf(row, 'w:trPr');
  if (properties === undefined || childOf(properties, 'w:tblHeader') === undefined) return false;
  return isOn(childValue(properties, 'w:tblHeader'));
}

export function ancestorNamed(node: XmlNode, wanted: string): XmlNode | undefined {
  for (const outer of ancestorsOf(node)) if (outer.name === wanted) return outer;
  return undefined;
}

/** The item of a repeating section that contains only this row. Word repeats it with the row (MS-DOCX §2.5.3). */
export function repeatingItemOf(row: XmlNode): XmlNode | undefined {
  for (const outer of ancestorsOf(row)) {
    if (!WRAPPERS.has(outer.name)) return undefined;
    const properties = childOf(outer, 'w:sdtPr');
    if (properties !== undefined && childOf(properties, 'w15:repeatingSectionItem') !== undefined)
      return [...rowsIn(outer)].length === 1 ? outer : undefined;
  }
  return undefined;
}
