import { BOUNDS, type Budget, boundPassed } from './bounds.ts';
import { type Attribute, isSpace, readTag, Scope, type Tag } from './xml-tag.ts';
import { decodeReferences, XmlError } from './xml-text.ts';

/** A start tag, or the tag of an empty element. Offsets are into the scanned text. */
export interface OpenTag {
  /** Canonical: `w:p`, whatever prefix the document uses. */
  readonly name: string;
  readonly start: number;
  /** After the `>`. */
  readonly end: number;
  readonly isEmpty: boolean;
  /** Number of enclosing elements. */
  readonly depth: number;
  readonly attributes: readonly Attribute[];
  /** The value of an attribute by its canonical name. */
  attribute(name: string): string | undefined;
}

/** A whole element; it is known once the element ends. */
export interface ElementSpan {
  start: number;
  /** After its start tag. */
  openEnd: number;
  /** Before its end tag; equal to `end` for an empty element. */
  closeStart: number;
  end: number;
}

/** Handles the elements of one name. */
export interface ElementHandler {
  open?(tag: OpenTag): void;
  /** Decoded text directly inside. Comments and elements split it into several calls. */
  text?(text: string, start: number, end: number): void;
  close?(span: ElementSpan): void;
}

/** Handlers by canonical element name. `*` matches every element. */
export type XmlVisitor = Readonly<Record<string, ElementHandler>>;

export interface ScanContext {
  budget: Budget;
  /** Name of the part, for error messages. */
  part: string;
  /** Shared by all parts of a document, so that names and tags are resolved once. */
  names?: Scope;
}

/** Documents repeat the same few tags thousands of times: each is read once. */
const TAGS_KEPT_MAX = 4_096;
const TAG_KEPT_CHARS_MAX = 200;
const INSTRUCTION = /^<\?[A-Za-z_:\u00c0-\uffff][\w.:\-\u00b7-\uffff]*(?:[ \t\r\n]|\?>)/;
const INSTRUCTION_HEAD_CHARS = 200;
const NONE: readonly ElementHandler[] = [];
const [BANG, SLASH, GREATER, QUESTION] = [33, 47, 62, 63];

/**
 * Reads an XML text once, from its first to its last character, and calls the visitors for its elements.
 *
 * Strict: throws XmlError unless the text is well-formed XML 1.0 with namespaces and without a DOCTYPE. Bounded:
 * throws OoxmlError DOCUMENT_TOO_COMPLEX for too much depth, or too many nested tables, attributes or elements. Time
 * is linear in the length, and no tree is built.
 */
export function scanXml(xml: string, visitors: readonly XmlVisitor[], context: ScanContext): void {
  new Scanner(xml, visitors, context).run();
}

interface Frame {
  tag: Tag;
  handlers: readonly ElementHandler[];
  /** The scope of the parent element. */
  scope: Scope;
  start: number;
}

function wantText(handlers: readonly ElementHandler[]): boolean {
  return handlers !== NONE && handlers.some((handler) => handler.text !== undefined);
}

class Scanner {
  readonly #xml: string;
  readonly #context: ScanContext;
  readonly #visitors: readonly XmlVisitor[];
  readonly #handlers = new Map<string, readonly ElementHandler[]>();
  readonly #hasReferences: boolean;
  readonly #hasSectionEnds: boolean;
  readonly #stack: Frame[] = [];
  #scope: Scope;
  #tables = 0;
  #elements = 0;
  #hasRoot = false;

  constructor(xml: string, visitors: readonly XmlVisitor[], context: ScanContext) {
    this.#xml = xml;
    this.#context = context;
    this.#visitors = visitors;
    this.#scope = context.names ?? Scope.root();
    this.#hasReferences = xml.includes('&');
    this.#hasSectionEnds = xml.includes(']]>');
  }

  run(): void {
    const xml = this.#xml;
    const elementsMax = this.#context.budget.elementsLeft;
    let at = 0;
    for (let tag = xml.indexOf('<'); tag !== -1; tag = xml.indexOf('<', at)) {
      if (tag > at) this.#text(at, tag);
      const code = xml.charCodeAt(tag + 1);
      if (code === SLASH) at = this.#closeTag(tag);
      else if (code === BANG) at = this.#markup(tag);
      else if (code === QUESTION) at = this.#instruction(tag);
      else at = this.#openTag(tag);
      if (this.#elements > elementsMax) throw boundPassed('elementsMax', this.#context.part);
    }
    if (at < xml.length) this.#text(at, xml.length);
    if (this.#stack.length > 0) throw new XmlError('an element without an end');
    if (!this.#hasRoot) throw new XmlError('no element');
    this.#context.budget.addElements(this.#elements);
  }

  #text(start: number, end: number): void {
    const frame = this.#stack.at(-1);
    const isWanted = frame !== undefined && wantText(frame.handlers);
    if (!isWanted && frame !== undefined && !this.#hasReferences && !this.#hasSectionEnds) return;
    const text = this.#xml.slice(start, end);
    if (frame === undefined && /[^ \t\r\n]/.test(text))
      throw new XmlError('text outside of the root element');
    if (this.#hasSectionEnds && text.includes(']]>')) throw new XmlError(']]> in its text');
    const decoded = this.#hasReferences ? decodeReferences(text) : text;
    if (isWanted) for (const handler of frame.handlers) handler.text?.(decoded, start, end);
  }

  /** A comment or a CDATA section. Any other markup that starts with `<!` counts as a DOCTYPE. */
  #markup(start: number): number {
    const xml = this.#xml;
    if (xml.startsWith('<!--', start)) {
      const end = this.#find('--', start + 4);
      if (xml.charCodeAt(end + 2) !== GREATER) throw new XmlError('-- inside a comment');
      return end + 3;
    }
    if (!xml.startsWith('<![CDATA[', start)) throw new XmlError('a DOCTYPE, which is not allowed');
    const frame = this.#stack.at(-1);
    if (frame === undefined) throw new XmlError('text outside of the root element');
    const end = this.#find(']]>', start + 9);
    if (wantText(frame.handlers))
      for (const handler of frame.handlers) handler.text?.(xml.slice(start + 9, end), start, end + 3);
    return end + 3;
  }

  #instruction(start: number): number {
    const end = this.#find('?>', start + 2);
    if (!INSTRUCTION.test(this.#xml.slice(start, Math.min(end + 2, start + INSTRUCTION_HEAD_CHARS))))
      throw new XmlError('a processing instruction without a name');
    // `decodeXml` has read the declaration at the start.
    if (start > 0 && /^xml[\s?]/i.test(this.#xml.slice(start + 2, start + 6)))
      throw new XmlError('a second XML declaration');
    return end + 2;
  }

  #find(text: string, from: number): number {
    const at = this.#xml.indexOf(text, from);
    if (at === -1) throw new XmlError(`no closing ${text}`);
    return at;
  }

  #closeTag(start: number): number {
    const xml = this.#xml;
    const frame = this.#stack.pop();
    if (frame === undefined || !xml.startsWith(frame.tag.written, start + 2))
      throw new XmlError('an end tag that does not match an open element');
    const { tag, handlers } = frame;
    let end = start + 2 + tag.written.length;
    while (isSpace(xml.charCodeAt(end))) end++;
    if (xml.charCodeAt(end) !== GREATER) throw new XmlError('a malformed end tag');
    end++;
    this.#scope = frame.scope;
    if (tag.name === 'w:tbl') this.#tables--;
    if (handlers !== NONE) {
      const span = { start: frame.start, openEnd: frame.start + tag.length, closeStart: start, end };
      for (const handler of handlers) handler.close?.(span);
    }
    return end;
  }

  #openTag(start: number): number {
    const text = this.#xml.slice(start, this.#xml.indexOf('>', start) + 1);
    const tag = this.#scope.tags.get(text) ?? this.#readTag(start);
    const handlers = this.#handlersFor(tag.name);
    this.#count(tag);
    if (handlers !== NONE) this.#callOpen(tag, handlers, start);
    if (!tag.isEmpty) {
      this.#stack.push({ tag, handlers, scope: this.#scope, start });
      this.#scope = tag.scope;
    }
    return start + tag.length;
  }

  #readTag(start: number): Tag {
    const tag = readTag(this.#xml, start, this.#scope);
    if (tag.attributes.length > BOUNDS.attributesMax) throw boundPassed('attributesMax', this.#context.part);
    const { tags } = this.#scope;
    if (tag.length <= TAG_KEPT_CHARS_MAX && tags.size < TAGS_KEPT_MAX)
      tags.set(this.#xml.slice(start, start + tag.length), tag);
    return tag;
  }

  /** The handlers of all visitors for a name. Looked up once per name. */
  #handlersFor(name: string): readonly ElementHandler[] {
    const known = this.#handlers.get(name);
    if (known !== undefined) return known;
    const found = this.#visitors
      .flatMap((visitor) => [visitor['*'], Object.hasOwn(visitor, name) ? visitor[name] : undefined])
      .filter((handler) => handler !== undefined);
    const handlers = found.length === 0 ? NONE : found;
    this.#handlers.set(name, handlers);
    return handlers;
  }

  #count({ name, isEmpty }: Tag): void {
    const { part } = this.#context;
    const depth = this.#stack.length;
    if (depth === 0 && this.#hasRoot) throw new XmlError('two root elements');
    this.#hasRoot = true;
    this.#elements++;
    if (depth >= BOUNDS.depthMax) throw boundPassed('depthMax', part);
    if (name === 'w:tbl' && !isEmpty && ++this.#tables > BOUNDS.nestedTablesMax)
      throw boundPassed('nestedTablesMax', part);
  }

  #callOpen(known: Tag, handlers: readonly ElementHandler[], start: number): void {
    const { name, length, isEmpty, attributes } = known;
    const end = start + length;
    const tag: OpenTag = {
      name,
      start,
      end,
      isEmpty,
      depth: this.#stack.length,
      attributes,
      attribute: (wanted) => attributes.find((attribute) => attribute.name === wanted)?.value,
    };
    for (const handler of handlers) handler.open?.(tag);
    if (isEmpty)
      for (const handler of handlers) handler.close?.({ start, openEnd: end, closeStart: end, end });
  }
}
