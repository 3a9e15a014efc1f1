import type { OoxmlPackage } from '@scriptorium/ooxml/package';
import { plainMarkup } from './plain-markup.ts';

/** What the text of a document takes from elsewhere when opened. */
export interface Shown {
  /** Title, author and similar properties, shown by fields or bound content controls, and the base of relative links. */
  properties: boolean;
  /** Custom data of the document, shown by bound content controls. */
  data: boolean;
}

/** Stores of core and extended properties, as data bindings name them. */
const PROPERTY_STORES =
  /^\s*\{(?:6C3C8BC8-F283-45AE-878A-BAB7291924A1|6668398D-A668-4E3E-A5EB-62B293D839F1)\}\s*$/i;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
/** Fields that show properties (ECMA-376-1 §17.16.5). */
const FIELD =
  /^(?:TITLE|SUBJECT|AUTHOR|KEYWORDS|COMMENTS|LASTSAVEDBY|DOCPROPERTY|INFO|CREATEDATE|SAVEDATE|PRINTDATE|EDITTIME|REVNUM|TEMPLATE|NUMCHARS|NUMWORDS)\b/i;
const BINDING = /<(?:[\w.-]+:)?dataBinding\s([^<>]*)/g;
const SIMPLE_FIELD = /<(?:[\w.-]+:)?fldSimple\s[^<>]*?instr\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
/** The parts of a field, and the pieces of its instruction: LibreOffice also reads deleted ones, and other text. */
const FIELD_PIECE =
  /<(?:[\w.-]+:)?(?:fldChar\s[^<>]*?fldCharType\s*=\s*["'](begin|separate|end)|(?:instrText|delInstrText|t)(?:\s[^<>]*)?>([^<]*))/g;
/** LibreOffice ignores quotes before the name of a field. */
const LEADING = /^(?:[\s"]|&quot;|&#0*34;|&#x0*22;)+/i;
const INSTRUCTION_CHARS_MAX = 100;
const EXTENDED_PROPERTIES = /\.extended-properties\+xml$/i;
/** Relative links lead to where it says (ECMA-376-1 §22.2.2.13). */
const LINK_BASE = /<(?:[\w.-]+:)?HyperlinkBase(?:\s[^>]*)?(?<!\/)>/;

function hasPropertyField(xml: string): boolean {
  for (const [, double, single] of xml.matchAll(SIMPLE_FIELD))
    if (FIELD.test((double ?? single ?? '').replace(LEADING, '').slice(0, INSTRUCTION_CHARS_MAX)))
      return true;
  const open: { instruction: string; isRead: boolean }[] = [];
  for (const [, mark, piece = ''] of xml.matchAll(FIELD_PIECE)) {
    const field = open.at(-1);
    if (mark === 'begin') open.push({ instruction: '', isRead: false });
    if (mark === 'begin' || !field) continue;
    if (mark !== undefined) field.isRead = true;
    else if (!field.isRead && field.instruction.length < INSTRUCTION_CHARS_MAX)
      field.instruction = (field.instruction + piece).replace(LEADING, '');
    if (mark !== undefined && FIELD.test(field.instruction)) return true;
    if (mark === 'end') open.pop();
  }
  return open.some(({ instruction }) => FIELD.test(instruction));
}

/** Returns the stores that a binding names, but not those mentioned only in its path. */
function storesOf(attributes: string): string[] {
  return [...attributes.matchAll(ATTRIBUTE)].flatMap(([, name = '', double, single]) =>
    /(?:^|:)storeItemID$/i.test(name) ? [double ?? single ?? ''] : [],
  );
}

/** Finds the properties and data that the text of a document shows. */
export function findShown({ parts }: OoxmlPackage): Shown {
  const shown: Shown = { properties: false, data: false };
  for (const part of parts.values()) {
    if (part.xml === undefined) continue;
    const xml = plainMarkup(part.xml);
    if (EXTENDED_PROPERTIES.test(part.contentType) && LINK_BASE.test(xml)) shown.properties = true;
    for (const [, attributes = ''] of xml.matchAll(BINDING)) {
      const stores = storesOf(attributes);
      const isOfProperties = stores.length > 0 && stores.every((store) => PROPERTY_STORES.test(store));
      if (isOfProperties || stores.every((store) => store === '')) shown.properties = true;
      if (!isOfProperties) shown.data = true;
    }
    if (!shown.properties) shown.properties = hasPropertyField(xml);
  }
  return shown;
}
