import { createHash } from 'node:crypto';
import { Costs, type Dict, type PdfDocument, Ref, Stream } from '@scriptorium/pdf/read';
import { editDict, literal, Update } from '@scriptorium/pdf/update';
import type { ValidationData } from '@scriptorium/pki/revocation';
import { changeCatalog } from './catalog.ts';
import type { ReadPdf } from './read-pdf.ts';
import { refuseRepairOfSigned } from './signature-target.ts';

/** The validation data of one signature. */
export interface SignatureValidation {
  /** The whole value of the signature's /Contents, including zeros. */
  contents: Buffer;
  data: ValidationData;
}

/** Keys of the store and of a signature's entry, for each data type (ISO 32000-2, tables 261 and 262). */
export const STORED_KINDS = [
  { store: 'Certs', entry: 'Cert', of: (data: ValidationData) => data.certificates },
  { store: 'OCSPs', entry: 'OCSP', of: (data: ValidationData) => data.ocsps },
  { store: 'CRLs', entry: 'CRL', of: (data: ValidationData) => data.crls },
] as const;

const digest = (der: Buffer): string => createHash('sha256').update(der).digest('hex');

/** Returns the name of a signature's entry: SHA-1 over its whole value. */
export const entryName = (contents: Buffer): string =>
  createHash('sha1').update(contents).digest('hex').toUpperCase();

/** Existing and added streams of one data type. */
class DssBuilder {
  readonly refs: Ref[] = [];
  #isGrown = false;
  readonly #known = new Map<string, Ref>();
  readonly #update: Update;

  constructor(update: Update, store: Dict | undefined, key: string) {
    this.#update = update;
    const { document } = update;
    const items = store ? document.get(store, key) : null;
    const costs = new Costs();
    const seen = new Set<number>();
    for (const ref of Array.isArray(items) ? items : []) {
      if (!(ref instanceof Ref) || seen.has(ref.num)) continue;
      seen.add(ref.num);
      this.refs.push(ref);
      const der = readStored(document, ref, costs);
      if (der) this.#known.set(digest(der), ref);
    }
  }

  get isGrown(): boolean {
    return this.#isGrown;
  }

  refOf(der: Buffer): Ref {
    const key = digest(der);
    const known = this.#known.get(key);
    if (known) return known;
    const ref = this.#update.add(literal.stream('', der));
    this.#known.set(key, ref);
    this.refs.push(ref);
    this.#isGrown = true;
    return ref;
  }
}

/** Returns the content of a stream in the store; undefined if it is missing or its filter is not supported. */
export function readStored(document: PdfDocument, ref: Ref, costs: Costs): Buffer | undefined {
  const stream = document.resolve(ref);
  if (!(stream instanceof Stream)) return undefined;
  try {
    costs.read(stream.data.length);
    return document.unpacked(stream, costs);
  } catch {
    // A stream that expands too far before it fails would cost the same again each time.
    costs.spendUnpacking();
    return undefined;
  }
}

const arrayOf = (refs: Iterable<Ref>): string => `[${[...new Set([...refs].map(String))].join(' ')}]`;

/** Returns the entry of one signature, merged with its existing entry. */
function entryOf(
  document: PdfDocument,
  older: Dict | undefined,
  data: ValidationData,
  builders: DssBuilder[],
): string {
  const parts = STORED_KINDS.map(({ entry, of }, index) => {
    const before = older ? document.get(older, entry) : null;
    const refs = (Array.isArray(before) ? before : []).filter((item) => item instanceof Ref);
    for (const der of of(data)) {
      const ref = builders[index]?.refOf(der);
      if (ref) refs.push(ref);
    }
    return refs.length > 0 ? `/${entry}${arrayOf(refs)}` : '';
  });
  return `<<${parts.join('')}>>`;
}

/**
 * Adds validation data to the document security store (ISO 32000-2, 12.8.4.3) in an incremental update. Data already in the
 * store are not added again.
 */
export function addValidationData(pdf: ReadPdf, signatures: readonly SignatureValidation[]): Buffer {
  refuseRepairOfSigned(pdf.isSearched, pdf.isSigned);
  const { document } = pdf;
  const update = new Update(document);
  const { dict: store, ref: storeRef } = document.owned(document.catalog.value, 'DSS');
  const builders = STORED_KINDS.map((kind) => new DssBuilder(update, store, kind.store));
  const { dict: older, ref: olderRef } = store ? document.owned(store, 'VRI') : {};
  const entries: Record<string, string> = {};
  for (const { contents, data } of signatures) {
    const name = entryName(contents);
    const before = older ? document.dict(older, name) : undefined;
    entries[name] = update.add(entryOf(document, before, data, builders)).toString();
  }
  const values: Record<string, string> = {};
  for (const [index, { store: key }] of STORED_KINDS.entries()) {
    const builder = builders[index];
    if (builder?.isGrown) values[key] = arrayOf(builder.refs);
  }
  const vri = older
    ? editDict(older, entries)
    : `<<${Object.entries(entries)
        .map((pair) => `/${pair.join(' ')}`)
        .join('')}>>`;
  if (olderRef) update.replace(olderRef, vri);
  else values.VRI = vri;
  const text = store
    ? editDict(store, values)
    : `<<${Object.entries(values)
        .map((pair) => `/${pair.join(' ')}`)
        .join('')}>>`;
  if (storeRef) update.replace(storeRef, text);
  else changeCatalog(update, { hasSignature: false, dss: update.add(text).toString() });
  return update.finish().bytes;
}
