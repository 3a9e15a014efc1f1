import { AppError } from '@scriptorium/shared/errors';
import { findPage, type Page } from './read/pages.ts';
import type { Ref } from './read/values.ts';
import { malformed } from './refusals.ts';
import type { Target } from './signature-target.ts';
import { appendToArray } from './write/append.ts';
import { editDict } from './write/edit-dict.ts';
import { pdfNumbers, pdfStream, pdfText } from './write/serialise.ts';
import type { Update } from './write/update.ts';

/** Where a widget lies, and what it shows. */
export interface WidgetLook {
  page: Page;
  /** Left, bottom, right, top in the page's default user space. */
  rectangle: readonly [number, number, number, number];
  /** The form XObject; undefined where the signature is not seen. */
  appearance: Ref | undefined;
}

/** Print and Locked (ISO 32000-2, table 167): PDF/A wants widgets printed and none hidden; a rectangle of 0 hides. */
const FLAGS = 132;

/** A page that a caller asked for. Throws VALIDATION_ERROR. */
export function pageNumbered(update: Update, number: number, pageCount: number): Page {
  const page = findPage(update.document, number);
  if (page) return page;
  throw new AppError('VALIDATION_ERROR', 'The signature cannot be shown where it should be.', {
    details: [{ field: 'appearance.page', issue: `The document has ${pageCount} pages.` }],
  });
}

/** Where invisible signatures lie: on the first page. */
export function hiddenLook(update: Update): WidgetLook {
  const page = findPage(update.document, 1);
  if (!page) throw malformed('it has no page');
  return { page, rectangle: [0, 0, 0, 0], appearance: undefined };
}

/** A new field, merged with its widget. Answers with the reference to it. */
export function addField(update: Update, name: string, values: string, look: WidgetLook): Ref {
  const appearance = look.appearance ? `/AP<</N ${look.appearance}>>` : '';
  const field = update.add(
    `<</Type/Annot/Subtype/Widget/FT/Sig/T${pdfText(name)}${values}` +
      `/F ${FLAGS}/Rect${pdfNumbers(look.rectangle)}/P ${look.page.ref}${appearance}>>`,
  );
  const { object, ref } = look.page;
  const annotations = appendToArray(update, object.value, 'Annots', field.toString());
  if (annotations !== undefined) update.replace(ref, editDict(object.value, { Annots: annotations }));
  return field;
}

/** Signs a field of the document: `values` are the keys that it gets. Its widget gets the appearance, if there is one. */
export function fillField(
  update: Update,
  { field }: Required<Target> & { field: NonNullable<Target['field']> },
  values: Record<string, string>,
  appearance: Ref | undefined,
): void {
  const look = appearance ? { AP: `<</N ${appearance}>>` } : {};
  const { widget, widgetRef } = field;
  if (!widget || !widgetRef || widgetRef.num === field.ref.num) {
    update.replace(field.ref, editDict(field.object.value, { ...values, ...look }));
    return;
  }
  update.replace(field.ref, editDict(field.object.value, values));
  if (appearance) update.replace(widgetRef, editDict(widget.value, look));
}

/** The look of nothing, which PDF/A wants of a field that has a size and no appearance. */
export function emptyAppearance(update: Update, width: number, height: number): Ref {
  const keys = `/Type/XObject/Subtype/Form/BBox${pdfNumbers([0, 0, width, height])}/Resources<<>>`;
  return update.add(pdfStream(keys, Buffer.alloc(0)));
}
