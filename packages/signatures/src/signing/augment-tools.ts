import type { Augmentation, AugmentReply } from '../augment-request.ts';
import { SIGNATURE_LEVELS, type SignatureLevel } from '../levels.ts';
import { SignatureError } from '../signature-error.ts';
import type { SignTools } from './sign-tools.ts';

export interface AugmentRequest {
  source: Buffer;
  augmentation: Augmentation;
  /** The password of an encrypted PDF, of its user or owner; must not be logged. */
  password?: string | undefined;
}

export interface Augmented {
  bytes: Buffer;
  contentType: string;
  reply: AugmentReply;
}

export type AugmentTools = Pick<SignTools, 'now' | 'timestamper' | 'validationData'>;

/** Returns the signatures that a request names, or all. Throws VALIDATION_ERROR, and UNPROCESSABLE without a signature. */
export function chosenSignatures<Signature>(
  all: readonly Signature[],
  { signatures: names }: Augmentation,
  nameOf: (signature: Signature) => string,
): Signature[] {
  if (all.length === 0) throw new SignatureError('UNPROCESSABLE', 'The document is not signed.');
  if (names === undefined) return [...all];
  const known = new Set(all.map(nameOf));
  const details = names.flatMap((name, index) =>
    known.has(name) ? [] : [{ field: `signatures[${index}]`, issue: 'is not a signature of the document' }],
  );
  if (details.length > 0)
    throw new SignatureError('VALIDATION_ERROR', 'The document has no such signature.', { details });
  return all.filter((signature) => names.includes(nameOf(signature)));
}

/** Returns the level to reach: for `next`, the one above the lowest. */
export function targetLevel({ level }: Augmentation, present: readonly SignatureLevel[]): SignatureLevel {
  if (level !== 'next') return level;
  const lowest = Math.min(...present.map((each) => SIGNATURE_LEVELS.indexOf(each)));
  return SIGNATURE_LEVELS[lowest + 1] ?? 'B-LTA';
}
