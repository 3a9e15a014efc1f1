import type { ModificationCode } from '@scriptorium/shared/verification-reasons';
import type { PdfDocument } from '../read/document.ts';
import { Dict, type PdfValue, Ref } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { type Change, type Level, worstOf } from './change.ts';
import type { PageMarks } from './page-marks.ts';
import { objectValue, type Roles, shownPath } from './roles.ts';

/** Kept of one revision. */
const CHANGES_MAX = 500;
const FIELD_CHARS_MAX = 1_000;

/** What an object's value was and what it is, as those see it who referred to it before. */
export interface Pair {
  before: PdfValue;
  now: PdfValue;
}

/** A revision beside the one before it, and what was found out about their differences so far. */
export class Comparison {
  readonly older: PdfDocument;
  readonly newer: PdfDocument;
  readonly touched: ReadonlySet<number>;
  readonly roles: Roles;
  readonly budget: Budget;
  readonly marks: PageMarks;
  readonly #revision: number;
  readonly #changes: Change[] = [];
  readonly #once = new Set<string>();

  constructor(
    revision: number,
    parts: Pick<Comparison, 'older' | 'newer' | 'touched' | 'roles' | 'budget' | 'marks'>,
  ) {
    this.#revision = revision;
    this.older = parts.older;
    this.newer = parts.newer;
    this.touched = parts.touched;
    this.roles = parts.roles;
    this.budget = parts.budget;
    this.marks = parts.marks;
  }

  get changes(): Change[] {
    return worstOf(this.#changes, CHANGES_MAX);
  }

  /** Notes a change of the object of this number; `at` is the rest of the way to what was changed in it. */
  report(code: ModificationCode, level: Level, num: number, at = '', field?: string): void {
    const path = shownPath(`${this.pathOf(num)}${at}`);
    const change: Change = { revision: this.#revision, object: this.nameOf(num), path, code, level };
    if (field !== undefined) change.field = field.slice(0, FIELD_CHARS_MAX);
    const key = `${code} ${level} ${change.object} ${path}`;
    if (this.#once.has(key)) return;
    this.#once.add(key);
    this.#changes.push(change);
  }

  /** As `report`, but once for all objects of a kind that nobody wants listed one by one. */
  reportOnce(code: ModificationCode, num: number, at = ''): void {
    if (this.#once.has(code)) return;
    this.#once.add(code);
    this.report(code, 'permitted', num, at);
  }

  pathOf(num: number): string {
    return this.roles.pathOf(this.older, num) || this.roles.pathOf(this.newer, num);
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
