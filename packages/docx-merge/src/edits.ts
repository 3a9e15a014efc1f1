import { applyEdits, type Edit, type ElementSpan, escapeXml } from '@scriptorium/ooxml/xml';

/** A text for an attribute, whatever quotation marks are around it. */
export const escapeAttribute = (text: string): string => escapeXml(text).replaceAll("'", '&apos;');

/** A part of a text, with those edits that are in it. */
export function cut(xml: string, edits: readonly Edit[], start: number, end: number): string {
  const inside = edits.filter((edit) => edit.start >= start && edit.end <= end);
  return applyEdits(
    xml.slice(start, end),
    inside.map((edit) => ({ start: edit.start - start, end: edit.end - start, text: edit.text })),
  );
}

/** What is added to the properties of a paragraph or table. */
interface Addition {
  holder: ElementSpan;
  /** Whether `holder` is the properties; otherwise it is the paragraph, which has none. */
  hasProperties: boolean;
  style: string;
  section: string;
  sectionAt: number | undefined;
}

/** Collects additions to the properties of paragraphs and tables, one of each kind for each. */
export class PropertyAdditions {
  readonly #xml: string;
  readonly #ns: string;
  readonly #additions = new Map<number, Addition>();

  constructor(xml: string, ns: string) {
    this.#xml = xml;
    this.#ns = ns;
  }

  addStyle(holder: ElementSpan, hasProperties: boolean, style: string): void {
    this.#of(holder, hasProperties).style = style;
  }

  addSection(holder: ElementSpan, hasProperties: boolean, section: string, at: number | undefined): void {
    Object.assign(this.#of(holder, hasProperties), { section, sectionAt: at });
  }

  #of(holder: ElementSpan, hasProperties: boolean): Addition {
    const known = this.#additions.get(holder.start);
    if (known !== undefined) return known;
    const addition = { holder, hasProperties, style: '', section: '', sectionAt: undefined };
    this.#additions.set(holder.start, addition);
    return addition;
  }

  edits(): Edit[] {
    return [...this.#additions.values()].flatMap((addition) => this.#editsOf(addition));
  }

  #editsOf({ holder, hasProperties, style, section, sectionAt }: Addition): Edit[] {
    const { start, openEnd, closeStart, end } = holder;
    const content = hasProperties ? `${style}${section}` : `<w:pPr${this.#ns}>${style}${section}</w:pPr>`;
    if (openEnd === end && closeStart === end) {
      const [, name = 'w:p'] = /^<([^\s/>]+)/.exec(this.#xml.slice(start, end)) ?? [];
      return [{ start: end - 2, end, text: `>${content}</${name}>` }];
    }
    if (!hasProperties) return [{ start: openEnd, end: openEnd, text: content }];
    const at = sectionAt ?? closeStart;
    return [
      ...(style === '' ? [] : [{ start: openEnd, end: openEnd, text: style }]),
      ...(section === '' ? [] : [{ start: at, end: at, text: section }]),
    ];
  }
}
