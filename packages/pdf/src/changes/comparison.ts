import type { PdfDocument } from '../read/document.ts';
import { readForm } from '../read/form.ts';
import { Dict, type PdfValue, Ref } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { type Change, type ChangeCode, type Level, worstOf } from './change.ts';
import type { Mark } from './drawing.ts';
import { fieldsOf, numOf } from './form-tree.ts';
import { objectValue, type Roles, shownPath } from './object-usage.ts';
import type { PageMarks } from './page-marks.ts';

const FIELD_CHARS_MAX = 1_000;

/** What an object's value was and what it is, as those see it who referred to it before. */
export interface Pair {
  before: PdfValue;
  now: PdfValue;
}

/** An annotation that shows something of its own, and where. */
export interface ShownAnnotation {
  num: number;
  mark: Mark;
}

type Found = Omit<Change, 'revision' | 'object' | 'path'> & { num: number; at: string };

/** What else is known of a change. */
export interface ChangeDetails {
  /** The rest of the way to what was changed in the object. */
  at?: string | undefined;
  /** The field of the older revision that it is about. */
  field?: string | undefined;
  /** 2 by default. */
  least?: 1 | 2 | 3;
  isMinor?: boolean;
  isGrantable?: boolean;
  bornIn?: number | undefined;
}

/** A revision beside the one before it, and what was found out about their differences so far. */
export class Comparison {
  readonly older: PdfDocument;
  readonly newer: PdfDocument;
  readonly changed: ReadonlySet<number>;
  readonly roles: Roles;
  readonly budget: Budget;
  readonly marks: PageMarks;
  /** The revisions that added annotations, by object number; of this revision too. */
  readonly births: Map<number, number>;
  readonly #revision: number;
  readonly #found: Found[] = [];
  readonly #once = new Set<string>();
  #listed: ReadonlySet<number> | undefined;
  #names: ReadonlySet<string> | undefined;
  readonly #shown = new Map<number, ShownAnnotation[]>();

  constructor(
    revision: number,
    parts: Pick<Comparison, 'older' | 'newer' | 'changed' | 'roles' | 'budget' | 'marks' | 'births'>,
  ) {
    this.#revision = revision;
    this.births = parts.births;
    this.older = parts.older;
    this.newer = parts.newer;
    this.changed = parts.changed;
    this.roles = parts.roles;
    this.budget = parts.budget;
    this.marks = parts.marks;
  }

  /** At most `max`, the worst of them; to be asked for when `roles` know the newer revision. */
  changes(max: number): Change[] {
    return worstOf(this.#found, max).map(({ num, at, ...found }) => ({
      revision: this.#revision,
      object: this.nameOf(num),
      path: shownPath(`${this.#pathOf(num)}${at}`),
      ...found,
    }));
  }

  /** Notes a change of the object of this number. */
  report(code: ChangeCode, level: Level, num: number, details: ChangeDetails = {}): void {
    const { at = '', field, least = 2, isMinor = false, isGrantable = false, bornIn } = details;
    const key = `${code} ${level} ${num} ${at} ${least}`;
    if (this.#once.has(key)) return;
    this.#once.add(key);
    const name = field === undefined ? {} : { field: field.slice(0, FIELD_CHARS_MAX) };
    const birth = bornIn === undefined ? {} : { bornIn };
    this.#found.push({ code, level, num, at, least, isMinor, isGrantable, ...name, ...birth });
  }

  /** As `report` of what is permitted, but once for all objects of one code and level of permission. */
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

  /** The fields that the form of the newer revision lists, without those within them. */
  get listedFields(): ReadonlySet<number> {
    this.#listed ??= new Set(fieldsOf(this.newer).map(numOf));
    this.budget.spend('items', this.#listed.size);
    return this.#listed;
  }

  /** The full names of all fields of the older revision, nodes included. */
  get knownNames(): ReadonlySet<string> {
    this.#names ??= readForm(this.older).names;
    this.budget.spend('items', 1);
    return this.#names;
  }

  /** Notes that this revision added an annotation. */
  bear(num: number): void {
    this.births.set(num, this.#revision);
  }

  #pathOf(num: number): string {
    const isNew = objectValue(this.older, num) === null;
    return this.roles.pathOf(isNew ? this.newer : this.older, num);
  }

  /** What the annotations of a page of the older revision show; found out once. */
  shownOn(page: number, find: () => ShownAnnotation[]): ShownAnnotation[] {
    const shown = this.#shown.get(page) ?? find();
    this.#shown.set(page, shown);
    return shown;
  }

  nameOf(num: number): string {
    if (num === 0) return 'trailer';
    const entry = this.older.xref.find(num) ?? this.newer.xref.find(num);
    return `${num} ${entry?.kind === 'plain' ? entry.gen : 0}`;
  }

  /** The values of an object; one whose generation changed is gone for those who referred to it. */
  pair(num: number): Pair {
    const entry = this.older.xref.find(num);
    const isNew = !entry || entry.kind === 'free';
    const gen = entry?.kind === 'plain' ? entry.gen : 0;
    const now = isNew ? objectValue(this.newer, num) : (this.newer.object(new Ref(num, gen))?.value ?? null);
    return { before: objectValue(this.older, num), now };
  }

  /** Both values where they are dictionaries. */
  dicts(num: number): { before: Dict | undefined; now: Dict | undefined } {
    const { before, now } = this.pair(num);
    return {
      before: before instanceof Dict ? before : undefined,
      now: now instanceof Dict ? now : undefined,
    };
  }
}
