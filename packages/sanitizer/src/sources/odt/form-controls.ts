import { escapeXml, type OpenTag } from '@scriptorium/ooxml/xml';
import { localName } from './names.ts';

/** What a control shows (ODF 1.3 part 3 §13.5). */
interface Control {
  kind: string;
  id: string;
  text: string;
}

const DRAWING = 'urn:oasis:names:tc:opendocument:xmlns:drawing:1.0';
const TEXT = 'urn:oasis:names:tc:opendocument:xmlns:text:1.0';
/** Controls whose value is their text. */
const VALUES = new Set([
  ...['text', 'textarea', 'formatted-text', 'number', 'date', 'time', 'combobox', 'file', 'value-range'],
]);
/** Controls whose label is their text. */
const LABELS = new Set(['button', 'fixed-text', 'frame']);
const MARKS: Readonly<Record<string, readonly [off: string, on: string]>> = {
  checkbox: ['☐', '☑'],
  radio: ['○', '◉'],
};
const UNSEEN = new Set(['hidden']);
/** Attributes of the place that a control has on the page. */
const PLACED = /^(?!(?:control|text-style-name|id)$)/;
const CONTROLS_MAX = 10_000;

const attributeOf = (tag: OpenTag, local: string): string | undefined =>
  tag.attributes.find(({ name }) => localName(name) === local)?.value;

/** The form controls of a document. The engine does not draw them, so their texts take their places. */
export class FormControls {
  readonly #controls = new Map<string, Control>();
  #last: Control | undefined;

  /** Reads an element inside the forms of a document. */
  read(tag: OpenTag): void {
    const kind = localName(tag.name);
    if (kind === 'option' || kind === 'item') {
      const isChosen = attributeOf(tag, 'current-selected') ?? attributeOf(tag, 'selected');
      if (this.#last?.kind === 'listbox' && isChosen === 'true')
        this.#last.text = [this.#last.text, attributeOf(tag, 'label') ?? ''].filter(Boolean).join(', ');
      return;
    }
    const id = tag.attributes.filter(({ name }) => localName(name) === 'id').map(({ value }) => value);
    if (id[0] === undefined || this.#controls.size >= CONTROLS_MAX) return;
    this.#last = { kind, id: id[0], text: shownBy(kind, tag) };
    for (const name of id) this.#controls.set(name, this.#last);
  }

  /**
   * A frame with the text of the control that this element shows. Undefined if it is not known what the control shows;
   * empty if it shows nothing.
   */
  frameFor(tag: OpenTag, xml: string): string | undefined {
    const control = this.#controls.get(attributeOf(tag, 'control') ?? '');
    if (control === undefined) return undefined;
    if (UNSEEN.has(control.kind)) return '';
    const isKnown =
      VALUES.has(control.kind) || LABELS.has(control.kind) || Object.hasOwn(MARKS, control.kind);
    if (!isKnown && control.kind !== 'listbox' && control.kind !== 'password') return undefined;
    const placed = tag.attributes
      .filter(({ name }) => PLACED.test(localName(name)))
      .map(({ start, end }) => xml.slice(tag.start + start, tag.start + end).trim());
    const paragraphs = control.text
      .split('\n')
      .map((line) => `<ft:p xmlns:ft="${TEXT}">${escapeXml(line)}</ft:p>`);
    return `<fd:frame xmlns:fd="${DRAWING}" ${placed.join(' ')}><fd:text-box>${paragraphs.join('')}</fd:text-box></fd:frame>`;
  }
}

function shownBy(kind: string, tag: OpenTag): string {
  const label = attributeOf(tag, 'label') ?? '';
  const mark = Object.hasOwn(MARKS, kind) ? MARKS[kind] : undefined;
  if (mark !== undefined) {
    const state =
      attributeOf(tag, 'current-state') ?? attributeOf(tag, 'state') ?? attributeOf(tag, 'current-selected');
    const isOn = ['checked', 'true'].includes(state ?? attributeOf(tag, 'selected') ?? '');
    return `${mark[isOn ? 1 : 0]} ${label}`.trim();
  }
  if (LABELS.has(kind)) return label;
  return VALUES.has(kind) ? (attributeOf(tag, 'current-value') ?? attributeOf(tag, 'value') ?? '') : '';
}
