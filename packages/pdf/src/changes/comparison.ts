import { PdfError } from '../pdf-error.ts';
import type { PdfDocument } from '../read/document.ts';
import { readForm } from '../read/form.ts';
import { placedPages } from '../read/pages.ts';
import { Dict, type PdfValue, Ref } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { type Change, type ChangeCode, type Level, worstOf } from './change.ts';
import { drawsValues, fieldsOf, formOf, numOf } from './form-tree.ts';
import { objectValue, type Roles, shownPath } from './object-usage.ts';
import type { PageMarks } from './page-marks.ts';
import { type ShownAnnotation, shownAnnotations } from './shown-annotations.ts';
import { judgeStore, type StoredDataTest, type ValidationStore } from './validation-store.ts';

const FIELD_CHARS_MAX = 1_000;

/** The old and new value of an object, as seen through the references that already existed. */
export interface Pair {
  before: PdfValue;
  now: PdfValue;
}

type Found = Omit<Change, 'revision' | 'object' | 'path'> & { num: number; at: string };

/** Further details of a change. */
export interface ChangeDetails {
  /** The path from the object to the changed value. */
  at?: string | undefined;
  /** The affected field of the older revision. */
  field?: string | undefined;
  /** The lowest permission level that allows it; 2 by default. */
  least?: 1 | 2 | 3;
  isMinor?: boolean;
  isGrantable?: boolean;
  bornIn?: number | undefined;
  values?: Change['values'];
}

/** Two consecutive revisions, and the differences found so far. */
export class Comparison {
  readonly older: PdfDocument;
  readonly newer: PdfDocument;
  readonly changed: ReadonlySet<number>;
  readonly roles: Roles;
  readonly budget: Budget;
  readonly marks: PageMarks;
  /** The revisions that added annotations, this one included, by object number. */
  readonly births: Map<number, number>;
  readonly isStoredData: StoredDataTest;
  readonly #revision: number;
  readonly #found: Found[] = [];
  readonly #once = new Set<string>();
  #listed: ReadonlySet<number> | undefined;
  #names: ReadonlySet<string> | undefined;
  #drawsValues: boolean | undefined;
  #validationStore: ValidationStore | undefined;
  #pages: ReadonlyMap<number, number> | undefined;
  readonly #shown = new Map<string, ShownAnnotation[]>();

  constructor(
    revision: number,
    parts: Pick<
      Comparison,
      'older' | 'newer' | 'changed' | 'roles' | 'budget' | 'marks' | 'births' | 'isStoredData'
    >,
  ) {
    this.#revision = revision;
    this.births = parts.births;
    this.older = parts.older;
    this.newer = parts.newer;
    this.changed = parts.changed;
    this.roles = parts.roles;
    this.budget = parts.budget;
    this.marks = parts.marks;
    this.isStoredData = parts.isStoredData;
  }

  /** Returns at most `max` changes, the worst ones. Requires `roles` to know the newer revision. */
  changes(max: number): Change[] {
    return worstOf(this.#found, max).map(({ num, at, ...found }) => ({
      revision: this.#revision,
      object: this.nameOf(num),
      path: shownPath(`${this.#pathOf(num)}${at}`),
      ...this.#pageNumberOf(num),
      ...found,
    }));
  }

  /** Records a change of the object with this number. */
  report(code: ChangeCode, level: Level, num: number, details: ChangeDetails = {}): void {
    const { at = '', field, least = 2, isMinor = false, isGrantable = false, bornIn, values } = details;
    const key = `${code} ${level} ${num} ${at} ${least}`;
    if (this.#once.has(key)) return;
    this.#once.add(key);
    const name = field === undefined ? {} : { field: field.slice(0, FIELD_CHARS_MAX) };
    const birth = bornIn === undefined ? {} : { bornIn };
    const known = values === undefined ? {} : { values };
    this.#found.push({ code, level, num, at, least, isMinor, isGrantable, ...name, ...known, ...birth });
  }

  /** Records a permitted change, like `report`, but once per code and permission level. */
  reportOnce(
    code: ChangeCode,
    num: number,
    { at, least = 2 }: Pick<ChangeDetails, 'at' | 'least'> = {},
  ): void {
    const key = `${code} ${least}`;
    if (this.#once.has(key)) return;
    this.#once.add(key);
    this.report(code, 'permitted', num, { at, least });
  }

  /** The top-level fields of the form in the newer revision. */
  get listedFields(): ReadonlySet<number> {
    this.#listed ??= new Set(fieldsOf(this.newer).map(numOf));
    this.budget.spend('items', this.#listed.size);
    return this.#listed;
  }

  /** The full names of all fields of the older revision, including nodes. */
  get knownNames(): ReadonlySet<string> {
    this.#names ??= readForm(this.older).names;
    this.budget.spend('items', 1);
    return this.#names;
  }

  /** Whether the form of the older revision makes readers redraw all fields. */
  get redrawsFields(): boolean {
    const form = formOf(this.older);
    return form !== undefined && this.older.get(form, 'NeedAppearances') === true;
  }

  /** Whether readers draw a value of the newer revision themselves, with what the form says. */
  get drawsValues(): boolean {
    this.#drawsValues ??= drawsValues(this.newer, this.budget);
    return this.#drawsValues;
  }

  /** The document security store of the newer revision. */
  get validationStore(): ValidationStore {
    this.#validationStore ??= judgeStore(this);
    return this.#validationStore;
  }

  /** Records that this revision added an annotation. */
  bear(num: number): void {
    this.births.set(num, this.#revision);
  }

  #pageNumberOf(num: number): Pick<Change, 'page'> {
    this.#pages ??= pageNumbers(this.newer);
    const page = this.#pages.get(num);
    return page === undefined ? {} : { page };
  }

  #pathOf(num: number): string {
    const isNew = objectValue(this.older, num) === null;
    return this.roles.pathOf(isNew ? this.newer : this.older, num);
  }

  /** The visible annotations of a page, computed once. */
  shownOn(which: 'older' | 'newer', page: number): ShownAnnotation[] {
    const key = `${which} ${page}`;
    const shown = this.#shown.get(key) ?? shownAnnotations(this[which], page);
    this.#shown.set(key, shown);
    return shown;
  }

  nameOf(num: number): string {
    if (num === 0) return 'trailer';
    const entry = this.older.xref.find(num) ?? this.newer.xref.find(num);
    return `${num} ${entry?.kind === 'plain' ? entry.gen : 0}`;
  }

  /** The values of an object. If its generation changed, the old references to it are dangling. */
  pair(num: number): Pair {
    const entry = this.older.xref.find(num);
    const isNew = !entry || entry.kind === 'free';
    const gen = entry?.kind === 'plain' ? entry.gen : 0;
    const now = isNew ? objectValue(this.newer, num) : (this.newer.object(new Ref(num, gen))?.value ?? null);
    return { before: objectValue(this.older, num), now };
  }

  /** Both values, if they are dictionaries. */
  dicts(num: number): { before: Dict | undefined; now: Dict | undefined } {
    const { before, now } = this.pair(num);
    return {
      before: before instanceof Dict ? before : undefined,
      now: now instanceof Dict ? now : undefined,
    };
  }
}

/** Annotations whose pages are looked up, those of shared lists included. */
const ANNOTATIONS_MAX = 100_000;

/** The numbers of pages, by their objects and those of their annotations. Empty if the page tree cannot be read: rules judge that. */
function pageNumbers(document: PdfDocument): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>();
  let [number, left] = [0, ANNOTATIONS_MAX];
  try {
    for (const { ref, object } of placedPages(document)) {
      numbers.set(ref.num, ++number);
      const listed = document.get(object.value, 'Annots');
      for (const item of Array.isArray(listed) ? listed.slice(0, left) : []) {
        left--;
        if (item instanceof Ref && !numbers.has(item.num)) numbers.set(item.num, number);
      }
    }
  } catch (error) {
    if (!(error instanceof PdfError)) throw error;
    numbers.clear();
  }
  return numbers;
}
