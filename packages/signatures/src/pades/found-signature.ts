import type { Dict, PdfDocument, SignatureField } from '@scriptorium/pdf/read';
import type { ReadRevision } from '@scriptorium/pdf/revisions';
import type { Fault } from '../reasons.ts';
import type { DocMdpLevel } from './permissions.ts';
import type { ByteRange } from './prepared.ts';

/** A signature dictionary, and where it was found. */
export interface FoundSignature {
  /** Of the field; of the first one where several share the signature. */
  name: string;
  dict: Dict;
  /** As it is in the first revision that has it; undefined where no form has it. */
  field: SignatureField | undefined;
  /** Numbers of the revisions whose form has it. */
  listedIn: Set<number>;
  faults: Fault[];
}

/** One that was placed among the revisions of its file. */
export interface PdfSignature extends FoundSignature {
  byteRange: ByteRange | undefined;
  contents: Buffer | undefined;
  /** The one that it signs; where it covers none to its end, the one that it stands in. */
  revision: ReadRevision;
  coversRevision: boolean;
  /** Of a certification. */
  certification: DocMdpLevel | undefined;
}

/** What a signature is known by. */
export type SignatureKey = number | Dict;
export type Signatures = Map<SignatureKey, FoundSignature>;

/** Its place in the file, so that a copy of it is another one. Those in object streams sign nothing, and are told apart as they are. */
export const keyOf = (document: PdfDocument, dict: Dict): SignatureKey =>
  document.holds(dict) ? dict.start : dict;

/** A signature that was found just now; its field is checked for what readers could take in two ways. */
export function foundSignature(name: string, dict: Dict, field: SignatureField | undefined): FoundSignature {
  const isTwofold = field !== undefined && field.object.value.repeatedKeys.length > 0;
  const faults: Fault[] = isTwofold
    ? [{ code: 'DUPLICATE_KEY', message: 'The signature field has a key twice.' }]
    : [];
  return { name, dict, field, listedIn: new Set(), faults };
}
