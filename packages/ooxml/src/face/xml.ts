export { applyEdits, type Edit } from '../xml-edits.ts';
export { canonicalName, NAMESPACES, prefixAt } from '../xml-names.ts';
export {
  type ElementHandler,
  type ElementSpan,
  type OpenTag,
  type ScanContext,
  scanXml,
  type XmlVisitor,
} from '../xml-scan.ts';
export { type Attribute, Scope } from '../xml-tag.ts';
export {
  decodeReferences,
  decodeXml,
  escapeXml,
  FORBIDDEN_CHARACTER,
  FORBIDDEN_CHARACTERS,
  XML_DECLARATION,
  XmlError,
} from '../xml-text.ts';
export {
  ancestorsOf,
  attributeOf,
  childOf,
  childValue,
  descendantsOf,
  TreeBuilder,
  type XmlNode,
} from '../xml-tree.ts';
