/** Limits of levels and elements, far above those of documents that Word writes. */
const DEPTH_MAX = 256;
const ELEMENTS_MAX = 20_000;

/** An element and its offsets in the text: it extends from `start` to `end`, and its end tag begins at `innerEnd`. */
export interface XmlElement {
  readonly namespace: string;
  readonly name: string;
  /** The qualified name with its prefix. */
  readonly tag: string;
  /** Raw names and values. */
  readonly attributes: readonly (readonly [string, string])[];
  readonly scope: Scope;
  readonly children: XmlElement[];
  readonly start: number;
  /** The text without that of child elements. */
  text: string;
  innerEnd: number;
  end: number;
}

/** Namespaces by prefix. */
type Scope = Readonly<Record<string, string>>;

interface Tag {
  readonly tag: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly empty: boolean;
  readonly end: number;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
  });
}

/** Escapes text for content and quoted attribute values. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

// Shared by all tags of a part: each use sets `lastIndex` first.
const NAME = /[^\s<>/="'!?]+/y;
const ATTRIBUTE = /\s+([^\s<>/="']+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const CLOSE = /\s*(\/?)>/y;

function match(pattern: RegExp, xml: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(xml);
}

function readTag(xml: string, start: number): Tag {
  const tag = match(NAME, xml, start + 1)?.[0];
  if (!tag) throw new SyntaxError('XML: a tag without a name');
  let at = NAME.lastIndex;
  const attributes: [string, string][] = [];
  for (let found = match(ATTRIBUTE, xml, at); found; found = match(ATTRIBUTE, xml, at)) {
    attributes.push([found[1] ?? '', found[2] ?? found[3] ?? '']);
    at = ATTRIBUTE.lastIndex;
  }
  const closed = match(CLOSE, xml, at);
  if (!closed) throw new SyntaxError('XML: a tag without an end');
  return { tag, attributes, empty: closed[1] === '/', end: CLOSE.lastIndex };
}

/** Scopes are chained, not copied, so that many declarations on many levels stay cheap. */
function scopeOf({ attributes }: Tag, parent: Scope): Scope {
  let scope: Record<string, string> | undefined;
  for (const [name, value] of attributes) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    scope ??= Object.create(parent) as Record<string, string>;
    scope[name.slice('xmlns:'.length)] = unescapeXml(value);
  }
  return scope ?? parent;
}

function split(name: string): [prefix: string, local: string] {
  const colon = name.indexOf(':');
  return [name.slice(0, Math.max(colon, 0)), name.slice(colon + 1)];
}

function elementOf({ tag, attributes, end }: Tag, scope: Scope, start: number): XmlElement {
  const [prefix, name] = split(tag);
  const namespace = scope[prefix] ?? '';
  return { namespace, name, tag, attributes, scope, children: [], text: '', start, innerEnd: end, end };
}

/** Returns the value of an attribute by namespace and local name. Without a namespace it must not have a prefix. */
export function attributeOf(element: XmlElement, name: string, namespace = ''): string | undefined {
  for (const [written, value] of element.attributes) {
    const [prefix, local] = split(written);
    if (local === name && (prefix ? element.scope[prefix] : '') === namespace) return unescapeXml(value);
  }
  return undefined;
}

function past(xml: string, end: string, from: number): number {
  const at = xml.indexOf(end, from);
  if (at < 0) throw new SyntaxError(`XML: ${end} is missing`);
  return at + end.length;
}

/** Skips the comment, processing instruction or CDATA section at `at`. Rejects a DOCTYPE, which could define entities. */
function skipMarkup(xml: string, at: number): { end: number; text: string } {
  if (xml.startsWith('<?', at)) return { end: past(xml, '?>', at), text: '' };
  if (xml.startsWith('<!--', at)) return { end: past(xml, '-->', at + 4), text: '' };
  if (!xml.startsWith('<![CDATA[', at)) throw new SyntaxError('XML: a declaration');
  const end = past(xml, ']]>', at);
  return { end, text: xml.slice(at + 9, end - 3) };
}

/**
 * Returns the root element of a part. Names are resolved by namespace. Offsets refer to `xml`.
 * Throws if the text is not well-formed, has a DOCTYPE or exceeds the limits.
 */
export function parseXml(xml: string): XmlElement {
  const scope: Scope = Object.assign(Object.create(null), { xml: 'http://www.w3.org/XML/1998/namespace' });
  const document = elementOf({ tag: '', attributes: [], empty: false, end: 0 }, scope, 0);
  const open = [{ element: document, scope }];
  let elements = 0;
  let at = 0;
  for (;;) {
    const inner = open.at(-1);
    const next = xml.indexOf('<', at);
    if (!inner || next < 0) break;
    inner.element.text += unescapeXml(xml.slice(at, next));
    const mark = xml[next + 1];
    if (mark === '!' || mark === '?') {
      const skipped = skipMarkup(xml, next);
      inner.element.text += skipped.text;
      at = skipped.end;
    } else if (mark === '/') {
      at = past(xml, '>', next);
      if (open.length < 2 || xml.slice(next + 2, at - 1).trimEnd() !== inner.element.tag)
        throw new SyntaxError('XML: unexpected end tag');
      inner.element.innerEnd = next;
      inner.element.end = at;
      open.pop();
    } else {
      const tag = readTag(xml, next);
      const inside = scopeOf(tag, inner.scope);
      const element = elementOf(tag, inside, next);
      inner.element.children.push(element);
      if (++elements > ELEMENTS_MAX || open.length > DEPTH_MAX)
        throw new RangeError('XML: too many elements');
      if (!tag.empty) open.push({ element, scope: inside });
      at = tag.end;
    }
  }
  const [root] = document.children;
  if (!root || document.children.length > 1 || open.length > 1)
    throw new SyntaxError('XML: incomplete document');
  return root;
}

/** Replaces the element `old` with `fragment`, or appends `fragment` to `root`. */
export function putElement(xml: string, root: XmlElement, fragment: string, old?: XmlElement): string {
  if (old) return xml.slice(0, old.start) + fragment + xml.slice(old.end);
  if (root.innerEnd < root.end) return xml.slice(0, root.innerEnd) + fragment + xml.slice(root.innerEnd);
  const open = xml.slice(0, root.end - '/>'.length);
  return `${open}>${fragment}</${root.tag}>${xml.slice(root.end)}`;
}
