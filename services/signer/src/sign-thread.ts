import { AppError } from '@scriptorium/contracts/errors';
import { answerRequests, asBuffer, threadData } from '@scriptorium/shared/threads/thread';
import { type Signed, type SignTools, sign } from '@scriptorium/signatures/sign';
import { openTools } from './open-tools.ts';
import type { SignTask, SignThreadData } from './sign-threads.ts';
import { warmUp } from './warm-up.ts';

const { reopenMs, ...settings } = threadData<SignThreadData>();
let reopenAt = Number.POSITIVE_INFINITY;
let isIdle = true;

/** Opens the keys and warms up. */
async function open(): Promise<SignTools> {
  const { tools, service } = await openTools(settings);
  await warmUp(tools, service, () => isIdle);
  return tools;
}

function getReady(): Promise<SignTools> {
  const opened = open();
  // The first request reports a failure; until then it must not end the thread.
  opened.catch((error: unknown) => {
    // A wrong PIN is not retried: tokens lock themselves after a few attempts.
    reopenAt = String(error).includes('CKR_PIN_') ? Number.POSITIVE_INFINITY : Date.now() + reopenMs;
  });
  return opened;
}

let ready = getReady();

async function readyTools(): Promise<SignTools> {
  if (Date.now() >= reopenAt) {
    reopenAt = Number.POSITIVE_INFINITY;
    ready = getReady();
  }
  try {
    return await ready;
  } catch (cause) {
    throw new AppError('UNAVAILABLE', 'The keys of the service cannot be opened at the moment.', { cause });
  }
}

/** Without a task it resolves, with nothing, once it can take one. */
async function work(task: SignTask | undefined): Promise<Signed> {
  const tools = await readyTools();
  if (task === undefined) return { bytes: Buffer.alloc(0), contentType: '', reply: { warnings: [] } };
  isIdle = false;
  const { source, images, ...request } = task;
  return await sign({ source: asBuffer(source), images: asBuffer(images), ...request }, tools);
}

answerRequests(work, ({ bytes }) => bytes);
