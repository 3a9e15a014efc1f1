import { textOf } from '../changes/shown-text.ts';
import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { type FieldNode, fieldNodes } from '../read/form.ts';
import { inheritedFrom, type Page, readBox } from '../read/pages.ts';
import { type AnnotationPlace, annotationPlaces } from '../read/signature-places.ts';
import { Dict, isName, Name, PdfString, type PdfValue, Ref, Stream } from '../read/values.ts';

export type FieldKind =
  | 'text'
  | 'checkbox'
  | 'radio buttons'
  | 'drop-down'
  | 'combo box'
  | 'list box'
  | 'button'
  | 'signature';

/** Flags of fields by bit, from 0 (ISO 32000-2, tables 227, 229, 231 and 233). */
export const FLAGS = {
  readOnly: 1 << 0,
  multiline: 1 << 12,
  password: 1 << 13,
  radio: 1 << 15,
  pushButton: 1 << 16,
  combo: 1 << 17,
  edit: 1 << 18,
  fileSelect: 1 << 20,
  multiSelect: 1 << 21,
  comb: 1 << 24,
} as const;

/** One place where a field is shown. */
export interface Widget {
  ref: Ref;
  dict: Dict;
  /** From 1, and the page; undefined for a widget that no page lists. */
  place: { number: number; page: Page } | undefined;
}

/** A field of a form with all its widgets. */
export interface FormField {
  name: string;
  kind: FieldKind;
  flags: number;
  /** The form has another field with its name, of another kind. */
  isTwofold: boolean;
  /** The dictionaries with its value; several if the form has the name twice. */
  holders: { ref: Ref; dict: Dict }[];
  widgets: Widget[];
  /** Its own or inherited value of a key, with references resolved; else that of the form. */
  get(key: string): PdfValue;
  /** A text of the form. Throws DOCUMENT_TOO_COMPLEX: many places may share one text. */
  text(value: PdfValue): string;
}

export const has = ({ flags }: Pick<FormField, 'flags'>, flag: keyof typeof FLAGS): boolean =>
  (flags & FLAGS[flag]) !== 0;

/** The form of a document, and its fields by name in their order. */
export interface ReadForm {
  dict: Dict;
  fields: ReadonlyMap<string, FormField>;
}

/** Reads the form with the pages of its widgets; undefined if there is none. Throws PdfError. */
export function readFields(document: PdfDocument): ReadForm | undefined {
  const form = document.dict(document.catalog.value, 'AcroForm');
  if (!form) return undefined;
  const places = annotationPlaces(document);
  const fields = new Map<string, FormField>();
  const listed = new Set<number>();
  const text = boundedTexts();
  let widgets = 0;
  for (const node of fieldNodes(document, form)) {
    listed.add(node.ref.num);
    if (!node.isTerminal || node.name === '') continue;
    const field = fieldOf(document, form, node, text);
    if (!field) continue;
    field.widgets = widgetsOf(document, node, places);
    widgets += field.widgets.length;
    if (widgets > BOUNDS.fieldsMax) throw tooComplex(`more than ${BOUNDS.fieldsMax} places of form fields`);
    for (const { ref } of field.widgets) listed.add(ref.num);
    const known = fields.get(node.name);
    if (!known) fields.set(node.name, field);
    else if (known.kind !== field.kind) known.isTwofold = true;
    else {
      known.holders.push(...field.holders);
      known.widgets.push(...field.widgets);
    }
  }
  for (const [num, place] of places) if (!listed.has(num)) addUnlisted(document, fields, place);
  return { dict: form, fields };
}

/** Adds a widget that only its page lists to the field of its name: readers show it beside the others. */
function addUnlisted(
  document: PdfDocument,
  fields: ReadonlyMap<string, FormField>,
  { ref, ...place }: AnnotationPlace,
): void {
  const dict = document.resolve(ref);
  if (!(dict instanceof Dict) || !isName(document.get(dict, 'Subtype'), 'Widget')) return;
  const field = fields.get(nameOf(document, dict));
  const type = inheritedFrom(document, dict, 'FT');
  if (!field || !(type instanceof Name) || !isName(field.get('FT'), type.text)) return;
  field.widgets.push({ ref, dict, place });
  if (dict.entries.has('T')) field.holders.push({ ref, dict });
}

function nameOf(document: PdfDocument, widget: Dict): string {
  const names: string[] = [];
  let node: PdfValue = widget;
  for (let depth = 0; node instanceof Dict && depth <= BOUNDS.depthMax; depth++) {
    const title = document.get(node, 'T');
    if (title instanceof PdfString) names.push(title.text);
    node = document.get(node, 'Parent');
  }
  return names.reverse().join('.');
}

const TEXTS_CHARS_MAX = 32_000_000;

function boundedTexts(): FormField['text'] {
  let chars = 0;
  return (value) => {
    const text = textOf(value);
    chars += text.length;
    if (chars > TEXTS_CHARS_MAX)
      throw tooComplex(`texts of form fields of more than ${TEXTS_CHARS_MAX} characters`);
    return text;
  };
}

function fieldOf(
  document: PdfDocument,
  form: Dict,
  node: FieldNode,
  text: FormField['text'],
): FormField | undefined {
  const get = (key: string) => document.resolve(node.attributes.get(key) ?? form.get(key));
  const number = get('Ff');
  const flags = typeof number === 'number' ? number : 0;
  const kind = kindOf(get('FT'), { flags });
  return (
    kind && {
      name: node.name,
      kind,
      flags,
      isTwofold: false,
      holders: [{ ref: node.ref, dict: node.object.value }],
      widgets: [],
      get,
      text,
    }
  );
}

function kindOf(type: PdfValue, field: Pick<FormField, 'flags'>): FieldKind | undefined {
  if (isName(type, 'Tx')) return 'text';
  if (isName(type, 'Sig')) return 'signature';
  if (isName(type, 'Btn')) {
    if (has(field, 'pushButton')) return 'button';
    return has(field, 'radio') ? 'radio buttons' : 'checkbox';
  }
  if (!isName(type, 'Ch')) return undefined;
  if (!has(field, 'combo')) return 'list box';
  return has(field, 'edit') ? 'combo box' : 'drop-down';
}

function widgetsOf(
  document: PdfDocument,
  { ref, object }: FieldNode,
  places: ReadonlyMap<number, AnnotationPlace>,
): Widget[] {
  const value = document.get(object.value, 'Kids');
  const kids = Array.isArray(value) ? value : [];
  if (kids.some((kid) => kid instanceof Dict))
    throw malformed('a part of a form field is no object of its own');
  const refs = kids.filter((kid) => kid instanceof Ref);
  if (isName(document.get(object.value, 'Subtype'), 'Widget')) refs.push(ref);
  const widgets: Widget[] = [];
  for (const [num, own] of new Map(refs.map((own) => [own.num, own]))) {
    const dict = document.resolve(own);
    if (dict instanceof Dict) widgets.push({ ref: own, dict, place: places.get(num) });
  }
  return widgets;
}

/** An option of a choice field: what its value is, and what readers show. */
export interface Option {
  code: string;
  label: string;
}

const OPTIONS_MAX = 20_000;

export function optionsOf(document: PdfDocument, field: FormField): Option[] {
  const options = field.get('Opt');
  if (!Array.isArray(options)) return [];
  if (options.length > OPTIONS_MAX) throw tooComplex(`more than ${OPTIONS_MAX} options of a form field`);
  return options.map((option) => {
    const item = document.resolve(option);
    const [code = null, label = code] = Array.isArray(item) ? item : [item];
    return { code: field.text(document.resolve(code)), label: field.text(document.resolve(label)) };
  });
}

/** The looks of the states of a check box or radio button. */
function statesOf(document: PdfDocument, widget: Dict): Dict | undefined {
  const looks = document.dict(widget, 'AP');
  return looks && document.dict(looks, 'N');
}

/** The name of the state in which a check box or radio button is on, without `Off`. */
export function onState(document: PdfDocument, widget: Dict): Name | undefined {
  for (const state of statesOf(document, widget)?.entries.keys() ?? [])
    if (state !== 'Off') return new Name(state);
  return undefined;
}

/** Whether readers can draw a state. Some forms name states without drawing them. */
export function hasLook(document: PdfDocument, widget: Dict, { text }: Name): boolean {
  const states = statesOf(document, widget);
  return states !== undefined && document.get(states, text) instanceof Stream;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a name: UTF-8, or else Latin 1 (ISO 32000-2, 7.3.5). */
export function nameText(name: string): string {
  try {
    return utf8.decode(Buffer.from(name, 'latin1'));
  } catch {
    return name;
  }
}

/** `Hidden` and `NoView` of annotations (ISO 32000-2, table 167). */
export const UNSEEN = (1 << 1) | (1 << 5);

/** Whether a page shows a widget. */
export function isSeen(document: PdfDocument, { dict, place }: Widget): boolean {
  const flags = document.get(dict, 'F');
  const isHidden = typeof flags === 'number' && (flags & UNSEEN) !== 0;
  return place !== undefined && !isHidden && readBox(document.get(dict, 'Rect'), document) !== undefined;
}

/** The value of a field as texts; only a list box has several. */
export function valuesOf(document: PdfDocument, field: FormField): string[] {
  const value = field.get('V');
  const items = Array.isArray(value) ? value.map((item) => document.resolve(item)) : [value];
  return items.map((item) => (item instanceof Name ? nameText(field.text(item)) : field.text(item)));
}
