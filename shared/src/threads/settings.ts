import { integer } from '../config.ts';

/** Settings of the workers, which read documents in threads. */
export const threadSettings = {
  THREAD_DOCUMENTS_MAX: integer(1, 1_000_000_000)
    .default(10_000)
    .describe(
      'Documents after which a thread that reads documents is replaced, so that nothing of them stays in its memory. The ' +
        'others work meanwhile',
    ),
};
