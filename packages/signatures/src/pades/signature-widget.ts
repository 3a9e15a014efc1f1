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

/** Position and appearance of a widget. */
export interface WidgetLook {
  page: Page;
  /** Left, bottom, right, top in the page's default user space. */
  rectangle: readonly [number, number, number, number];
  /** The form XObject; undefined for an invisible signature. */
  appearance: Ref | undefined;
}

/** Print and Locked (ISO 32000-2, table 167): PDF/A requires printed, visible widgets; an empty rectangle hides them. */
const FLAGS = 132;

const refusePlace = (field: string, issue: string): SignatureError =>
  new SignatureError('VALIDATION_ERROR', 'The signature cannot be shown at the requested place.', {
    details: [{ field, issue }],
  });

/** Returns the page that the caller requested. Throws VALIDATION_ERROR. */
function pageNumbered(update: Update, number: number): Page {
  const page = findPage(update.document, number);
  if (page) return page;
  throw refusePlace('appearance.page', `The document has ${countPages(update.document)} pages.`);
}

/** Returns the look that the caller requested. Throws VALIDATION_ERROR or IMAGE_INVALID. */
export async function visibleLook(update: Update, visible: VisibleSignature): Promise<WidgetLook> {
  if (visible.page === undefined || visible.rectangle === undefined)
    throw refusePlace('appearance.rectangle', 'A new field needs a page and a rectangle.');
  const page = pageNumbered(update, visible.page);
  const rectangle = toUserSpace(visible.rectangle, page);
  const { width, height } = visible.rectangle;
  const appearance = await addAppearance(update, visible, [width, height], page.rotation);
  return { page, rectangle, appearance };
}

/** Places an invisible signature on the first page. */
export function hiddenLook(update: Update): WidgetLook {
  const page = findPage(update.document, 1);
  if (!page) throw malformed('it has no pages');
  return { page, rectangle: [0, 0, 0, 0], appearance: undefined };
}

/** Adds a field merged with its widget, and returns its reference. */
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

/** Returns the field's position as displayed; undefined if it has no area. */
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
 * Returns the look of an existing field when signed: the requested appearance at the field's own position. A field without
 * an area stays invisible. Returns undefined if the field keeps its current look.
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

/** Signs an existing field: adds the keys in `values`, and sets the appearance of its widget if there is one. */
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

/** Adds an empty appearance, which PDF/A requires for a field that has a size. */
function emptyAppearance(update: Update, [width, height]: readonly [number, number]): Ref {
  const keys = `/Type/XObject/Subtype/Form/BBox${literal.numbers([0, 0, width, height])}/Resources<<>>`;
  return update.add(literal.stream(keys, Buffer.alloc(0)));
}
