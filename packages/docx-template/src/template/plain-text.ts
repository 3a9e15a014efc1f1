import { decodeReferences, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';

/**
 * What people read in an element: paragraphs as lines, without deleted text and instructions of fields; of a longer text,
 * its beginning.
 */
export function plainText(node: XmlNode, xml: string, charsMax: number): string {
  let text = '';
  let paragraphs = 0;
  for (const { name, openEnd, closeStart } of descendantsOf(node, isUnread)) {
    if (text.length >= charsMax) break;
    if (name === 'w:t') text += characters(xml.slice(openEnd, closeStart), charsMax - text.length);
    else if (name === 'w:tab') text += '\t';
    else if (name === 'w:br' || name === 'w:cr') text += '\n';
    else if (name === 'w:p' && paragraphs++ > 0) text += '\n';
  }
  return text.slice(0, charsMax).replace(HALF_A_CHARACTER, '');
}

function isUnread({ name }: XmlNode): boolean {
  return ['w:del', 'w:moveFrom', 'mc:Fallback', 'w:pPr', 'w:rPr', 'w:sdtPr'].includes(name);
}

/** `&#1114111;`, with zeros before it. */
const REFERENCE_CHARS_MAX = 13;
const HALF_A_CHARACTER = /[\ud800-\udbff]$/;
const SECTION_OR_COMMENT = /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g;

function characters(source: string, charsMax: number): string {
  if (!source.includes('<')) return decodeReferences(beginning(source, charsMax * REFERENCE_CHARS_MAX));
  let text = '';
  let at = 0;
  for (const match of source.matchAll(SECTION_OR_COMMENT)) {
    text += decodeReferences(source.slice(at, match.index)) + (match[1] ?? '');
    at = match.index + match[0].length;
  }
  return text + decodeReferences(source.slice(at));
}

/** So many characters at most, and no half of a reference. */
function beginning(source: string, charsMax: number): string {
  if (source.length <= charsMax) return source;
  const text = source.slice(0, charsMax);
  const reference = text.lastIndexOf('&');
  return reference === -1 || text.includes(';', reference) ? text : text.slice(0, reference);
}
