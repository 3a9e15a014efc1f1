import type { RawSigner } from '@scriptorium/pki/keys';
import type { ValidationData } from '@scriptorium/pki/revocation';
import type { Timestamper } from '@scriptorium/pki/timestamps';
import { hasTimestamp } from '../levels.ts';
import type { CallerKey, Signing, SignReply } from '../sign-request.ts';
import { SignatureError } from '../signature-error.ts';

/** What signing needs beside the document. */
export interface SignTools {
  /** Version of this service, for the audit trail. */
  version: string;
  now(): Date;
  /** An id that no other audit trail has. */
  newAuditId(): string;
  /** The key of a request. Throws SIGNING_KEY_INVALID, REMOTE_SIGNER_FAILED, VALIDATION_ERROR for an unknown profile. */
  openKey(key: Signing['key'], sent: CallerKey | undefined): Promise<RawSigner>;
  /** Undefined where none is configured; throws VALIDATION_ERROR for an unknown profile. */
  timestamper(profile: string | undefined): Timestamper | undefined;
  /** For these certificates, in DER, and their issuers. Throws REVOCATION_UNAVAILABLE, SIGNING_KEY_INVALID. */
  validationData(certificates: Buffer[]): Promise<ValidationData>;
}

export interface SignRequest {
  source: Buffer;
  signing: Signing;
  /** Those that the appearance refers to. */
  images: Buffer;
  callerKey: CallerKey | undefined;
}

export interface Signed {
  bytes: Buffer;
  contentType: string;
  reply: SignReply;
}

/** The authority that a level needs. Throws UNSUPPORTED_LEVEL where none is configured. */
export function timestamperFor(
  { level, timestampProfile }: Signing,
  tools: SignTools,
): Timestamper | undefined {
  if (!hasTimestamp(level)) return undefined;
  const timestamper = tools.timestamper(timestampProfile);
  if (timestamper !== undefined) return timestamper;
  throw new SignatureError(
    'UNSUPPORTED_LEVEL',
    `Level ${level} needs a time-stamping authority, and none is configured.`,
  );
}
