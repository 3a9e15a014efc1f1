/** A start tag (or an empty element's tag) of an XML document, without its namespace prefix. */
export interface StartTag {
  name: string;
  attributes: Map<string, string>;
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Thrown where the text is no well-formed XML without a DOCTYPE. */
export class XmlError extends Error {}

/** Decodes the bytes of an XML part: UTF-8 or UTF-16, the two that ECMA-376-2 §9.1.1.4 allows. */
export function decodeXml(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    (first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)
      ? 'utf-16le'
      : (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)
        ? 'utf-16be'
        : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new XmlError(`bytes that are not ${encoding}`, { cause });
  }
}

function decodeEntity(name: string): string {
  const known = ENTITIES.get(name);
  if (known !== undefined) return known;
  const code = name.startsWith('#x')
    ? Number.parseInt(name.slice(2), 16)
    : Number.parseInt(name.slice(1), 10);
  if (!name.startsWith('#') || !(code > 0 && code <= 0x10ffff))
    throw new XmlError(`unknown entity &${name};`);
  return String.fromCodePoint(code);
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const [head = '', ...rest] = text.split('&');
  return rest.reduce((decoded, piece) => {
    const end = piece.indexOf(';');
    if (end === -1) throw new XmlError('an & without a ;');
    return decoded + decodeEntity(piece.slice(0, end)) + piece.slice(end + 1);
  }, head);
}

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\n' || char === '\t' || char === '\r';
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Index after the next `end` at or past `from`. */
function skipPast(xml: string, end: string, from: number): number {
  const at = xml.indexOf(end, from);
  if (at === -1) throw new XmlError(`no ${end} to the end`);
  return at + end.length;
}

function nameEnd(xml: string, from: number): number {
  let at = from;
  while (at < xml.length && !isSpace(xml[at]) && !'=/>'.includes(xml.charAt(at))) at++;
  return at;
}

function spaceEnd(xml: string, from: number): number {
  let at = from;
  while (isSpace(xml[at])) at++;
  return at;
}

/** Reads the tag whose `<` is before `from`; `next` is the index after its `>`. */
function readStartTag(xml: string, from: number): { tag: StartTag; next: number } {
  let at = nameEnd(xml, from);
  const attributes = new Map<string, string>();
  const tag = { name: localName(xml.slice(from, at)), attributes };
  for (;;) {
    at = spaceEnd(xml, at);
    if (xml[at] === '>') return { tag, next: at + 1 };
    if (xml.startsWith('/>', at)) return { tag, next: at + 2 };
    const end = nameEnd(xml, at);
    const equals = spaceEnd(xml, end);
    const open = spaceEnd(xml, equals + 1);
    const quote = xml[open];
    if (end === at || xml[equals] !== '=' || (quote !== '"' && quote !== "'")) {
      throw new XmlError(`a malformed tag <${tag.name}>`);
    }
    const after = skipPast(xml, quote, open + 1);
    attributes.set(localName(xml.slice(at, end)), decodeEntities(xml.slice(open + 1, after - 1)));
    at = after;
  }
}

/** The start tags of an XML text in their order, in time linear in its length; throws XmlError. */
export function* startTags(xml: string): Generator<StartTag> {
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at)) {
    if (xml.startsWith('<!--', at)) at = skipPast(xml, '-->', at + 4);
    else if (xml.startsWith('<![CDATA[', at)) at = skipPast(xml, ']]>', at + 9);
    else if (xml.startsWith('<!', at)) throw new XmlError('a DOCTYPE');
    else if (xml.startsWith('<?', at)) at = skipPast(xml, '?>', at + 2);
    else if (xml.startsWith('</', at)) at = skipPast(xml, '>', at + 2);
    else {
      const { tag, next } = readStartTag(xml, at + 1);
      yield tag;
      at = next;
    }
  }
}
