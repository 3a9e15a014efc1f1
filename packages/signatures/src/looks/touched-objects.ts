import { tooComplex } from '@scriptorium/pdf/error';
import { Dict, isSameEntry, type PdfDocument, type PdfValue, Ref, Stream } from '@scriptorium/pdf/read';
import type { ReadRevision } from '@scriptorium/pdf/revisions';

/** Numbers that the cross-reference sections of updates name, and objects that are followed. */
const OBJECTS_MAX = 500_000;
/** Keys of pages, annotations and fields that no look comes from: what is elsewhere, what is clicked, and notes of programs. */
const UNSEEN = new Set([
  'A',
  'AA',
  'B',
  'Dest',
  'IRT',
  'Kids',
  'Metadata',
  'P',
  'PieceInfo',
  'Popup',
  'StructParent',
  'StructParents',
  'Thumb',
]);

/** Names mean something in pages, annotations and fields only: a resource may have any name. */
type Role = 'page' | 'annotations' | 'field' | 'any';

/** The objects that updates wrote, and what refers to them in the revision before. */
export class TouchedObjects {
  readonly #older: PdfDocument;
  readonly #numbers = new Set<number>();
  /** Objects that refer, directly or not, to nothing that was written. */
  readonly #untouched = new Set<number>();
  #followed = 0;

  /** `updates` are the revisions after the older one, up to the newer one. Throws DOCUMENT_TOO_COMPLEX. */
  constructor(older: PdfDocument, newer: PdfDocument, updates: readonly ReadRevision[]) {
    this.#older = older;
    let named = 0;
    for (const { runs } of updates.flatMap(({ ownSections }) => ownSections)) {
      for (const { first, count } of runs) {
        named += count;
        if (named > OBJECTS_MAX) throw tooComplex(`updates of more than ${OBJECTS_MAX} objects`);
        for (let num = first; num < first + count; num++) {
          if (!isSameEntry(older.xref.find(num), newer.xref.find(num))) this.#numbers.add(num);
        }
      }
    }
  }

  /** Whether an update wrote this object, or the object stream that had it. */
  has(num: number): boolean {
    if (this.#numbers.has(num)) return true;
    const entry = this.#older.xref.find(num);
    return entry?.kind === 'packed' && this.#numbers.has(entry.stream);
  }

  /**
   * Whether the look of a value of the older revision may depend on an object that an update wrote. Nodes of the page tree are
   * not followed. Throws PdfError.
   */
  reaches(value: PdfValue, role: Role, pageNodes: ReadonlySet<number>): boolean {
    const seen = new Set<number>();
    const stack: [PdfValue, Role][] = [[value, role]];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const [item, as] = next;
      if (!(item instanceof Ref)) {
        pushParts(item, as, stack);
        continue;
      }
      if (seen.has(item.num) || this.#untouched.has(item.num)) continue;
      if (this.has(item.num)) return true;
      seen.add(item.num);
      this.#followed++;
      if (this.#followed > OBJECTS_MAX) throw tooComplex(`pages of more than ${OBJECTS_MAX} objects`);
      if (!pageNodes.has(item.num)) stack.push([this.#older.object(item)?.value ?? null, as]);
    }
    for (const num of seen) this.#untouched.add(num);
    return false;
  }
}

function pushParts(item: PdfValue, role: Role, stack: [PdfValue, Role][]): void {
  if (Array.isArray(item))
    for (const part of item) stack.push([part, role === 'annotations' ? 'field' : 'any']);
  const dict = item instanceof Stream ? item.dict : item;
  if (!(dict instanceof Dict)) return;
  for (const [key, { value }] of dict.entries) {
    if (role !== 'any' && UNSEEN.has(key)) continue;
    if (role === 'page' && key === 'Annots') stack.push([value, 'annotations']);
    else stack.push([value, role === 'field' && key === 'Parent' ? 'field' : 'any']);
  }
}
