import { malformed } from '@scriptorium/pdf/error';
import {
  countPages,
  Dict,
  findPage,
  inheritedFrom,
  type Page,
  type PdfDocument,
  type Ref,
  readBox,
  type SignatureField,
  turnOf,
} from '@scriptorium/pdf/read';
import { editDict, literal, type Update } from '@scriptorium/pdf/update';
import { SignatureError } from '../signature-error.ts';
import { addAppearance, type VisibleSignature } from './appearance/appearance.ts';
import { toUserSpace } from './appearance/rectangle.ts';

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
function pageNumbered(update: Update, number: number): Page {
  const page = findPage(update.document, number);
  if (page) return page;
  throw new SignatureError('VALIDATION_ERROR', 'The signature cannot be shown where it should be.', {
    details: [{ field: 'appearance.page', issue: `The document has ${countPages(update.document)} pages.` }],
  });
}

/** The look that a caller asks for. Throws VALIDATION_ERROR or IMAGE_INVALID. */
export async function visibleLook(update: Update, visible: VisibleSignature): Promise<WidgetLook> {
  const page = pageNumbered(update, visible.page);
  const rectangle = toUserSpace(visible.rectangle, page);
  const { width, height } = visible.rectangle;
  const appearance = await addAppearance(update, visible, [width, height], page.rotation);
  return { page, rectangle, appearance };
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
    `<</Type/Annot/Subtype/Widget/FT/Sig/T${literal.text(name)}${values}` +
      `/F ${FLAGS}/Rect${literal.numbers(look.rectangle)}/P ${look.page.ref}${appearance}>>`,
  );
  const { object, ref } = look.page;
  const annotations = update.append(object.value, 'Annots', field.toString());
  if (annotations !== undefined) update.replace(ref, editDict(object.value, { Annots: annotations }));
  return field;
}

/** The place that the author of a field gave it, as it is shown; undefined where it has no area. */
function authorsPlace(
  document: PdfDocument,
  widget: Dict,
): { size: [number, number]; rotation: Page['rotation'] } | undefined {
  const box = readBox(document.get(widget, 'Rect'), document);
  if (!box) return undefined;
  const rotation = rotationOfPage(document, widget);
  const [width, height] = [box[2] - box[0], box[3] - box[1]];
  return { size: rotation % 180 === 0 ? [width, height] : [height, width], rotation };
}

function rotationOfPage(document: PdfDocument, widget: Dict): Page['rotation'] {
  const page = document.get(widget, 'P');
  return page instanceof Dict ? turnOf(inheritedFrom(document, page, 'Rotate')) : 0;
}

/**
 * What a field of the document shows when it is signed: the appearance asked for, in the place that the author gave the
 * field. A field without a place stays unseen. Undefined where it keeps the look that it has.
 */
export async function fieldLook(
  update: Update,
  { widget }: SignatureField,
  visible: VisibleSignature | undefined,
): Promise<Ref | undefined> {
  const place = widget && authorsPlace(update.document, widget.value);
  if (!place) return undefined;
  if (visible) return addAppearance(update, visible, place.size, place.rotation);
  return widget.value.entries.has('AP') ? undefined : emptyAppearance(update, place.size);
}

/** Signs a field of the document: `values` are the keys that it gets. Its widget gets the appearance, if there is one. */
export function fillField(
  update: Update,
  field: SignatureField,
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
function emptyAppearance(update: Update, [width, height]: readonly [number, number]): Ref {
  const keys = `/Type/XObject/Subtype/Form/BBox${literal.numbers([0, 0, width, height])}/Resources<<>>`;
  return update.add(literal.stream(keys, Buffer.alloc(0)));
}
