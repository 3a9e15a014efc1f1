import type { RawSigner } from '@scriptorium/pki/keys';
import type { ValidationData } from '@scriptorium/pki/revocation';
import type { Timestamper } from '@scriptorium/pki/timestamps';
import { hasTimestamp } from '../levels.ts';
import type { CallerKey, Signing, SignReply } from '../sign-request.ts';
import { SignatureError } from '../signature-error.ts';

/** What signing needs besides the document. */
export interface SignTools {
  /** Version of this service, for the audit trail. */
  version: string;
  now(): Date;
  /** Returns a new, unique id for an audit trail. */
  newAuditId(): string;
  /** Opens the key of a request. Throws SIGNING_KEY_INVALID, REMOTE_SIGNER_FAILED, VALIDATION_ERROR for an unknown profile. */
  openKey(key: Signing['key'], sent: CallerKey | undefined): Promise<RawSigner>;
  /** Returns undefined if none is configured; throws VALIDATION_ERROR for an unknown profile. */
  timestamper(profile: string | undefined): Timestamper | undefined;
  /** Collects data for these certificates, in DER, and their issuers. Throws REVOCATION_UNAVAILABLE, SIGNING_KEY_INVALID. */
  validationData(certificates: Buffer[]): Promise<ValidationData>;
}

export interface SignRequest {
  source: Buffer;
  signing: Signing;
  /** The images that the appearance refers to. */
  images: Buffer;
  callerKey: CallerKey | undefined;
  /** The same of each of `signing.signatures`. */
  callerKeys?: readonly (CallerKey | undefined)[] | undefined;
  /** Whether `signing.field` is not the name of a new field. */
  fieldMustExist?: boolean;
  /** The password of an encrypted PDF, of its user or owner; must not be logged. */
  password?: string | undefined;
}

export interface Signed {
  bytes: Buffer;
  contentType: string;
  reply: SignReply;
}

/** Returns the authority that a level requires. Throws UNSUPPORTED_LEVEL if none is configured. */
export function timestamperFor(
  { level, timestampProfile }: Pick<Signing, 'level' | 'timestampProfile'>,
  tools: Pick<SignTools, 'timestamper'>,
): Timestamper | undefined {
  if (!hasTimestamp(level)) return undefined;
  const timestamper = tools.timestamper(timestampProfile);
  if (timestamper !== undefined) return timestamper;
  throw new SignatureError(
    'UNSUPPORTED_LEVEL',
    `Level ${level} requires a time-stamping authority, and none is configured.`,
  );
}
