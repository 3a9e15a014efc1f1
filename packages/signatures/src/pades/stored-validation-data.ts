import { createHash } from 'node:crypto';
import { tooComplex } from '@scriptorium/pdf/error';
import { Costs, Dict, type PdfDocument, Ref } from '@scriptorium/pdf/read';
import type { ValidationData } from '@scriptorium/pki/revocation';
import { SIGNATURE_BOUNDS } from './bounds.ts';
import { entryName, readStored, STORED_KINDS } from './validation-data.ts';

/**
 * Reads the whole document security store (ISO 32000-2, 12.8.4.3), each item once. Skips streams that cannot be
 * decompressed. Throws DOCUMENT_TOO_COMPLEX.
 */
export function storedValidationData(document: PdfDocument): ValidationData {
  const store = document.dict(document.catalog.value, 'DSS');
  const data: ValidationData = { certificates: [], ocsps: [], crls: [] };
  if (!store) return data;
  const entries = entriesOf(document, store);
  const reader = new StoreReader(document);
  for (const { store: key, entry, of } of STORED_KINDS) {
    reader.take(store, key, of(data));
    for (const each of entries) reader.take(each, entry, of(data));
  }
  return data;
}

/**
 * Returns how many OCSP responses and CRLs the store has in the entry of the signature with this value; undefined without
 * an entry.
 */
export function answersFor(document: PdfDocument, contents: Buffer): number | undefined {
  const store = document.dict(document.catalog.value, 'DSS');
  const entries = store && document.dict(store, 'VRI');
  const own = entries && document.dict(entries, entryName(contents));
  return own && count(document, own, 'OCSP') + count(document, own, 'CRL');
}

/** Returns how many the store has for every signature: it has no entries then. */
export function answersForAll(document: PdfDocument): number {
  const store = document.dict(document.catalog.value, 'DSS');
  if (!store || document.dict(store, 'VRI')) return 0;
  return count(document, store, 'OCSPs') + count(document, store, 'CRLs');
}

function count(document: PdfDocument, dict: Dict, key: string): number {
  const items = document.get(dict, key);
  return Array.isArray(items) ? items.length : 0;
}

/** Returns the entries of single signatures: /VRI. */
function entriesOf(document: PdfDocument, store: Dict): Dict[] {
  const entries = document.dict(store, 'VRI');
  const keys = entries ? [...entries.entries.keys()] : [];
  if (keys.length > SIGNATURE_BOUNDS.storedMax)
    throw tooComplex(`a store for more than ${SIGNATURE_BOUNDS.storedMax} signatures`);
  return keys.map((key) => entries && document.dict(entries, key)).filter((each) => each instanceof Dict);
}

class StoreReader {
  readonly #document: PdfDocument;
  readonly #costs = new Costs();
  readonly #seen = new Set<string>();
  #bytes = 0;
  #items = 0;

  constructor(document: PdfDocument) {
    this.#document = document;
  }

  /** Appends the streams in the array under a key to `list`. */
  take(dict: Dict, key: string, list: Buffer[]): void {
    const items = this.#document.get(dict, key);
    for (const item of Array.isArray(items) ? items : []) {
      const name = `${key.replace(/s$/, '')} ${item}`;
      if (!(item instanceof Ref) || this.#seen.has(name)) continue;
      this.#seen.add(name);
      if (++this.#items > SIGNATURE_BOUNDS.storedMax)
        throw tooComplex(
          `a store of more than ${SIGNATURE_BOUNDS.storedMax} certificates and revocation data`,
        );
      const der = readStored(this.#document, item, this.#costs);
      if (der) this.#add(key, der, list);
    }
  }

  #add(key: string, der: Buffer, list: Buffer[]): void {
    const digest = `${key.replace(/s$/, '')} ${createHash('sha256').update(der).digest('hex')}`;
    if (this.#seen.has(digest)) return;
    this.#seen.add(digest);
    this.#bytes += der.length;
    if (this.#bytes > SIGNATURE_BOUNDS.storedBytesMax)
      throw tooComplex(`a store of more than ${SIGNATURE_BOUNDS.storedBytesMax} bytes`);
    list.push(der);
  }
}
