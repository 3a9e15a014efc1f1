import { malformed } from '../pdf-error.ts';
import type { PdfDocument } from '../read/document.ts';
import { Dict, type PdfValue, Ref } from '../read/values.ts';
import type { NewFile } from '../write/new-file.ts';
import { ObjectCopier, type SharedObjects } from './object-copier.ts';
import { readPages, type SourcePage } from './page-tree.ts';
import { type Edits, targetOf } from './template.ts';

/** A rule that changes dictionaries wherever they are; it copies nothing. */
export type Rule = (dict: Dict) => Edits | undefined;

/** One document on its way into the result. */
export class JoinedSource {
  readonly document: PdfDocument;
  readonly catalog: Dict;
  readonly pages: readonly SourcePage[];
  /** The number of pages before it in the result. */
  readonly pagesBefore: number;
  readonly copier: ObjectCopier;
  readonly rules: Rule[] = [];
  readonly #owned = new Map<number, Edits>();

  constructor(
    document: PdfDocument,
    {
      file,
      shared,
      pageRoot,
      pagesBefore,
    }: {
      file: NewFile;
      shared: SharedObjects;
      pageRoot: number;
      pagesBefore: number;
    },
  ) {
    this.document = document;
    this.catalog = document.catalog.value;
    this.pagesBefore = pagesBefore;
    this.copier = new ObjectCopier(document, file, shared, (dict) => this.#edits(dict));
    const { pages, nodes } = readPages(document);
    this.pages = pages;
    for (const node of nodes) this.copier.assign(node, pageRoot);
    for (const { ref } of pages) this.own(ref.num);
  }

  #edits(dict: Dict): Edits | undefined {
    let all: Edits | undefined;
    for (const rule of this.rules) {
      const edits = rule(dict);
      if (edits) all = all ? { ...all, ...edits } : edits;
    }
    return all;
  }

  /** Returns the value of a key in the catalog, with references resolved. */
  get(key: string): PdfValue {
    return this.document.get(this.catalog, key);
  }

  dict(key: string): Dict | undefined {
    return this.document.dict(this.catalog, key);
  }

  /** Returns the items of an array under a key; none without an array. */
  list(dict: Dict, key: string): PdfValue[] {
    const value = this.document.get(dict, key);
    return Array.isArray(value) ? value : [];
  }

  /** Makes an object one that is never shared; it is written once, with all edits. Returns its place. Throws PdfError. */
  own(num: number, edits: Edits = {}): number {
    const isPlaced = this.copier.isAssigned(num);
    if (isPlaced && !this.#owned.has(num)) throw malformed(`its object ${num} is used for two purposes`);
    const place = this.copier.assign(num);
    for (const edit of Object.values(edits))
      if (typeof edit === 'string') this.copier.budget.spend(edit.length);
    this.#owned.set(num, { ...this.#owned.get(num), ...edits });
    return place;
  }

  isOwned(num: number): boolean {
    return this.#owned.has(num);
  }

  /** Returns the object that a reference leads to, if it is a dictionary. */
  target(value: PdfValue): { num: number; dict: Dict } | undefined {
    if (!(value instanceof Ref)) return undefined;
    const num = targetOf(this.document, value);
    const dict = this.document.resolve(value);
    return num !== undefined && dict instanceof Dict ? { num, dict } : undefined;
  }

  /** Writes the owned objects, and what they refer to. */
  writeOwned(): void {
    const { copier, document } = this;
    for (const [num, edits] of this.#owned) {
      const entry = document.xref.find(num);
      const value = document.object(new Ref(num, entry?.kind === 'plain' ? entry.gen : 0))?.value ?? null;
      copier.file.write(copier.assign(num), copier.text(value, edits));
    }
  }
}
