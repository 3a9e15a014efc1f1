import { FieldTags } from '../fields/field-tags.ts';
import { malformed, tooComplex, unlessMalformed } from '../pdf-error.ts';
import { normalAppearance } from '../read/annotations.ts';
import { Costs } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { fieldNodes } from '../read/form.ts';
import { openPdf } from '../read/open.ts';
import { type Box, inheritedFrom, type Page, placedPages, readBox } from '../read/pages.ts';
import { Dict, isName, Name, type PdfValue, Ref, Stream } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { contentsOf, SAVED, savedAround } from '../write/page-content.ts';
import { editDict, Update } from '../write/update.ts';
import { FormError } from './form-error.ts';
import { UNSEEN } from './form-fields.ts';

const BELOW_MAX = 1_000;
/** `NoRotate` of annotations. */
const UPRIGHT = 1 << 4;

/** Makes the looks of fields content of their pages, and removes the fields. Signature fields stay. Throws PdfError. */
export function flattenForm(bytes: Buffer, password?: string): Buffer {
  const update = new Update(openPdf(bytes, password).document);
  const { document } = update;
  const form = document.dict(document.catalog.value, 'AcroForm');
  if (!form) return bytes;
  const kept = keptFields(document, form);
  const pages = {
    kept,
    widgets: new Map<number, Ref>(),
    forms: new Set<number>(),
    costs: new Costs(),
    tags: new FieldTags(update),
  };
  const { widgets } = pages;
  for (const page of placedPages(document)) flattenPage(update, page, pages);
  for (const [num, ref] of kept.others) widgets.set(num, ref);
  pages.tags.finish();
  for (const ref of widgets.values()) update.replace(ref, 'null');
  editCatalog(update, form, kept);
  return update.finish().bytes;
}

interface KeptFields {
  /** Signature fields, their widgets, and the fields above them. */
  nums: ReadonlySet<number>;
  roots: readonly Ref[];
  /** All other fields. */
  others: ReadonlyMap<number, Ref>;
}

function keptFields(document: PdfDocument, form: Dict): KeptFields {
  const nums = new Set<number>();
  const others = new Map<number, Ref>();
  for (const { ref, object, isTerminal, attributes } of fieldNodes(document, form)) {
    others.set(ref.num, ref);
    if (!isTerminal || !isName(document.resolve(attributes.get('FT') ?? null), 'Sig')) continue;
    const kids = document.get(object.value, 'Kids');
    for (const kid of Array.isArray(kids) ? kids : []) if (kid instanceof Ref) nums.add(kid.num);
    nums.add(ref.num);
    for (let above = object.value.get('Parent'); above instanceof Ref && !nums.has(above.num); ) {
      nums.add(above.num);
      const parent = document.resolve(above);
      above = parent instanceof Dict ? parent.get('Parent') : null;
    }
  }
  for (const num of nums) others.delete(num);
  const fields = document.get(form, 'Fields');
  const roots = (Array.isArray(fields) ? fields : []).filter((item) => item instanceof Ref);
  return { nums, roots: roots.filter(({ num }) => nums.has(num)), others };
}

interface FlatPages {
  kept: KeptFields;
  /** The widgets that go. */
  widgets: Map<number, Ref>;
  /** The looks that are content now. */
  forms: Set<number>;
  costs: Costs;
  tags: FieldTags;
}

function flattenPage(update: Update, page: Page, { kept, widgets, forms, costs, tags }: FlatPages): void {
  const { document } = update;
  const list = document.get(page.object.value, 'Annots');
  if (!Array.isArray(list)) return;
  const rest: PdfValue[] = [];
  /** What annotations before a field show: they stay, and would be above its content. */
  const below: Box[] = [];
  const resources = new PageResources(document, page, costs);
  const { name } = resources;
  const layers: Record<string, string> = {};
  const drawn: { ref: Ref; matrix: string; marks: readonly [begin: string, end: string] }[] = [];
  for (const item of list) {
    const dict = document.resolve(item);
    const isOwn = item instanceof Ref && kept.nums.has(item.num);
    if (!(dict instanceof Dict) || isOwn || !isName(document.get(dict, 'Subtype'), 'Widget')) {
      rest.push(item);
      if (dict instanceof Dict) below.push(...shownBox(document, dict));
      if (below.length > BELOW_MAX) throw tooComplex(`more than ${BELOW_MAX} annotations behind form fields`);
      continue;
    }
    if (item instanceof Ref) widgets.set(item.num, item);
    const look = shownLook(document, dict, page);
    if (look) refuseCovered(shownBox(document, dict), below);
    const layer = dict.get('OC');
    if (layer instanceof Ref) layers[`${name}${layer.num}`] = String(layer);
    if (look) drawn.push({ ...look, marks: marksOf(document, tags, { item, dict, name }, page) });
    if (look && !forms.has(look.ref.num)) completeForm(update, look.ref);
    if (look) forms.add(look.ref.num);
  }
  if (rest.length === list.length) return;
  if (!rest.every((item) => item instanceof Ref))
    throw malformed('an annotation of a page is no object of its own');
  const looks = Object.fromEntries(drawn.map(({ ref }) => [`${name}${ref.num}`, String(ref)]));
  const before = contentsOf(document, page);
  const content = drawn
    .map(({ ref, matrix, marks: [begin, end] }) => `${begin}q ${matrix} cm /${name}${ref.num} Do Q${end}`)
    .join('\n');
  const saved = unlessMalformed(() => savedAround(document, before, costs)) ?? SAVED;
  const stream = (text: string) => update.add(literal.stream('', Buffer.from(text)));
  update.replace(
    page.ref,
    editDict(page.object.value, {
      Annots: rest.length === 0 ? undefined : `[${rest.join(' ')}]`,
      ...(drawn.length > 0 && {
        Contents: `[${stream(`${saved.before}\n`)} ${before.join(' ')} ${stream(`\n${saved.after}\n${content}`)}]`,
        Resources: resources.with({ XObject: looks, Properties: layers }),
      }),
    }),
  );
}

/** The operators around the look of a widget: it is content of the element of the widget, or else an artifact. */
function marksOf(
  document: PdfDocument,
  tags: FieldTags,
  { item, dict, name }: { item: PdfValue; dict: Dict; name: string },
  page: Page,
): readonly [begin: string, end: string] {
  const layer = dict.get('OC');
  const [on, off] = layer instanceof Ref ? [`/OC/${name}${layer.num} BDC `, ' EMC'] : ['', ''];
  if (!tags.isTagged) return [on, off];
  const key = document.get(dict, 'StructParent');
  const structParent = typeof key === 'number' ? key : undefined;
  const number = item instanceof Ref ? tags.mark({ ref: item, structParent }, page) : undefined;
  return [`${on}${number === undefined ? '/Artifact BMC ' : `/Form<</MCID ${number}>>BDC `}`, ` EMC${off}`];
}

/** The rectangle of an annotation that readers show, if it has one. */
function shownBox(document: PdfDocument, annotation: Dict): Box[] {
  const box = normalAppearance(document, annotation) && readBox(document.get(annotation, 'Rect'), document);
  return box ? [box] : [];
}

/** Labels beside a field may touch it, so only what is around its middle counts. */
function refuseCovered([field]: readonly Box[], below: readonly Box[]): void {
  if (field === undefined) return;
  const [x, y] = [(field[0] + field[2]) / 2, (field[1] + field[3]) / 2];
  const isCovered = below.some((box) => box[0] < x && x < box[2] && box[1] < y && y < box[3]);
  if (isCovered)
    throw new FormError(
      'UNPROCESSABLE',
      'The PDF has an annotation behind a field: flattening would put it in front of the value.',
    );
}

/** Some writers leave out what makes a stream a form. */
function completeForm(update: Update, ref: Ref): void {
  const look = update.document.resolve(ref);
  if (!(look instanceof Stream) || isName(update.document.get(look.dict, 'Subtype'), 'Form')) return;
  const { data } = look;
  const head = editDict(look.dict, { Type: '/XObject', Subtype: '/Form', Length: String(data.length) });
  update.replace(
    ref,
    Buffer.concat([Buffer.from(`${head}\nstream\n`, 'latin1'), data, Buffer.from('\nendstream')]),
  );
}

/** The look of a widget that is seen, and the matrix that places it (ISO 32000-2, 12.5.5). */
function shownLook(
  document: PdfDocument,
  widget: Dict,
  { rotation }: Page,
): { ref: Ref; matrix: string } | undefined {
  const flags = document.get(widget, 'F');
  const look = normalAppearance(document, widget);
  const ref = lookRef(document, widget);
  const rect = readBox(document.get(widget, 'Rect'), document);
  if (!look || !ref || !rect || (typeof flags === 'number' && (flags & UNSEEN) !== 0)) return undefined;
  const box = readBox(document.get(look.dict, 'BBox'), document);
  if (!box) return undefined;
  const own = document.get(look.dict, 'Matrix');
  const numbers = (Array.isArray(own) ? own : []).map((item) => document.resolve(item));
  const area = transformed(
    box,
    numbers.filter((item) => typeof item === 'number'),
  );
  const [width, height] = [area[2] - area[0], area[3] - area[1]];
  if (!(width > 0 && height > 0)) return undefined;
  const [across, up] = [(rect[2] - rect[0]) / width, (rect[3] - rect[1]) / height];
  const matrix = [across, 0, 0, up, rect[0] - area[0] * across, rect[1] - area[1] * up];
  const placed = matrix.map(literal.number).join(' ');
  const isUpright = typeof flags === 'number' && (flags & UPRIGHT) !== 0;
  return { ref, matrix: isUpright ? `${turnedAround(rect, rotation)} cm ${placed}` : placed };
}

/** The matrix that turns a rectangle against its page, around its upper left corner (ISO 32000-2, 12.5.3). */
function turnedAround([x, , , y]: Box, rotation: Page['rotation']): string {
  const angle = (rotation * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const matrix = [cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y];
  return matrix.map(literal.number).join(' ');
}

function lookRef(document: PdfDocument, widget: Dict): Ref | undefined {
  const looks = document.dict(widget, 'AP');
  const normal = looks?.get('N') ?? null;
  const states = document.resolve(normal);
  const state = document.get(widget, 'AS');
  const own = states instanceof Dict && state instanceof Name ? states.get(state.text) : normal;
  return own instanceof Ref ? own : undefined;
}

/** The box around a box under a matrix. */
function transformed([left, bottom, right, top]: Box, matrix: readonly number[]): Box {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = matrix.length === 6 ? matrix : [];
  const corners = [left, right].flatMap((x) =>
    [bottom, top].map((y) => [a * x + c * y + e, b * x + d * y + f]),
  );
  const [xs, ys] = [0, 1].map((axis) => corners.map((corner) => corner[axis] ?? 0));
  return [Math.min(...(xs ?? [])), Math.min(...(ys ?? [])), Math.max(...(xs ?? [])), Math.max(...(ys ?? []))];
}

/** The resources of a page, which get the looks of fields and the layers that these are on. */
class PageResources {
  /** The start of names that the page has none of. */
  readonly name: string;
  readonly #document: PdfDocument;
  readonly #costs: Costs;
  readonly #own: Dict | undefined;

  constructor(document: PdfDocument, { object }: Page, costs: Costs) {
    const resources = inheritedFrom(document, object.value, 'Resources');
    this.#document = document;
    this.#costs = costs;
    this.#own = resources instanceof Dict ? resources : undefined;
    const used = new Set<string | undefined>();
    for (const kind of ['XObject', 'Properties'])
      for (const key of this.#known(kind)?.entries.keys() ?? []) {
        costs.read(key.length);
        used.add(/^Flat(\d+)_/.exec(key)?.[1]);
      }
    let at = 1;
    while (used.has(String(at))) at += 1;
    this.name = `Flat${at}_`;
  }

  with(added: Readonly<Record<'XObject' | 'Properties', Readonly<Record<string, string>>>>): string {
    const changes: Record<string, string> = {};
    for (const [kind, named] of Object.entries(added)) {
      const known = this.#known(kind);
      const all = Object.entries(named).map(([name, ref]) => `/${name} ${ref}`);
      if (all.length > 0) changes[kind] = known ? editDict(known, named) : `<<${all.join('')}>>`;
    }
    const text = this.#own
      ? editDict(this.#own, changes)
      : `<<${Object.entries(changes)
          .map(([kind, named]) => `/${kind}${named}`)
          .join('')}>>`;
    // Many pages may share them, and each gets a copy.
    this.#costs.read(text.length);
    return text;
  }

  #known(kind: string): Dict | undefined {
    return this.#own && this.#document.dict(this.#own, kind);
  }
}

function editCatalog(update: Update, form: Dict, { roots, nums }: KeptFields): void {
  const { document } = update;
  const { catalog } = document;
  if (roots.length === 0) {
    update.replace(catalog, editDict(catalog.value, { AcroForm: undefined }));
    return;
  }
  const edited = editDict(form, { Fields: `[${roots.join(' ')}]`, CO: undefined });
  const { ref } = document.owned(catalog.value, 'AcroForm');
  if (ref) update.replace(ref, edited);
  else update.replace(catalog, editDict(catalog.value, { AcroForm: edited }));
  for (const num of nums) {
    const above = document.object(new Ref(num, 0));
    const kids = above?.value instanceof Dict ? document.get(above.value, 'Kids') : null;
    if (!(above?.value instanceof Dict) || !Array.isArray(kids)) continue;
    const own = kids.filter((kid) => kid instanceof Ref && nums.has(kid.num));
    if (own.length < kids.length)
      update.replace(new Ref(num, 0), editDict(above.value, { Kids: `[${own.join(' ')}]` }));
  }
}
