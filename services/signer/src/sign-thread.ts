import { answerRequests, asBuffer, threadData } from '@scriptorium/shared/threads/thread';
import { openTools, type SignSettings } from './open-tools.ts';
import { sign } from './sign.ts';
import type { SignTask } from './sign-threads.ts';
import type { Signed, SignTools } from './sign-tools.ts';
import { warmUp } from './warm-up.ts';

/** What a thread starts with. */
export type SignThreadData = SignSettings;
/** What it answers. */
export type SignedResult = Signed;

/** Ready once it has signed for nobody. */
async function getReady(): Promise<SignTools> {
  const { tools, service } = await openTools(threadData<SignThreadData>());
  await warmUp(tools, service);
  return tools;
}

const ready = getReady();
// Whoever asks first hears of a failure; until then it must not end the thread.
ready.catch(() => {});

/** Without a task it answers, with nothing, as soon as it could take one. */
async function work(task: SignTask | undefined): Promise<SignedResult> {
  const tools = await ready;
  if (task === undefined) return { bytes: Buffer.alloc(0), contentType: '', reply: { warnings: [] } };
  const { source, signing, images, callerKey } = task;
  return await sign({ source: asBuffer(source), images: asBuffer(images), signing, callerKey }, tools);
}

answerRequests(work, ({ bytes }) => bytes);
