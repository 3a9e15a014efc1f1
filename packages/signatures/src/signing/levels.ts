import type { Timestamper } from '@scriptorium/pki/keys/raw-signer';
import type { Signing } from '@scriptorium/shared/jobs/sign';
import { SignatureError } from '../signature-error.ts';
import type { SignTools } from './sign-tools.ts';

/** The authority that a level needs. Throws UNSUPPORTED_LEVEL where none is configured. */
export function timestamperFor(
  { level, timestampProfile }: Signing,
  tools: SignTools,
): Timestamper | undefined {
  if (level === 'B-B') return undefined;
  const timestamper = tools.timestamper(timestampProfile);
  if (timestamper !== undefined) return timestamper;
  throw new SignatureError(
    'UNSUPPORTED_LEVEL',
    `Level ${level} needs a time-stamping authority, and none is configured.`,
  );
}
