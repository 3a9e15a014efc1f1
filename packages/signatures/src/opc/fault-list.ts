import { isReservedName } from '@scriptorium/ooxml/package';
import type { Fault, ModificationCode, ReasonCode } from '../reasons.ts';
import type { Modification } from '../verify-report.ts';
import type { PartFinding } from './reference-digest.ts';

/** Maximum faults per code, for documents with many changed parts. */
const FAULTS_SHOWN_MAX = 10;
const MODIFICATIONS_MAX = 1_000;
const TEXT_CHARS_MAX = 100;

/** Returns text of a document for a message: short and without control characters. */
export function shownText(text: string): string {
  const plain = text.replace(/\p{C}/gu, ' ');
  return plain.length > TEXT_CHARS_MAX ? `${plain.slice(0, TEXT_CHARS_MAX - 1)}…` : plain;
}

/** Faults and modifications of one signature, limited in number. */
export class FaultList {
  readonly list: Fault[];
  readonly modifications: Modification[] = [];
  readonly #counts = new Map<ReasonCode, number>();

  constructor(known: readonly Fault[] = []) {
    this.list = [...known];
  }

  add(code: ReasonCode, message: string, isSha1 = false): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= FAULTS_SHOWN_MAX) this.list.push({ code, message, ...(isSha1 && { isSha1 }) });
  }

  /** Adds a forbidden change of a part, or of a relationship by its id. */
  addModification(code: ModificationCode, object: string, path: string): void {
    if (this.modifications.length === MODIFICATIONS_MAX) return;
    this.modifications.push({
      revision: 1,
      level: 'forbidden',
      object: shownText(object),
      path: shownText(path),
      code,
    });
  }

  /** Adds the finding for a part that a signature names. */
  addFinding({ path, key, outcome }: PartFinding): void {
    const name = path.slice(1);
    const isRelationships = isReservedName(key ?? name);
    const changed = isRelationships ? 'RELATIONSHIP_CHANGED' : 'PART_CHANGED';
    const shown = shownText(path);
    if (outcome === 'holds') return;
    if (outcome === 'missing')
      this.add('PART_MISSING', `The signed part ${shown} is missing or was renamed.`);
    else if (outcome === 'retyped')
      this.add('CONTENT_TYPE_UNKNOWN', `The content type of the part ${shown} differs from the signed one.`);
    else {
      const what = isRelationships ? 'The targets of the relationships in' : 'The part';
      this.add(
        'DIGEST_MISMATCH',
        `${what} ${shown} ${isRelationships ? 'were' : 'was'} changed after signing.`,
      );
    }
    this.addModification(outcome === 'missing' ? 'PART_REMOVED' : changed, name, path);
  }

  append({
    faults,
    modifications,
  }: {
    faults: readonly Fault[];
    modifications: readonly Modification[];
  }): void {
    this.list.push(...faults);
    this.modifications.push(...modifications);
  }
}
