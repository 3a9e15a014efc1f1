import type { Part, Relationship } from '@scriptorium/ooxml/package';
import { applyEdits, type Edit, escapeXml } from '@scriptorium/ooxml/xml';
import { escapeAttribute, PropertyAdditions } from './edits.ts';
import { type FieldChanges, type FieldFacts, fieldEdits } from './fields.ts';
import type { Identities } from './identities.ts';
import type { Look } from './look/look.ts';
import { isSeparator } from './notes.ts';
import type { Site } from './part-facts.ts';
import { namespaceIn, partOf, reachableFrom, relationshipsOf, type Source, scanOf } from './source.ts';
import type { MergeTarget } from './target.ts';

/** The place of Word's cursor. A document needs it once. */
const CURSOR = '_GoBack';
/** Charts and the drawings of diagrams. */
const THEMED_PART = /[.-](?:drawingml\.(?:chart|diagramData)|chartex)\+xml$/i;

export interface ImportParts {
  source: Source;
  target: MergeTarget;
  identities: Identities;
  look: Look;
  /** Whether a SEQ field of this label must start at 1 again. */
  restarts(label: string): boolean;
  countsSection: boolean;
  /** The sections of the document do not come with its content. */
  dropsSections?: boolean;
  properties: FieldChanges['properties'];
}

/** Brings the content of one document into the merged one: new identities, new relationships, copied parts. */
export class Importer {
  readonly #parts: ImportParts;
  readonly facts: FieldFacts = { isFrozen: false, hasPageCount: false, lostName: false };
  /** Copies of parts, by the key of the original. */
  readonly #copies = new Map<string, Part>();
  readonly #waiting: { from: Part; copy: Part }[] = [];
  readonly #annotations = new Map<string, string>();
  readonly #comments = new Map<string, string>();
  readonly #textBoxes = new Map<string, string>();
  readonly #notes = { footnote: new Map<string, string>(), endnote: new Map<string, string>() };
  readonly #paragraphs = new Map<string, string>();
  readonly #durables = new Map<string, string>();
  /** New ids of relationships for a diagram, by the key of its data. */
  readonly #diagrams = new Map<string, (id: string) => string>();
  readonly #stores = new Map<string, string>();
  /** By their old names in lower case. */
  readonly #bookmarks = new Map<string, string>();
  /** New names of styles, by the old ones in lower case. */
  readonly #styleNames = new Map<string, string>();
  /** Parts with styles and lists of their own: those of the glossary. */
  #ownStyles: ReadonlySet<Part> = new Set();
  /** Ids of bookmarks that go. */
  readonly #cursors = new Set<string>();

  constructor(parts: ImportParts) {
    this.#parts = parts;
    const { source, identities, look } = parts;
    const { main } = source.document;
    this.#copies.set(main.key, parts.target.main);
    const hasCursor = identities.hasCursor();
    for (const [key, { sites, removable }] of source.scans) {
      for (const { kind, value } of removable)
        if (kind === 'cursor' && (hasCursor || key !== main.key)) this.#cursors.add(value);
        else if (kind === 'cursor') identities.keepCursor();
      for (const { kind, value } of sites)
        if (kind === 'bookmark' && !this.#bookmarks.has(value.toLowerCase())) this.#nameBookmark(value);
    }
    for (const [from, to] of look.styleNames) this.#styleNames.set(from.toLowerCase(), to);
    // Separators of notes may come with their ids.
    for (const kind of ['footnote', 'endnote'] as const) {
      const part = partOf(source, `${kind}s`);
      for (const { type, key } of (part && source.scans.get(part.key)?.blocks) ?? [])
        if (isSeparator(type)) identities.keepNote(kind, key ?? '');
    }
    const glossary = partOf(source, 'glossaryDocument');
    if (glossary !== undefined) this.#ownStyles = reachableFrom(source, glossary);
  }

  /** Whether a chart or diagram takes fonts and effects from a theme that the merged document has not. */
  get losesTheme(): boolean {
    const { look, source } = this.#parts;
    const parts = look.theme === undefined ? [] : [...source.document.parts.values()];
    return parts.some((part) => THEMED_PART.test(part.contentType) && !hasOwnTheme(part));
  }

  #nameBookmark(name: string): void {
    if (name === CURSOR) return;
    this.#bookmarks.set(name.toLowerCase(), this.#parts.identities.bookmark(name));
  }

  /** The declaration that elements of ours need in a part whose root has another meaning of `w`. */
  namespaceIn(part: Part): string {
    return namespaceIn(this.#parts.source, part);
  }

  /** Relates `to` to what `from` is related to. Returns the new id of each old one. */
  relationships(from: Part, to: Part): (id: string) => string {
    const known = relationshipsOf(from);
    const made = new Map<string, string>();
    const idOf = (id: string): string => {
      // Word writes an empty id where a link or picture has no target.
      if (id === '') return id;
      const relationship = known.get(id);
      const fresh =
        made.get(id) ??
        (relationship === undefined ? this.#parts.target.danglingId(to) : this.#relate(to, relationship));
      made.set(id, fresh);
      return fresh;
    };
    for (const { kind, part } of known.values())
      if (kind === 'diagramData' && part !== undefined) this.#diagrams.set(part, idOf);
    return idOf;
  }

  #relate(to: Part, relationship: Relationship): string {
    const { type, kind, target, part: key } = relationship;
    const part = key === undefined ? undefined : this.#parts.source.document.parts.get(key);
    const place = part === undefined ? this.#placeOf(target) : this.copy(part);
    return this.#parts.target.relate(to, { type, kind, to: place });
  }

  /** The target of a link, which may be a bookmark of the same document. */
  #placeOf(target: string): string {
    const name = target.startsWith('#') ? this.#bookmarks.get(target.slice(1).toLowerCase()) : undefined;
    return name === undefined ? target : `#${name}`;
  }

  /** Copies a part and all to which it leads. */
  copy(part: Part): Part {
    const copied = this.#start(part);
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) this.#link(next);
    return copied;
  }

  #start(part: Part): Part {
    const known = this.#copies.get(part.key);
    if (known !== undefined) return known;
    const { target } = this.#parts;
    const isPlain = part.xml === undefined && part.relationships.list.length === 0;
    const isOwn = part.xml === undefined || this.#ownStyles.has(part);
    const bytes = isOwn ? part.bytes : Buffer.from(applyEdits(part.xml ?? '', this.styledEdits(part)));
    const copied = target.addPart(part.name, part.contentType, bytes, { isShared: isPlain });
    this.#copies.set(part.key, copied);
    if (!isPlain) this.#waiting.push({ from: part, copy: copied });
    return copied;
  }

  /** A copied part keeps the ids of its relationships. */
  #link({ from, copy }: { from: Part; copy: Part }): void {
    const list = from.relationships.list.map((relationship) => {
      const part =
        relationship.part === undefined
          ? undefined
          : this.#parts.source.document.parts.get(relationship.part);
      if (part === undefined) return { ...relationship, target: this.#placeOf(relationship.target) };
      const to = this.#start(part);
      return { ...relationship, target: `/${to.name}`, part: to.key };
    });
    copy.relationships = { list };
  }

  /** The edits of a part; `relationship` gives new ids of relationships to a part whose content moves to another one. */
  edits(part: Part, relationship?: (id: string) => string): Edit[] {
    const { look, restarts, countsSection, properties } = this.#parts;
    const scan = scanOf(this.#parts.source, part);
    const xml = part.xml ?? '';
    const edits: Edit[] = [];
    const dropped = this.#parts.dropsSections === true ? scan.sections : [];
    for (const { start, end } of dropped) edits.push({ start, end, text: '' });
    const isDropped = insideOf(dropped);
    for (const site of scan.sites) {
      if (isDropped(site.start)) continue;
      const value =
        site.kind === 'relationship'
          ? relationship?.(site.value)
          : site.kind === 'diagram'
            ? this.#diagrams.get(part.key)?.(site.value)
            : this.#valueOf(site);
      if (value !== undefined && value !== site.value)
        edits.push({ start: site.start, end: site.end, text: escapeAttribute(value) });
    }
    for (const span of scan.removable)
      if (span.kind === 'binding' || span.kind === 'section' || this.#cursors.has(span.value))
        edits.push({ start: span.start, end: span.end, text: '' });
    if (look.theme !== undefined && !hasOwnTheme(part))
      for (const tag of scan.themed) edits.push(...look.theme(tag, xml));
    const names = { bookmarks: this.#bookmarks, styles: this.#styleNames };
    const changes = { names, restarts, countsSection, properties };
    // As arguments of `push`, this many edits could exceed the stack.
    return [...edits, ...fieldEdits(xml, scan.fields, changes, this.facts)];
  }

  /** Adds the styles that paragraphs and tables without one need. */
  addStyles(part: Part, additions: PropertyAdditions): void {
    const { look } = this.#parts;
    const ns = this.namespaceIn(part);
    for (const { kind, holder, hasProperties, table } of scanOf(this.#parts.source, part).unstyled) {
      const style = styleOfUnstyled(look, kind, table);
      const name = kind === 'paragraph' ? 'pStyle' : 'tblStyle';
      if (style !== undefined)
        additions.addStyle(holder, hasProperties, `<w:${name}${ns} w:val="${escapeXml(style)}"/>`);
    }
  }

  /** The edits of a part that is copied, or whose entries are, with the styles of what has none. */
  styledEdits(part: Part, relationship?: (id: string) => string): Edit[] {
    const additions = new PropertyAdditions(part.xml ?? '', this.namespaceIn(part));
    this.addStyles(part, additions);
    return [...this.edits(part, relationship), ...additions.edits()];
  }

  #valueOf({ kind, value, use }: Site): string | undefined {
    const { identities, look, source } = this.#parts;
    switch (kind) {
      case 'style':
        return look.styleId(value, use);
      case 'list':
        return look.numId(value);
      case 'annotation':
        return fresh(this.#annotations, value, () => identities.annotation());
      case 'comment':
        return fresh(this.#comments, value, () => identities.comment());
      case 'textBox':
        return fresh(this.#textBoxes, value, () => identities.textBox());
      case 'footnote':
      case 'endnote':
        return fresh(this.#notes[kind], value, () => identities.note(kind));
      case 'paragraph':
        return fresh(this.#paragraphs, value, () => identities.paragraph(value));
      case 'durable':
        return fresh(this.#durables, value, () => identities.paragraph(value));
      case 'store':
        return fresh(this.#stores, value.toUpperCase(), () => identities.store(value, source.index));
      case 'bookmark':
      case 'anchor':
        return this.#bookmarks.get(value.toLowerCase());
      case 'drawing':
        return identities.drawing();
      case 'control':
        return identities.control(value);
      default:
        return undefined;
    }
  }
}

/** Whether an offset is inside of one of these spans. Spans and offsets ascend. */
function insideOf(spans: readonly { start: number; end: number }[]): (at: number) => boolean {
  let next = 0;
  return (at) => {
    while ((spans[next]?.end ?? Infinity) <= at) next++;
    return (spans[next]?.start ?? Infinity) <= at;
  };
}

/** What reads this writes the style, so it is read for what needs it only. */
function styleOfUnstyled(
  look: Look,
  kind: 'paragraph' | 'table',
  table: string | undefined,
): string | undefined {
  if (kind === 'table') return look.unstyled.table;
  return table === undefined ? look.unstyled.paragraph : look.unstyledInTable(table);
}

/** Charts may bring the theme that holds for them (ECMA-376-1 §14.2.8). */
function hasOwnTheme({ relationships }: Part): boolean {
  return relationships.list.some(({ kind }) => kind === 'themeOverride');
}

function fresh(known: Map<string, string>, value: string, make: () => string): string {
  const made = known.get(value) ?? make();
  known.set(value, made);
  return made;
}
