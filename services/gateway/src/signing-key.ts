import { AppError, unavailable } from '@scriptorium/shared/errors';
import { newId } from '@scriptorium/shared/ids';
import type { PublicSigningKey, signingKeyJob } from '@scriptorium/shared/jobs/signing-key';
import type { JobChannel } from './job-clients.ts';

const KNOWN_MS_MAX = 60_000;
const WAIT_MS_MAX = 5_000;
const RUN_MS_MAX = 10_000;

/**
 * The service's own signing key, asked of a signer at most once a minute, however many ask here meanwhile. Throws UNAVAILABLE
 * where no signer is there, and as `JobClient.run`; what failed is asked anew.
 */
export function createSigningKeyReader({
  jobs,
  shedder,
}: JobChannel<typeof signingKeyJob.input, typeof signingKeyJob.output>): () => Promise<PublicSigningKey> {
  let known: { key: Promise<PublicSigningKey>; until: number } | undefined;

  const ask = async (): Promise<PublicSigningKey> => {
    const { capacity } = await shedder.census().catch(unavailable('queue'));
    if (capacity === 0) throw new AppError('UNAVAILABLE', 'No signer is there to ask.');
    const { output } = await jobs.run(
      {},
      {
        requestId: newId('req'),
        deadlineAt: Date.now() + RUN_MS_MAX,
        waitMsMax: WAIT_MS_MAX,
        // Others may wait for the same answer: who leaves cancels nothing.
        signal: new AbortController().signal,
        priority: 0,
        blobs: [],
      },
    );
    return output;
  };

  return () => {
    if (known !== undefined && Date.now() < known.until) return known.key;
    const key = ask();
    const asked = { key, until: Date.now() + KNOWN_MS_MAX };
    known = asked;
    key.catch(() => {
      if (known === asked) known = undefined;
    });
    return key;
  };
}
