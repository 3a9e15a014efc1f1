import { type Edit, escapeXml } from '@scriptorium/ooxml/xml';
import type { Section, SectionChild } from './part-facts.ts';

/** The order of the elements in section properties (ECMA-376-1 §17.6.17). */
const ORDER = [
  'w:headerReference',
  'w:footerReference',
  'w:footnotePr',
  'w:endnotePr',
  'w:type',
  'w:pgSz',
  'w:pgMar',
  'w:paperSrc',
  'w:pgBorders',
  'w:lnNumType',
  'w:pgNumType',
  'w:cols',
  'w:formProt',
  'w:vAlign',
  'w:noEndnote',
  'w:titlePg',
  'w:textDirection',
  'w:bidi',
  'w:rtlGutter',
  'w:docGrid',
  'w:printerSettings',
  'w:sectPrChange',
];
const placeOf = (name: string): number => ORDER.indexOf(name);

/** Changes to the properties of one section. */
export class SectionEdits {
  readonly #xml: string;
  readonly #section: Section;
  readonly #edits: Edit[] = [];
  readonly #added: { name: string; xml: string }[] = [];

  constructor(xml: string, section: Section) {
    this.#xml = xml;
    this.#section = section;
  }

  child(name: string): SectionChild | undefined {
    return this.#section.children.find((child) => child.name === name);
  }

  reference(name: string, type: string): SectionChild | undefined {
    return this.#section.children.find((child) => child.name === name && (child.type ?? 'default') === type);
  }

  textOf(child: SectionChild): string {
    return this.#xml.slice(child.start, child.end);
  }

  /** Replaces the child of this name, or adds it. */
  put(name: string, xml: string): void {
    const child = this.child(name);
    if (child === undefined) this.#added.push({ name, xml });
    else this.replace(child, xml);
  }

  replace({ start, end }: SectionChild, xml: string): void {
    this.#edits.push({ start, end, text: xml });
  }

  add(name: string, xml: string): void {
    this.#added.push({ name, xml });
  }

  /** All changes, as edits of the part. */
  edits(): Edit[] {
    const added = this.#added.toSorted((a, b) => placeOf(a.name) - placeOf(b.name));
    if (added.length === 0) return this.#edits;
    const { start, openEnd, closeStart, end, children } = this.#section;
    if (openEnd === end) {
      const [, written = 'w:sectPr'] = /^<([^\s/>]+)/.exec(this.#xml.slice(start, end)) ?? [];
      return [{ start: end - 2, end, text: `>${added.map(({ xml }) => xml).join('')}</${written}>` }];
    }
    const insertions = added.map(({ name, xml }) => {
      const next = children.find((child) => placeOf(child.name) > placeOf(name));
      const at = next?.start ?? closeStart;
      return { start: at, end: at, text: xml };
    });
    return [...this.#edits, ...insertions];
  }
}

/** `w:pgNumType` with this start, or without one. */
export function pageNumbers(xml: string | undefined, ns: string, start: number | undefined): string {
  const rest = (xml ?? '').replace(/\s[\w.-]*:?start\s*=\s*("[^"]*"|'[^']*')/, '');
  const attribute = start === undefined ? '' : ` w:start="${start}"`;
  if (rest === '') return `<w:pgNumType${ns}${attribute}/>`;
  return rest.replace(/^<([^\s/>]+)/, `<$1${ns}${attribute}`);
}

export const sectionType = (type: string, ns: string): string => `<w:type${ns} w:val="${escapeXml(type)}"/>`;
