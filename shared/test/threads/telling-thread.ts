import { threadId } from 'node:worker_threads';
import { AppError } from '@scriptorium/contracts/errors';
import { answerRequests } from '../../src/threads/thread.ts';

/** Answers with its number and rejects empty texts. Reports what it still has of earlier documents. */
const seen: Uint8Array[] = [];

answerRequests(
  async (request: string | { document: Uint8Array; parts: Uint8Array[] }) => {
    if (typeof request !== 'string') {
      // A document comes back as it arrived; what is left of earlier ones shows after it.
      const left = Buffer.concat(seen);
      seen.push(request.document, ...request.parts);
      // A document alone is its own answer.
      const bytes =
        request.parts.length > 0 ? Buffer.concat([request.document, ...request.parts]) : request.document;
      return { thread: threadId, bytes, left };
    }
    const text = request;
    if (text === '')
      throw new AppError('VALIDATION_ERROR', 'The text is empty.', {
        details: [{ field: 'text', issue: 'is empty' }],
      });
    return { thread: threadId, bytes: Buffer.from(text) };
  },
  ({ bytes }) => bytes,
);
