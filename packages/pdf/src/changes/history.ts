import { PdfError } from '../pdf-error.ts';
import type { PdfRevision } from '../revisions/revision.ts';
import { Budget } from './budget.ts';
import type { Change } from './change.ts';
import { changedNumbers } from './changed-objects.ts';
import { compare } from './compare.ts';
import { Comparison } from './comparison.ts';
import { Roles } from './object-usage.ts';
import { PageMarks } from './page-marks.ts';
import type { StoredDataTest } from './validation-store.ts';

/** Limits per revision and for all revisions. Beyond the total, a revision keeps only its worst change. */
const STEP_CHANGES_MAX = 500;
const CHANGES_MAX = 5_000;

/** The changes of each revision of a document. Revisions are compared on demand, and only once. */
export class ChangeHistory {
  readonly revisions: readonly PdfRevision[];
  readonly #isStoredData: StoredDataTest;
  readonly #budget = new Budget();
  readonly #marks = new PageMarks(this.#budget);
  readonly #steps = new Map<number, Change[]>();
  /** The revisions that added annotations, by object number. */
  readonly #births = new Map<number, number>();
  /** The roles in the last compared revision. */
  #roles: Roles | undefined;
  #next = 0;
  #room = CHANGES_MAX;

  /** `revisions` are in file order. The document of each has the bytes up to its end. */
  constructor(revisions: readonly PdfRevision[], isStoredData: StoredDataTest) {
    this.revisions = revisions;
    this.#isStoredData = isStoredData;
  }

  /** The changes between the revision with this number and the previous one. */
  step(number: number): Change[] {
    const wanted = this.revisions.findIndex((revision) => revision.number === number);
    for (; this.#next <= wanted; this.#next++) {
      const older = this.revisions[this.#next - 1];
      const newer = this.revisions[this.#next];
      if (older && newer) this.#steps.set(newer.number, this.#compared(older, newer));
    }
    return this.#steps.get(number) ?? [];
  }

  #compared(older: PdfRevision, newer: PdfRevision): Change[] {
    try {
      return this.#compare(older, newer);
    } catch (error) {
      if (!(error instanceof PdfError)) throw error;
      // The roles may lack objects of the newer revision, so the next comparison starts anew.
      this.#roles = undefined;
      return [
        {
          revision: newer.number,
          object: 'trailer',
          path: '/',
          code: 'STRUCTURE',
          level: 'forbidden',
          least: 2,
          isMinor: false,
          isGrantable: false,
        },
      ];
    }
  }

  #compare(older: PdfRevision, newer: PdfRevision): Change[] {
    const documents = { older: older.document, newer: newer.document };
    const changed = changedNumbers(documents.older, documents.newer, this.#budget);
    this.#roles ??= new Roles(documents.older, this.#budget);
    const roles = this.#roles;
    roles.begin({ ...documents, changed });
    const comparison = new Comparison(newer.number, {
      ...documents,
      changed,
      roles,
      budget: this.#budget,
      marks: this.#marks,
      births: this.#births,
      isStoredData: this.#isStoredData,
    });
    compare(comparison);
    roles.advance();
    const changes = comparison.changes(Math.max(1, Math.min(STEP_CHANGES_MAX, this.#room)));
    this.#room -= changes.length;
    return changes;
  }
}
