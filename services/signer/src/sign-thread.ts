import { answerRequests, asBuffer, threadData } from '@scriptorium/shared/threads/thread';
import { openTools, type SignSettings } from './open-tools.ts';
import { sign } from './sign.ts';
import type { SignTask } from './sign-threads.ts';
import type { Signed } from './sign-tools.ts';

/** What a thread starts with. */
export type SignThreadData = SignSettings;
/** What it answers. */
export type SignedResult = Signed;

const tools = openTools(threadData<SignThreadData>());
// Whoever asks first hears of a failure; until then it must not end the thread.
tools.catch(() => {});

async function work({ source, signing, images, callerKey }: SignTask): Promise<SignedResult> {
  const request = { source: asBuffer(source), images: asBuffer(images), signing, callerKey };
  return await sign(request, await tools);
}

answerRequests(work, ({ bytes }) => bytes);
