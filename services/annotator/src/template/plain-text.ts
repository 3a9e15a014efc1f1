import { decodeReferences } from '@scriptorium/shared/ooxml/xml-text';
import { descendantsOf, type XmlNode } from '@scriptorium/shared/ooxml/xml-tree';

/** What people read in an element: paragraphs as lines, without deleted text and instructions of fields. */
export function plainText(node: XmlNode, xml: string): string {
  let text = '';
  let paragraphs = 0;
  for (const { name, openEnd, closeStart } of descendantsOf(node, isUnread)) {
    if (name === 'w:t') text += characters(xml.slice(openEnd, closeStart));
    else if (name === 'w:tab') text += '\t';
    else if (name === 'w:br' || name === 'w:cr') text += '\n';
    else if (name === 'w:p' && paragraphs++ > 0) text += '\n';
  }
  return text;
}

function isUnread({ name }: XmlNode): boolean {
  return ['w:del', 'w:moveFrom', 'mc:Fallback', 'w:pPr', 'w:rPr', 'w:sdtPr'].includes(name);
}

const SECTION_OR_COMMENT = /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g;

function characters(source: string): string {
  if (!source.includes('<')) return decodeReferences(source);
  let text = '';
  let at = 0;
  for (const match of source.matchAll(SECTION_OR_COMMENT)) {
    text += decodeReferences(source.slice(at, match.index)) + (match[1] ?? '');
    at = match.index + match[0].length;
  }
  return text + decodeReferences(source.slice(at));
}
