import { PdfError } from '../pdf-error.ts';
import { Costs } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { Dict, isName, PdfString, type PdfValue, Ref, Stream } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { isDeepEqual } from './deep-equal.ts';

/** What a document security store may hold. */
type StoredKind = 'certificate' | 'crl' | 'ocsp' | 'timestamp';

/** Whether bytes are one value of a kind, and nothing else. */
export type StoredDataTest = (kind: StoredKind, der: Buffer) => boolean;

/** The keys of lists (ISO 32000-2, tables 261 and 262). */
const LISTS: Readonly<Record<string, StoredKind>> = { Certs: 'certificate', CRLs: 'crl', OCSPs: 'ocsp' };
const ENTRY_LISTS: Readonly<Record<string, StoredKind>> = {
  Cert: 'certificate',
  CRL: 'crl',
  OCSP: 'ocsp',
};

/** The document security store of the newer revision (ISO 32000-2, 12.8.4.3). */
export interface ValidationStore {
  /**
   * Whether the revision added anything but certificates, CRLs, OCSP responses and time-stamps. A reader that repairs a file
   * would search it.
   */
  isOdd: boolean;
  /** The numbers of the objects that were judged. */
  judged: ReadonlySet<number>;
}

interface Revisions {
  older: PdfDocument;
  newer: PdfDocument;
  changed: ReadonlySet<number>;
  budget: Budget;
  isStoredData: StoredDataTest;
}

export function judgeStore(c: Revisions): ValidationStore {
  const judge = new StoreJudge(c);
  const isOdd = judge.isOdd();
  return { isOdd, judged: judge.judged };
}

class StoreJudge {
  readonly judged = new Set<number>();
  readonly #c: Revisions;
  readonly #sound = new Set<string>();

  constructor(c: Revisions) {
    this.#c = c;
  }

  isOdd(): boolean {
    const { older, newer } = this.#c;
    const before = older.dict(older.catalog.value, 'DSS');
    return this.#isOddDict(newer.catalog.value.get('DSS'), before, (key, value) => {
      if (key === 'Type') return !isName(newer.resolve(value), 'DSS');
      if (key === 'VRI') return this.#isOddIndex(value, before && older.dict(before, key));
      return !this.#isList(LISTS[key], value);
    });
  }

  /** Judges /VRI, which has an entry for each signature. */
  #isOddIndex(index: PdfValue, before: Dict | undefined): boolean {
    const { older, newer } = this.#c;
    return this.#isOddDict(index, before, (key, entry) => {
      if (key === 'Type' && isName(newer.resolve(entry), 'VRI')) return false;
      return this.#isOddDict(entry, before && older.dict(before, key), (name, value) =>
        this.#isOddInEntry(name, value),
      );
    });
  }

  #isOddInEntry(key: string, value: PdfValue): boolean {
    if (key === 'TS') return !this.#isStored('timestamp', value);
    if (!['Type', 'TU'].includes(key)) return !this.#isList(ENTRY_LISTS[key], value);
    const now = this.#c.newer.resolve(value);
    return key === 'Type' ? !isName(now, 'VRI') : !(now instanceof PdfString && now.date !== undefined);
  }

  #isOddDict(
    value: PdfValue,
    before: Dict | undefined,
    isOddIn: (key: string, value: PdfValue) => boolean,
  ): boolean {
    const dict = this.#read(value);
    if (!(dict instanceof Dict) || dict.repeatedKeys.length > 0) return true;
    this.#c.budget.spend('items', dict.entries.size);
    return [...dict.entries].some(
      ([key, { value: inside }]) => isOddIn(key, inside) && !this.#isKept(before?.get(key) ?? null, inside),
    );
  }

  /** Whether the older revision has the same under the same key: that was signed with it. */
  #isKept(before: PdfValue, now: PdfValue): boolean {
    const { older, newer, changed } = this.#c;
    if (now instanceof Ref && changed.has(now.num)) return false;
    return isDeepEqual(older, before, newer, now);
  }

  #isList(kind: StoredKind | undefined, value: PdfValue): boolean {
    const items = this.#read(value);
    if (kind === undefined || !Array.isArray(items)) return false;
    this.#c.budget.spend('items', items.length);
    return items.every((item) => this.#isStored(kind, item));
  }

  #isStored(kind: StoredKind, item: PdfValue): boolean {
    const name = `${kind} ${item}`;
    if (this.#sound.has(name)) return true;
    const stream = this.#read(item);
    if (!(item instanceof Ref && stream instanceof Stream)) return false;
    if (this.#c.changed.has(item.num)) {
      const der = this.#unpacked(stream);
      if (der === undefined || !this.#c.isStoredData(kind, der)) return false;
    }
    this.#sound.add(name);
    return true;
  }

  #read(value: PdfValue): PdfValue {
    if (value instanceof Ref) this.judged.add(value.num);
    return this.#c.newer.resolve(value);
  }

  /** Undefined if it cannot be unpacked, or not within the budget. */
  #unpacked(stream: Stream): Buffer | undefined {
    const { budget, newer } = this.#c;
    const costs = new Costs(budget.left('stored'));
    const before = costs.unpackedBytes;
    try {
      const der = newer.unpacked(stream, costs);
      budget.spend('stored', costs.unpackedBytes - before);
      return der;
    } catch (error) {
      if (!(error instanceof PdfError)) throw error;
      // A stream that expands too far would cost the same again each time.
      if (error.code === 'DOCUMENT_TOO_COMPLEX') budget.spend('stored', budget.left('stored'));
      return undefined;
    }
  }
}
