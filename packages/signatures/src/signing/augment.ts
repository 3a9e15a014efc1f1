import { readBundle } from '@scriptorium/pki/cms';
import type { RawSigner } from '@scriptorium/pki/keys';
import type { Timestamper } from '@scriptorium/pki/timestamps';
import { hasDocumentTimestamp, hasValidationData, type SignatureLevel } from '../levels.ts';
import { prepareDocumentTimestamp } from '../pades/prepare-signature.ts';
import { embeddedValue, embedSignature, signedParts } from '../pades/prepared.ts';
import { readPdf } from '../pades/read-pdf.ts';
import type { SignedPdf } from '../pades/sign-pdf.ts';
import { addValidationData } from '../pades/validation-data.ts';
import type { SignWarning } from '../sign-request.ts';
import { SignatureError } from '../signature-error.ts';
import type { SignTools } from './sign-tools.ts';

/** Maximum bytes of a time-stamp token. */
const TOKEN_BYTES_MAX = 16 * 1024;

/** An update of a document whose certification permits no change. */
export const READERS_MAY_REFUSE: SignWarning = {
  code: 'READERS_MAY_REFUSE',
  message:
    'The certification permits no change. ISO 32000-2 permits validation data and time-stamps nevertheless, but some readers call the document changed.',
};

export interface Augmentation {
  level: SignatureLevel;
  signer: RawSigner;
  timestamper: Timestamper | undefined;
  /** The signature's own time-stamp, in DER. */
  token: Buffer | undefined;
  /** The password of an encrypted document. */
  password?: string | undefined;
  tools: SignTools;
}

/**
 * Augments a signed PDF to its level: B-LT adds the validation data of all its certificates. B-LTA adds a time-stamp over the
 * whole document (EN 319 142-1, 6.3). Throws REVOCATION_UNAVAILABLE, TIMESTAMP_UNAVAILABLE and SIGNING_KEY_INVALID.
 */
export async function augment(
  signed: SignedPdf,
  { level, signer, timestamper, token, password, tools }: Augmentation,
): Promise<Buffer> {
  if (!hasValidationData(level) || timestamper === undefined) return signed.bytes;
  const stamps = token === undefined ? [] : readBundle(token).map(({ der }) => der);
  const certificates = [...signer.certificates.map(({ raw }) => raw), ...stamps];
  const data = await tools.validationData(certificates);
  const augmented = addValidationData(readPdf(signed.bytes, password), [
    { contents: embeddedValue(signed), data },
  ]);
  if (!hasDocumentTimestamp(level)) return augmented;
  return await stampDocument(augmented, timestamper, password);
}

/** Adds a time-stamp over the whole document. Throws TIMESTAMP_UNAVAILABLE. */
export async function stampDocument(
  bytes: Buffer,
  timestamper: Timestamper,
  password: string | undefined,
): Promise<Buffer> {
  const prepared = prepareDocumentTimestamp(readPdf(bytes, password), TOKEN_BYTES_MAX);
  const parts = signedParts(prepared.bytes, prepared.byteRange);
  const { token } = await timestamper.timestamp(Buffer.concat(parts));
  if (token.length > TOKEN_BYTES_MAX)
    throw new SignatureError(
      'TIMESTAMP_UNAVAILABLE',
      `The time-stamp exceeds the limit of ${TOKEN_BYTES_MAX} bytes.`,
    );
  return embedSignature(prepared, token);
}
