import { isReservedName } from '@scriptorium/ooxml/package';
import type { Fault, ModificationCode, ReasonCode } from '../reasons.ts';
import type { Modification } from '../verify-report.ts';
import type { PartFinding } from './reference-digest.ts';

/** Of one code: who changed many parts is told of some. */
const FAULTS_SHOWN_MAX = 10;
const MODIFICATIONS_MAX = 1_000;
const TEXT_CHARS_MAX = 100;

/** Text of a document for a message: short, and without what could act on whoever shows it. */
export function shownText(text: string): string {
  const plain = text.replace(/\p{C}/gu, ' ');
  return plain.length > TEXT_CHARS_MAX ? `${plain.slice(0, TEXT_CHARS_MAX - 1)}…` : plain;
}

/** Faults and modifications of one signature, as many as anybody reads. */
export class FaultList {
  readonly list: Fault[];
  readonly modifications: Modification[] = [];
  readonly #counts = new Map<ReasonCode, number>();

  constructor(known: readonly Fault[] = []) {
    this.list = [...known];
  }

  add(code: ReasonCode, message: string): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= FAULTS_SHOWN_MAX) this.list.push({ code, message });
  }

  /** Adds what was forbidden to become of a part, or of a relationship by its id. */
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

  /** Adds what became of a part that a signature names. */
  addFinding({ path, key, outcome }: PartFinding): void {
    const name = path.slice(1);
    const isRelationships = isReservedName(key ?? name);
    const changed = isRelationships ? 'RELATIONSHIP_CHANGED' : 'PART_CHANGED';
    const shown = shownText(path);
    if (outcome === 'holds') return;
    if (outcome === 'missing')
      this.add(
        'PART_MISSING',
        `The part ${shown}, which was signed, is missing, or is called otherwise now.`,
      );
    else if (outcome === 'retyped')
      this.add('CONTENT_TYPE_UNKNOWN', `The part ${shown} has another content type than was signed.`);
    else {
      const what = isRelationships ? 'What the relationships in' : 'The part';
      this.add('DIGEST_MISMATCH', `${what} ${shown}${isRelationships ? ' lead to' : ''} was changed.`);
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
