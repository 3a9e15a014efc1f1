import { createHash } from 'node:crypto';
import { isSafeName, type OoxmlPackage, type Part, type Relationship } from '@scriptorium/ooxml/package';
import { type Edit, XML_DECLARATION } from '@scriptorium/ooxml/xml';
import { MergedRoot } from './root-names.ts';
import { rootOf, type Source, scanOf } from './source.ts';

const RELATIONSHIP = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';
/** The longest name that a copy of a part keeps. */
const NAME_CHARS_MAX = 200;
/** Names that need no escape in a relationship or a content type. */
const PLAIN_NAME = /^[\w./-]+$/;

/** A part of the merged document that collects the entries of all documents. */
interface Collection {
  part: Part;
  root: MergedRoot;
  rootSpan: { start: number; end: number };
  /** Where entries are added: before the end tag of the body. Undefined if the element is empty. */
  end: number | undefined;
  entries: string[];
}

/** The merged document: the first one, to which the others add their parts. */
export class MergeTarget {
  readonly first: Source;
  readonly document: OoxmlPackage;
  readonly #names = new Set<string>();
  readonly #media = new Map<string, Part>();
  readonly #collections = new Map<Part, Collection>();
  readonly #lastIds = new Map<Part, number>();

  constructor(first: Source) {
    this.first = first;
    this.document = first.document;
    for (const key of first.document.archive.keys()) this.#names.add(key);
    for (const part of first.document.parts.values()) {
      this.#names.add(part.key);
      if (PLAIN_NAME.test(part.name)) this.#remember(part);
    }
  }

  get main(): Part {
    return this.document.main;
  }

  /** Adds a part under a new name in the folder of `name`. Returns the part that is there already if its bytes are the same. */
  addPart(name: string, contentType: string, bytes: Buffer, options: { isShared: boolean }): Part {
    const known = options.isShared ? this.#media.get(mediaKey(contentType, bytes)) : undefined;
    if (known !== undefined) return known;
    const fresh = this.#freeName(name);
    const part: Part = {
      key: fresh.toLowerCase(),
      name: fresh,
      contentType,
      bytes,
      edits: [],
      relationships: { list: [] },
    };
    this.document.parts.set(part.key, part);
    if (options.isShared) this.#remember(part);
    return part;
  }

  #remember(part: Part): void {
    if (part.xml === undefined && part.relationships.list.length === 0)
      this.#media.set(mediaKey(part.contentType, part.bytes), part);
  }

  #freeName(name: string): string {
    const [end = ''] = /\.\w{1,10}$/.exec(name) ?? [];
    // A number makes a name longer, and long names are not safe.
    const safe = name.length > NAME_CHARS_MAX ? `word/part${end}` : name.replace(/[^\w./-]/g, '_');
    const dot = safe.lastIndexOf('.') > safe.lastIndexOf('/') ? safe.lastIndexOf('.') : safe.length;
    const [, stem = 'part'] = /^(.*?)\d*$/.exec(safe.slice(0, dot)) ?? [];
    const counter = `${stem}*${safe.slice(dot)}`;
    for (let number = (this.#counters.get(counter) ?? 0) + 1; ; number++) {
      const candidate = `${stem}${number}${safe.slice(dot)}`;
      if (this.#names.has(candidate.toLowerCase()) || !isSafeName(candidate)) continue;
      this.#counters.set(counter, number);
      this.#names.add(candidate.toLowerCase());
      return candidate;
    }
  }

  readonly #counters = new Map<string, number>();

  /** Adds a relationship to a part. Returns its id. */
  relate(from: Part, relationship: Pick<Relationship, 'type' | 'kind'> & { to: Part | string }): string {
    const { to, ...rest } = relationship;
    const id = this.#nextId(from);
    const target =
      typeof to === 'string'
        ? { target: to, isExternal: true }
        : { target: `/${to.name}`, isExternal: false, part: to.key };
    from.relationships = { list: from.relationships.list };
    from.relationships.list.push({ id, ...rest, ...target });
    return id;
  }

  #nextId(from: Part): string {
    let last = this.#lastIds.get(from);
    if (last === undefined) {
      // A document that is itself merged already has ids of this form.
      const numbers = from.relationships.list.map(({ id }) => Number(/^rIdM(\d{1,9})x?$/.exec(id)?.[1] ?? 0));
      last = numbers.reduce((highest, number) => Math.max(highest, number), 0);
    }
    this.#lastIds.set(from, last + 1);
    return `rIdM${last + 1}`;
  }

  /** An id that no relationship of the part has. */
  danglingId(from: Part): string {
    return `${this.#nextId(from)}x`;
  }

  /** Returns the part of this kind that the main part has, or a new one with the root of a part of another document. */
  collection(kind: string, source: Source, part: Part, from: Part = this.main): Part {
    const own = from.relationships.list.find(
      (entry) => entry.kind === kind && entry.part !== undefined,
    )?.part;
    const found = own === undefined ? undefined : this.document.parts.get(own);
    if (found?.xml !== undefined) return this.#open(found, this.first);
    const scan = scanOf(source, part);
    const xml = part.xml ?? '';
    const { body, root } = scan;
    const text =
      body === undefined || root === undefined
        ? xml
        : `${XML_DECLARATION}${xml.slice(root.start, body.openEnd)}${xml.slice(body.closeStart).trimEnd()}`;
    const made = this.addPart(part.name, part.contentType, Buffer.from(text), { isShared: false });
    made.xml = text;
    const type = source.document.main.relationships.list.find((entry) => entry.kind === kind)?.type;
    this.relate(from, { type: type ?? `${RELATIONSHIP}${kind}`, kind, to: made });
    const rootStart = XML_DECLARATION.length;
    const rootEnd = rootStart + (root?.end ?? 0) - (root?.start ?? 0);
    const end = text.length - xml.slice(body?.closeStart ?? xml.length).trimEnd().length;
    this.#collections.set(made, {
      part: made,
      root: new MergedRoot(text.slice(rootStart, rootEnd)),
      rootSpan: { start: rootStart, end: rootEnd },
      end:
        body === undefined || (body.openEnd === body.closeStart && body.closeStart === body.end)
          ? undefined
          : end,
      entries: [],
    });
    return made;
  }

  #open(part: Part, source: Source): Part {
    if (this.#collections.has(part)) return part;
    const { root, body } = scanOf(source, part);
    const xml = part.xml ?? '';
    this.#collections.set(part, {
      part,
      root: new MergedRoot(xml.slice(root?.start, root?.end)),
      rootSpan: root ?? { start: 0, end: 0 },
      end: body === undefined || body.openEnd === body.end ? undefined : body.closeStart,
      entries: [],
    });
    return part;
  }

  /** Adds the names of a root to a collection. Returns the attributes that each entry from there needs. */
  addNames(collection: Part, source: Source, part: Part): string {
    this.#open(collection, this.first);
    return this.#collections.get(collection)?.root.add(rootOf(source, part)) ?? '';
  }

  /** Adds entries at the end of a collection. */
  append(collection: Part, xml: string): void {
    this.#open(collection, this.first);
    this.#collections.get(collection)?.entries.push(xml);
  }

  /** Writes the entries and the names of all collections into the edits of their parts. */
  finish(mainEnd: number): void {
    for (const { part, root, rootSpan, end, entries } of this.#collections.values()) {
      const xml = part.xml ?? '';
      const text = entries.join('');
      const tag = String(root);
      const at = part === this.main ? mainEnd : end;
      const isExpanded = at === undefined && text !== '';
      const rootText = isExpanded ? expanded(tag, text) : tag;
      const edits: Edit[] = [];
      if (rootText !== xml.slice(rootSpan.start, rootSpan.end)) edits.push({ ...rootSpan, text: rootText });
      if (at !== undefined && text !== '') edits.push({ start: at, end: at, text });
      part.edits.push(...edits);
      if (part.edits.length > 0) delete part.entry;
    }
  }
}

/** An empty element with content. */
function expanded(tag: string, content: string): string {
  const [, name = ''] = /^<([^\s/>]+)/.exec(tag) ?? [];
  return tag.endsWith('/>') ? `${tag.slice(0, -2)}>${content}</${name}>` : tag;
}

/** A part that is added many times is read once. */
const hashes = new WeakMap<Buffer, string>();

function mediaKey(contentType: string, bytes: Buffer): string {
  const hash = hashes.get(bytes) ?? createHash('sha1').update(bytes).digest('base64');
  hashes.set(bytes, hash);
  return `${contentType} ${bytes.length} ${hash}`;
}
