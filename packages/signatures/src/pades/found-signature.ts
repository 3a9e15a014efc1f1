import type { DocMdpLevel } from '@scriptorium/pdf/permissions';
import type { Dict, PdfDocument, SignatureField } from '@scriptorium/pdf/read';
import type { ReadRevision } from '@scriptorium/pdf/revisions';
import type { Fault } from '../reasons.ts';
import type { ByteRange } from './prepared.ts';

/** A signature dictionary, and where it was found. */
export interface FoundSignature {
  /** Name of the field; of the first one if several share the signature. */
  name: string;
  dict: Dict;
  /** The field in the first revision that has it; undefined if no form has it. */
  field: SignatureField | undefined;
  /** Numbers of the revisions whose form lists it. */
  listedIn: Set<number>;
  faults: Fault[];
}

/** A signature assigned to a revision of its file. */
export interface PdfSignature extends FoundSignature {
  byteRange: ByteRange | undefined;
  contents: Buffer | undefined;
  /** The signed revision; if the range does not end at a revision, the one that contains the signature. */
  revision: ReadRevision;
  coversRevision: boolean;
  /** Level of a certification. */
  certification: DocMdpLevel | undefined;
}

/** Identifies a signature. */
export type SignatureKey = number | Dict;
export type Signatures = Map<SignatureKey, FoundSignature>;

/** Its position in the file, so that a copy counts as another one. Dictionaries in object streams are compared by identity. */
export const keyOf = (document: PdfDocument, dict: Dict): SignatureKey =>
  document.holds(dict) ? dict.start : dict;

/** Creates a found signature and checks its field for duplicate keys, which readers interpret differently. */
export function foundSignature(name: string, dict: Dict, field: SignatureField | undefined): FoundSignature {
  const isTwofold = field !== undefined && field.object.value.repeatedKeys.length > 0;
  const faults: Fault[] = isTwofold
    ? [{ code: 'DUPLICATE_KEY', message: 'The signature field has a key twice.' }]
    : [];
  return { name, dict, field, listedIn: new Set(), faults };
}
