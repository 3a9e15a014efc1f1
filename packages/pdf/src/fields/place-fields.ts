import { readForm } from '../read/form.ts';
import { openPdf } from '../read/open.ts';
import type { Box, Page } from '../read/pages.ts';
import { type Dict, Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { rewritePdf } from '../write/rewrite.ts';
import { editDict, Update } from '../write/update.ts';
import { type FoundPlace, findPlaces, type PageOfPlaces } from './field-places.ts';
import { FieldTags } from './field-tags.ts';
import { clearPlaces } from './page-content.ts';
import { uniqueNames } from './unique-names.ts';

/** A field that a link stands for. */
export interface WantedField {
  /** The address of the link. */
  address: string;
  /** The name, unless another field has it. */
  name: string;
  /** What readers show for the field. */
  tooltip: string;
  type: 'signature' | 'text';
}

/** A PDF with its fields. */
export interface PdfWithFields {
  bytes: Buffer;
  /** The names of the fields in the order of `wanted`; undefined for a field that no page has. */
  names: (string | undefined)[];
}

/** Print: PDF/A requires it of each annotation. */
const FLAGS = 4;
const SIGNATURES_EXIST = 1;
const TEXT_KEYS = '/DA(/Helv 0 Tf 0 g)';
const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';

/**
 * Turns links of a PDF that LibreOffice wrote into empty form fields at their place. The first link to an address becomes the
 * field, and the others go. Names are made unique by a number: `tenant`, `tenant_2`. All links that `isPlace` names go. The
 * result has one revision. Throws PdfError.
 */
export function placeFields(
  bytes: Buffer,
  wanted: readonly WantedField[],
  isPlace: (address: string) => boolean,
): PdfWithFields {
  const update = new Update(openPdf(bytes).document);
  const pages = findPlaces(update.document, isPlace);
  const first = new Map<string, FoundPlace>();
  for (const { places } of pages)
    for (const place of places) if (!first.has(place.address)) first.set(place.address, place);
  const names = namesOf(update, wanted, first);
  const fields = new Map(wanted.map((field, index) => [field.address, { ...field, name: names[index] }]));
  const tags = new FieldTags(update);
  const written: { ref: Ref; order: number }[] = [];
  for (const found of pages) {
    const kept = writePage(update, tags, found, (place) => {
      const field = first.get(place.address) === place ? fields.get(place.address) : undefined;
      return field?.name === undefined ? undefined : { ...field, name: field.name };
    });
    for (const { ref, address } of kept)
      written.push({ ref, order: wanted.findIndex((field) => field.address === address) });
  }
  tags.finish();
  if (written.length > 0)
    addToForm(
      update,
      written.sort((a, b) => a.order - b.order).map(({ ref }) => ref),
    );
  return { bytes: rewritePdf(openPdf(update.finish().bytes).document), names };
}

function namesOf(
  { document }: Update,
  wanted: readonly WantedField[],
  first: ReadonlyMap<string, FoundPlace>,
): (string | undefined)[] {
  const placed = wanted.filter(({ address }) => first.has(address));
  const names = uniqueNames(
    placed.map(({ name }) => name),
    readForm(document).names,
  );
  const byAddress = new Map(placed.map(({ address }, at) => [address, names[at]]));
  return wanted.map(({ address }) => byAddress.get(address));
}

/** Writes the fields of a page over its links, and returns the links that became fields. */
function writePage(
  update: Update,
  tags: FieldTags,
  { page, places, others }: PageOfPlaces,
  fieldAt: (place: FoundPlace) => WantedField | undefined,
): FoundPlace[] {
  const marks = new Set<number>();
  const kept: FoundPlace[] = [];
  for (const place of places) {
    const field = fieldAt(place);
    const turned = field ? tags.turn(place, page) : { key: '', marks: tags.remove(place, page) };
    for (const mark of turned.marks) marks.add(mark);
    update.replace(place.ref, field ? widget(update, field, place.box, { page, key: turned.key }) : 'null');
    if (field) kept.push(place);
  }
  const boxes = places.map(({ box }) => box);
  clearPlaces(update, page, boxes, marks);
  const annotations = [...others.filter((item) => item instanceof Ref), ...kept.map(({ ref }) => ref)];
  update.replace(page.ref, editDict(page.object.value, { Annots: `[${annotations.join(' ')}]` }));
  return kept;
}

function widget(
  update: Update,
  { name, tooltip, type }: WantedField,
  box: Box,
  { page, key }: { page: Page; key: string },
): string {
  const size = [0, 0, box[2] - box[0], box[3] - box[1]];
  const content = type === 'text' ? '/Tx BMC EMC' : '';
  const keys = `/Type/XObject/Subtype/Form/BBox${literal.numbers(size)}/Resources<<>>`;
  const look = update.add(literal.stream(keys, Buffer.from(content)));
  return (
    `<</Type/Annot/Subtype/Widget/FT${type === 'text' ? `/Tx${TEXT_KEYS}` : '/Sig'}` +
    `/T${literal.text(name)}/TU${literal.text(tooltip)}/F ${FLAGS}/Rect${literal.numbers(box)}` +
    `/P ${page.ref}${key}/AP<</N ${look}>>>>`
  );
}

function addToForm(update: Update, fields: readonly Ref[]): void {
  const { document } = update;
  const { catalog } = document;
  const { dict, ref } = document.owned(catalog.value, 'AcroForm');
  const before = dict && document.get(dict, 'Fields');
  const all = [...(Array.isArray(before) ? before.filter((item) => item instanceof Ref) : []), ...fields];
  const list = `[${all.join(' ')}]`;
  const flags = String(SIGNATURES_EXIST);
  const resources = dict && document.dict(dict, 'DR');
  const changes = { Fields: list, SigFlags: flags, DR: withHelvetica(update, resources) };
  const form = dict
    ? editDict(dict, changes)
    : `<</Fields${list}/SigFlags ${flags}/DR${changes.DR}${TEXT_KEYS}>>`;
  if (ref) {
    update.replace(ref, form);
    return;
  }
  const own = dict ? form : String(update.add(form));
  update.replace(catalog, editDict(catalog.value, { AcroForm: own }));
}

function withHelvetica(update: Update, resources: Dict | undefined): string {
  const fonts = resources && update.document.dict(resources, 'Font');
  if (resources && fonts?.entries.has('Helv')) return editDict(resources, {});
  const font = String(update.add(HELVETICA));
  const named = fonts ? editDict(fonts, { Helv: font }) : `<</Helv ${font}>>`;
  return resources ? editDict(resources, { Font: named }) : `<</Font${named}>>`;
}
