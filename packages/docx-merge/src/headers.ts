import { XML_DECLARATION } from '@scriptorium/ooxml/xml';
import type { Section } from './part-facts.ts';
import type { SectionEdits } from './sections.ts';
import type { MergeTarget } from './target.ts';

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const NAMES = ['w:headerReference', 'w:footerReference'] as const;
const TYPES = ['default', 'first', 'even'] as const;
type Name = (typeof NAMES)[number];

/** A paragraph of 1 pt, which takes no room. */
export const tinyParagraph = (ns: string, more = ''): string =>
  `<w:p${ns}><w:pPr><w:spacing w:before="0" w:after="0" w:line="20" w:lineRule="exact"/><w:rPr><w:sz w:val="2"/></w:rPr>${more}</w:pPr></w:p>`;

export interface HeaderOptions {
  headers: 'keep' | 'first';
  /** Whether the document has its own headers for even pages. */
  isEven: boolean;
  /** Whether one of the documents has. */
  isAnyEven: boolean;
}

/** Keeps the headers and footers of each document its own: a section without one inherits that of the section before. */
export class Headers {
  readonly #target: MergeTarget;
  /** Name and type of what the next section would inherit. */
  readonly #inherited = new Set<string>();
  /** Ids of those of the first document at its end, by name and type. */
  readonly #first = new Map<string, string>();
  /** Whether the next section would inherit those of the first document. */
  #isFirst = true;

  constructor(target: MergeTarget) {
    this.#target = target;
  }

  /** Changes the references of a section. `idOf` gives the new id of a relationship. */
  adapt(
    section: Section,
    edits: SectionEdits,
    { headers, isEven, isAnyEven }: HeaderOptions,
    place: { isFirst: boolean; isImported: boolean; ns: string; idOf(id: string): string },
  ): void {
    if (headers === 'first' && place.isImported) {
      for (const child of section.children)
        if ((NAMES as readonly string[]).includes(child.name)) edits.replace(child, '');
      const titlePage = edits.child('w:titlePg');
      // Without headers of the first document for it, such a page would have none.
      if (titlePage !== undefined && !NAMES.some((name) => this.#first.has(`${name} first`)))
        edits.replace(titlePage, '');
      if (!this.#isFirst) this.#restoreFirst(edits, place.ns);
      this.#isFirst = true;
      return;
    }
    if (place.isImported) this.#isFirst = false;
    for (const name of NAMES) {
      for (const type of TYPES) {
        const reference = edits.reference(name, type);
        const isOwnEven = type !== 'even' || isEven || !isAnyEven;
        const key = `${name} ${type}`;
        if (!place.isImported && isOwnEven && reference?.id !== undefined) this.#first.set(key, reference.id);
        if (reference !== undefined && isOwnEven) this.#inherited.add(key);
        else if (isOwnEven && place.isFirst && place.isImported && this.#inherited.has(key))
          edits.add(name, this.#reference(name, type, this.#emptyId(name), place.ns));
      }
      if (isAnyEven && !isEven) this.#copyToEven(name, edits, place);
    }
  }

  /** A document before has replaced the headers of the first. */
  #restoreFirst(edits: SectionEdits, ns: string): void {
    for (const name of NAMES)
      for (const type of TYPES) {
        const key = `${name} ${type}`;
        if (this.#inherited.has(key))
          edits.add(name, this.#reference(name, type, this.#first.get(key) ?? this.#emptyId(name), ns));
      }
  }

  /** Even pages show what the other pages show. */
  #copyToEven(
    name: Name,
    edits: SectionEdits,
    {
      isFirst,
      isImported,
      ns,
      idOf,
    }: { isFirst: boolean; isImported: boolean; ns: string; idOf(id: string): string },
  ): void {
    const [usual, even] = [edits.reference(name, 'default'), edits.reference(name, 'even')];
    const isInherited = this.#inherited.has(`${name} even`);
    let id = usual?.id === undefined ? undefined : idOf(usual.id);
    if (id === undefined && isFirst && isImported && isInherited) id = this.#emptyId(name);
    const xml = id === undefined ? '' : this.#reference(name, 'even', id, ns);
    if (even !== undefined) edits.replace(even, xml);
    else if (xml !== '') edits.add(name, xml);
    if (xml !== '') this.#inherited.add(`${name} even`);
    if (!isImported && usual?.id !== undefined) this.#first.set(`${name} even`, usual.id);
  }

  #reference(name: Name, type: string, id: string, ns: string): string {
    return `<${name}${ns} w:type="${type}" r:id="${id}" xmlns:r="${OFFICE}"/>`;
  }

  readonly #emptyIds = new Map<Name, string>();

  #emptyId(name: Name): string {
    const known = this.#emptyIds.get(name);
    if (known !== undefined) return known;
    const kind = name === 'w:headerReference' ? 'header' : 'footer';
    const root = kind === 'header' ? 'hdr' : 'ftr';
    const xml = `${XML_DECLARATION}<w:${root} xmlns:w="${WORD}">${tinyParagraph('')}</w:${root}>`;
    const part = this.#target.addPart(`word/${kind}.xml`, `${CONTENT_TYPE}.${kind}+xml`, Buffer.from(xml), {
      isShared: false,
    });
    const id = this.#target.relate(this.#target.main, { type: `${OFFICE}/${kind}`, kind, to: part });
    this.#emptyIds.set(name, id);
    return id;
  }
}
