/** XMP properties for who saved a document and when (ISO 16684-1). */
const SAVED_BY = `(?:xm?a?p(?:MM)?|pdf):(?:ModifyDate|MetadataDate|InstanceID|History|Producer)`;
/** A tag with its attributes, or the text between tags. */
const PART = /<(?:[^<>"']|"[^"<]*"|'[^'<]*')*>|[^<]+/g;
const ATTRIBUTE = /\s[^\s="'<>/]+\s*=\s*(?:"[^"]*"|'[^']*')/g;
const SAVED_TAG = new RegExp(String.raw`^<(${SAVED_BY})(?=[\s/>])`);
const SAVED_ATTRIBUTE = new RegExp(String.raw`^\s(?:${SAVED_BY}|x:xmptk)\s*=`);
/** A namespace declaration that keeps the usual meaning of its prefix. */
const NAMESPACE =
  /\sxmlns:\w+\s*=\s*(?:"http:\/\/ns\.adobe\.com\/[\w./]*"|'http:\/\/ns\.adobe\.com\/[\w./]*')/g;
/** Tags of an event list. */
const EVENT = /^<\/?(?:rdf|stEvt):/;
/** Syntax that hides tags from readers or adds to them. */
const UNREAD = /<!|&(?!(?:amp|lt|gt|quot|apos|#x?[0-9a-f]+);)/i;

const isBlank = (text: string): boolean => /^[ \t\r\n]*$/.test(text);

const withoutSavedAttributes = (tag: string): string =>
  tag
    .replace(ATTRIBUTE, (attribute) => (SAVED_ATTRIBUTE.test(attribute) ? '' : attribute))
    .replace(/\s+/g, ' ')
    .replace(/ (?=\/?>$)/, '');

/** Returns XMP without the properties for who saved it and when; undefined if it cannot be parsed. */
export function withoutSaving(xmp: string): string | undefined {
  if (UNREAD.test(xmp)) return undefined;
  const parts = xmp.match(PART) ?? [];
  if (parts.join('') !== xmp) return undefined;
  const kept: string[] = [];
  let within: string | undefined;
  for (const part of parts) {
    const isTag = part.startsWith('<');
    if (within !== undefined) {
      if (part.startsWith('</') && part.slice(2, -1).trimEnd() === within) within = undefined;
      else if (isTag && !(within.endsWith(':History') && EVENT.test(part))) return undefined;
      continue;
    }
    const [, name] = SAVED_TAG.exec(part) ?? [];
    if (name === undefined) {
      if (isTag) kept.push(withoutSavedAttributes(part));
      else if (!isBlank(part)) kept.push(part);
    } else if (part.replace(NAMESPACE, '').includes('xmlns')) return undefined;
    else if (!part.endsWith('/>')) within = name;
  }
  return within === undefined ? kept.join('') : undefined;
}
