import type { Timestamper } from '@scriptorium/pki/keys/raw-signer';
import { AppError } from '@scriptorium/shared/errors';
import type { Signing } from '@scriptorium/shared/jobs/sign';
import type { SignTools } from './sign-tools.ts';

/** The authority that a level needs. Throws UNSUPPORTED_LEVEL where none is configured. */
export function timestamperFor(
  { level, timestampProfile }: Signing,
  tools: SignTools,
): Timestamper | undefined {
  if (level === 'B-B') return undefined;
  const timestamper = tools.timestamper(timestampProfile);
  if (timestamper !== undefined) return timestamper;
  throw new AppError(
    'UNSUPPORTED_LEVEL',
    `Level ${level} needs a time-stamping authority, and none is configured.`,
  );
}
