import { decodeReferences, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';

/**
 * The visible text of an element, truncated to `charsMax`: paragraphs as lines, without deleted text and field
 * instructions.
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

/** `&#1114111;` with leading zeros. */
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

/** At most `charsMax` characters, without cutting a character reference. */
function beginning(source: string, charsMax: number): string {
  if (source.length <= charsMax) return source;
  const text = source.slice(0, charsMax);
  const reference = text.lastIndexOf('&');
  return reference === -1 || text.includes(';', reference) ? text : text.slice(0, reference);
}
