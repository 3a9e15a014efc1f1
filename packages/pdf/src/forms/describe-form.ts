import type { PdfDocument } from '../read/document.ts';
import { openPdf } from '../read/open.ts';
import { readBox } from '../read/pages.ts';
import { asDisplayed, type Rectangle } from '../read/signature-places.ts';
import { buttonStates } from './fill-buttons.ts';
import { lengthMaxOf } from './fill-text.ts';
import {
  type FieldKind,
  type FormField,
  has,
  nameText,
  optionsOf,
  readFields,
  valuesOf,
} from './form-fields.ts';

/** A field of a form, for callers who fill it. */
export interface FormFieldFacts {
  name: string;
  kind: FieldKind;
  /** The number of its places, and the first one on a page: the number of the page from 1, in points as displayed. */
  count: number;
  place: { page: number; rectangle: Rectangle } | undefined;
  /** What readers show for it (/TU). */
  label: string | undefined;
  current: string;
  /** The values of a list, or the states of buttons. */
  choices: string[] | undefined;
  /** The number of characters that it takes. */
  maxLength: number | undefined;
  isMultiline: boolean;
  isMultiSelect: boolean;
  isReadOnly: boolean;
}

/**
 * The fields of a PDF in the order of its form; none without a form. Throws PdfError.
 *
 * @example
 * const pages = '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R>>endobj';
 * const form = '/AcroForm<</Fields[4 0 R]>>';
 * const field = '4 0 obj<</FT/Tx/T(name)/V(Ada)>>endobj';
 * const catalog = `1 0 obj<</Type/Catalog/Pages 2 0 R${form}>>endobj`;
 * const pdf = `%PDF-1.7\n${catalog} ${pages} ${field} trailer<</Root 1 0 R>>\n`;
 * describeForm(Buffer.from(pdf)).map(({ name }) => name) // ['name']
 */
export function describeForm(bytes: Buffer, password?: string): FormFieldFacts[] {
  const { document } = openPdf(bytes, password);
  const form = readFields(document);
  return [...(form?.fields.values() ?? [])].map((field) => factsOf(document, field));
}

function factsOf(document: PdfDocument, field: FormField): FormFieldFacts {
  const { name, kind, widgets, holders } = field;
  const label = holders.map(({ dict }) => field.text(document.get(dict, 'TU'))).find((text) => text !== '');
  return {
    name,
    kind,
    count: Math.max(1, widgets.length),
    place: placeOf(document, field),
    label,
    current: kind === 'signature' ? '' : currentOf(document, field),
    choices: choicesOf(document, field),
    maxLength: (kind === 'text' && lengthMaxOf(field)) || undefined,
    isMultiline: kind === 'text' && has(field, 'multiline'),
    isMultiSelect: kind === 'list box' && has(field, 'multiSelect'),
    isReadOnly: has(field, 'readOnly'),
  };
}

function placeOf(document: PdfDocument, { widgets }: FormField): FormFieldFacts['place'] {
  for (const { dict, place } of widgets) {
    const box = readBox(document.get(dict, 'Rect'), document);
    if (place && box) return { page: place.number, rectangle: asDisplayed(box, place.page) };
  }
  return undefined;
}

function currentOf(document: PdfDocument, field: FormField): string {
  const value = valuesOf(document, field).join('\n');
  if (field.kind !== 'checkbox' && field.kind !== 'radio buttons') return value;
  const states = buttonStates({ document }, field);
  return states.find(({ on }) => nameText(on.text) === value)?.label ?? '';
}

function choicesOf(document: PdfDocument, field: FormField): string[] | undefined {
  if (field.kind === 'checkbox' || field.kind === 'radio buttons')
    return [...new Set(buttonStates({ document }, field).map(({ label }) => label))];
  const isList = ['drop-down', 'combo box', 'list box'].includes(field.kind);
  return isList ? optionsOf(document, field).map(({ code }) => code) : undefined;
}
