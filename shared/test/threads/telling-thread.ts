import { threadId } from 'node:worker_threads';
import { AppError } from '../../src/errors.ts';
import { answerRequests } from '../../src/threads/thread.ts';

/** Answers with its number and rejects empty texts. */
answerRequests(
  async (text: string) => {
    if (text === '')
      throw new AppError('VALIDATION_ERROR', 'The text is empty.', {
        details: [{ field: 'text', issue: 'is empty' }],
      });
    return { thread: threadId, bytes: Buffer.from(text) };
  },
  ({ bytes }) => bytes,
);
