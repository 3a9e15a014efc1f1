import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { PublicSigningKey, signingKeyJob } from '@scriptorium/contracts/jobs/signing-key';
import { newId } from '@scriptorium/shared/ids';
import type { JobChannel } from './job-clients.ts';

const KNOWN_MS_MAX = 60_000;
const WAIT_MS_MAX = 5_000;
const RUN_MS_MAX = 10_000;

/**
 * Returns a function that reads the public signing key of the service. It requests the key from a signer at most once a minute.
 * Throws UNAVAILABLE without a signer, and the errors of `JobClient.run`. Failures are not cached.
 */
export function createSigningKeyReader({
  jobs,
  shedder,
}: JobChannel<typeof signingKeyJob.input, typeof signingKeyJob.output>): () => Promise<PublicSigningKey> {
  let known: { key: Promise<PublicSigningKey>; until: number } | undefined;

  const request = async (): Promise<PublicSigningKey> => {
    const { capacity } = await shedder.census().catch(unavailable('queue'));
    if (capacity === 0) throw new AppError('UNAVAILABLE', 'No signer is available.');
    const { output } = await jobs.run(
      {},
      {
        requestId: newId('req'),
        deadlineAt: Date.now() + RUN_MS_MAX,
        waitMsMax: WAIT_MS_MAX,
        // Several callers may wait for this answer, so a disconnect must not cancel it.
        signal: new AbortController().signal,
        priority: 0,
        blobs: [],
      },
    );
    return output;
  };

  return () => {
    if (known !== undefined && Date.now() < known.until) return known.key;
    const key = request();
    const entry = { key, until: Date.now() + KNOWN_MS_MAX };
    known = entry;
    key.catch(() => {
      if (known === entry) known = undefined;
    });
    return key;
  };
}
