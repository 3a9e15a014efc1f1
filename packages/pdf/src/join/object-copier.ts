import { createHash } from 'node:crypto';
import type { PdfDocument } from '../read/document.ts';
import { Dict, Name, type PdfValue, Ref, Stream } from '../read/values.ts';
import type { NewFile } from '../write/new-file.ts';
import { equalClasses, type RingMember } from './equal-rings.ts';
import { type Edits, type Template, Templates, TextBudget, targetOf } from './template.ts';

/** Objects of these types have their places in the result, or none: they are never copied because of a reference. */
const PLACED_TYPES = new Set(['Catalog', 'Pages', 'Page', 'StructTreeRoot', 'StructElem', 'ObjStm', 'XRef']);
/** The place of what the result does not have. */
const NOWHERE = 0;

/** An object on the way into the result. */
interface Visit {
  num: number;
  template: Template;
  data: Buffer | undefined;
  /** Where the visit of references goes on. */
  next: number;
  order: number;
  /** The earliest visit in progress that it reaches. */
  low: number;
}

/** The objects of the result that further documents may share, by a hash of their content. */
export type SharedObjects = Map<string, number>;

/**
 * Copies objects of one document into the result. Equal content is there once, even if it refers in circles: a font, an image.
 * What `assign` gave a place, such as a page, keeps it and is written by its owner.
 */
export class ObjectCopier {
  readonly document: PdfDocument;
  readonly file: NewFile;
  readonly budget = new TextBudget();
  readonly #shared: SharedObjects;
  readonly #templates: Templates;
  readonly #places = new Map<number, number>();

  constructor(
    document: PdfDocument,
    file: NewFile,
    shared: SharedObjects,
    editsOf: (dict: Dict) => Edits | undefined,
  ) {
    this.document = document;
    this.file = file;
    this.#shared = shared;
    this.#templates = new Templates(document, editsOf, this.budget);
  }

  /** Gives an object a place of its own in the result; returns it, or the one that it has. */
  assign(num: number, place?: number): number {
    const known = this.#places.get(num);
    if (known !== undefined) return known;
    const given = place ?? this.file.reserve();
    this.#places.set(num, given);
    return given;
  }

  /** Removes an object: references to it become null. */
  drop(num: number): void {
    this.assign(num, NOWHERE);
  }

  /** Whether an object has a place, or is dropped. */
  isAssigned(num: number): boolean {
    return this.#places.has(num);
  }

  placeOf(num: number): number | undefined {
    const place = this.#places.get(num);
    return place === NOWHERE ? undefined : place;
  }

  /** Copies what a value refers to, and returns its text, latin1. */
  text(value: PdfValue, edits: Edits = {}): string {
    return this.#written(this.#templates.of(value, edits));
  }

  /** Copies a value as an object, or finds it in the result; undefined for null. */
  reference(value: PdfValue): string | undefined {
    if (value === null) return undefined;
    if (value instanceof Ref) {
      const num = targetOf(this.document, value);
      const place = num === undefined ? NOWHERE : this.#place(num);
      return place === NOWHERE ? undefined : `${place} 0 R`;
    }
    return `${this.#share(this.text(value), undefined)} 0 R`;
  }

  #written(template: Template): string {
    let text = '';
    for (const piece of template) {
      if (typeof piece === 'string') text += piece;
      else {
        const place = this.#place(piece);
        text += place === NOWHERE ? 'null' : `${place} 0 R`;
      }
    }
    return text;
  }

  /** Finds the strongly connected components (Tarjan 1972), each after those that it refers to. */
  #place(root: number): number {
    const known = this.#places.get(root);
    if (known !== undefined) return known;
    const visits = new Map<number, Visit>();
    const path: Visit[] = [];
    const open: Visit[] = [];
    const enter = (num: number) => {
      const visit = this.#visit(num, visits.size);
      visits.set(num, visit);
      path.push(visit);
      open.push(visit);
    };
    enter(root);
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const piece = visit.template[visit.next++];
      if (typeof piece === 'number' && !this.#places.has(piece)) {
        const met = visits.get(piece);
        if (met) visit.low = Math.min(visit.low, met.order);
        else enter(piece);
      } else if (piece === undefined) {
        path.pop();
        const parent = path.at(-1);
        if (parent) parent.low = Math.min(parent.low, visit.low);
        if (visit.low === visit.order) this.#placeRing(open.splice(open.lastIndexOf(visit)));
      }
    }
    return this.#places.get(root) ?? NOWHERE;
  }

  #visit(num: number, order: number): Visit {
    const value = this.document.object(new Ref(num, this.#generation(num)))?.value ?? null;
    const dict = value instanceof Stream ? value.dict : value;
    const type = dict instanceof Dict ? dict.get('Type') : null;
    const isStream = value instanceof Stream;
    const template = isStream ? this.#templates.ofStream(value) : this.#templates.of(value);
    const visit = { num, template, data: isStream ? value.data : undefined, next: 0, order, low: order };
    if (!(type instanceof Name) || !PLACED_TYPES.has(type.text)) return visit;
    this.drop(num);
    return { ...visit, template: [] };
  }

  #generation(num: number): number {
    const entry = this.document.xref.find(num);
    return entry?.kind === 'plain' ? entry.gen : 0;
  }

  /** Places objects that refer to each other in circles, or one object. */
  #placeRing(ring: readonly Visit[]): void {
    const [only] = ring;
    if (only && this.#places.has(only.num)) return;
    const isAlone = only && ring.length === 1 && !only.template.includes(only.num);
    if (isAlone) this.#places.set(only.num, this.#share(this.#written(only.template), only.data));
    else this.#placeCircle(ring);
  }

  #placeCircle(ring: readonly Visit[]): void {
    const nums = new Set(ring.map(({ num }) => num));
    const outside = (template: Template): Template =>
      template.map((piece) =>
        typeof piece === 'string' || nums.has(piece) ? piece : this.#written([piece]),
      );
    const members: RingMember[] = ring.map(({ num, template, data }) => ({
      num,
      data,
      template: outside(template),
    }));
    const classes = equalClasses(members);
    const fresh: RingMember[] = [];
    for (const member of members) {
      const name = classes?.get(member.num);
      const known = name === undefined ? undefined : this.#shared.get(name);
      const place = known ?? this.file.reserve();
      if (known === undefined) fresh.push(member);
      if (name !== undefined) this.#shared.set(name, place);
      this.#places.set(member.num, place);
    }
    for (const { num, template, data } of fresh) {
      this.#write(this.#places.get(num) ?? NOWHERE, this.#written(template), data);
    }
  }

  #share(text: string, data: Buffer | undefined): number {
    const hash = createHash('sha256').update(text, 'latin1');
    if (data) hash.update('\nstream\n').update(data);
    const name = hash.digest('base64');
    const known = this.#shared.get(name);
    if (known !== undefined) return known;
    const place = this.file.reserve();
    this.#shared.set(name, place);
    this.#write(place, text, data);
    return place;
  }

  #write(place: number, text: string, data: Buffer | undefined): void {
    if (data) this.file.writeStream(place, text, data);
    else this.file.write(place, text);
  }
}
