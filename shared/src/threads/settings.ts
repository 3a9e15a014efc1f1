import { z } from 'zod';
import { integer } from '../config.ts';

/** Until the machine has started the other services, too. */
const LATER_MS = 10_000;

/** Settings of the workers, which read documents in threads. */
export const threadSettings = {
  THREAD_DOCUMENTS_MAX: integer(1, 1_000_000_000)
    .default(10_000)
    .describe(
      'Documents after which a thread that reads documents is replaced, so that nothing of them stays in its memory. The ' +
        'others work meanwhile',
    ),
  WARM_UP: z
    .enum(['first', 'later'])
    .default('first')
    .describe(
      '`first`: the threads work on built-in documents before the service takes jobs. `later`: it takes jobs at once, and the first ones take longer',
    ),
};

/** Warms threads up before the service takes jobs, or some time after, as the settings say. */
export async function warmUpBy(
  { WARM_UP: when }: { WARM_UP: 'first' | 'later' },
  warmUp: () => Promise<unknown>,
): Promise<void> {
  if (when === 'first') await warmUp();
  // What fails then fails for a job, too, which reports it.
  else setTimeout(() => warmUp().catch(() => {}), LATER_MS).unref();
}
