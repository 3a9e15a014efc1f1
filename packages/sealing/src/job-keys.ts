import { deriveKey, openBytes, openWithAny, sealBytes } from './box.ts';
import type { Secrets } from './secret-bytes.ts';

/** A step of a request: a queue, and the kind of workers that read it. Each kind shares one secret with the gateways. */
export interface Step {
  name: string;
  role: string;
}

/** Who makes the input of the first step. */
const GATEWAY = 'gateway';

/** What a key is for. All keys of a job are derived from the secret of one role, and differ in these words. */
type Use = 'input' | 'onward' | 'output' | 'reply' | 'blob';

type Words = readonly [use: Use, requestId: string, ...words: string[]];

const derive = (secret: Uint8Array, words: Words): Buffer =>
  deriveKey(secret, `scriptorium job 1 ${JSON.stringify(words)}`);

/** The key under which something is sealed: that of the current secret. */
const keyOf = ([current]: Secrets, ...words: Words): Buffer => derive(current, words);

const sealJson = (key: Uint8Array, value: unknown): string =>
  sealBytes(key, Buffer.from(JSON.stringify(value) ?? 'null')).toString('base64');

/** Opens what was sealed with the current secret or the one before it. Throws BoxError, also for what is not a box at all. */
function openJson(secrets: Secrets, words: Words, box: unknown): unknown {
  const bytes = Buffer.from(typeof box === 'string' ? box : '', 'base64');
  const text = openWithAny(secrets, (secret) => openBytes(derive(secret, words), bytes));
  return JSON.parse(text.toString());
}

/**
 * The keys of the jobs of one queue, as its workers have them. A worker opens what is for its queue, and seals for the gateway
 * and for the next step that the gateway named. All boxes are base64; a box that does not open throws BoxError.
 */
export class WorkerKeys {
  readonly #secrets: Secrets;
  readonly #queue: string;

  /** `secrets` are those of the role. */
  constructor(secrets: Secrets, queue: string) {
    this.#secrets = secrets;
    this.#queue = queue;
  }

  /** Opens the input of a job. `from` is the queue of the step before, or undefined if the gateway made the input. */
  openInput(requestId: string, from: string | undefined, box: unknown): unknown {
    return openJson(this.#secrets, ['input', requestId, this.#queue, from ?? GATEWAY], box);
  }

  /** Seals the input of the next step. `onward` is the box for this step of `GatewayKeys.onward`. */
  sealNext(requestId: string, onward: unknown, input: unknown): string {
    const key = openJson(this.#secrets, ['onward', requestId, this.#queue], onward);
    return sealJson(Buffer.from(String(key), 'base64'), input);
  }

  /** Seals the output of a step that forwards the request. The steps after it cannot read it. */
  sealOutput(requestId: string, output: unknown): string {
    return sealJson(keyOf(this.#secrets, 'output', requestId, this.#queue), output);
  }

  sealReply(requestId: string, reply: unknown): string {
    return sealJson(keyOf(this.#secrets, 'reply', requestId, this.#queue), reply);
  }

  /** Opens the key of a blob that the gateway sealed for this role; see `GatewayKeys.sealBlobKey`. */
  openBlobKey(id: string, box: string): string {
    return String(openJson(this.#secrets, ['blob', id], box));
  }
}

/** The keys of all jobs, as gateways have them. */
export class GatewayKeys {
  readonly #secrets: Readonly<Record<string, Secrets>>;

  /** `secrets` are those of each role. */
  constructor(secrets: Readonly<Record<string, Secrets>>) {
    this.#secrets = secrets;
  }

  #of(role: string): Secrets {
    const secrets = this.#secrets[role];
    if (secrets === undefined) throw new Error(`there is no secret for jobs of a ${role}`);
    return secrets;
  }

  /** Seals the input of the first step. */
  sealInput({ name, role }: Step, requestId: string, input: unknown): string {
    return sealJson(keyOf(this.#of(role), 'input', requestId, name, GATEWAY), input);
  }

  /**
   * Returns a box for each step but the last one, by queue: the key under which it seals the input of the step after it. So a
   * step can seal for that step only, and reads nothing else that is for it.
   */
  onward(steps: readonly Step[], requestId: string): Record<string, string> {
    const boxes = steps.slice(0, -1).map(({ name, role }, at): [string, string] => {
      const next = steps[at + 1] as Step;
      const key = keyOf(this.#of(next.role), 'input', requestId, next.name, name);
      return [name, sealJson(keyOf(this.#of(role), 'onward', requestId, name), key.toString('base64'))];
    });
    return Object.fromEntries(boxes);
  }

  openOutput({ name, role }: Step, requestId: string, box: unknown): unknown {
    return openJson(this.#of(role), ['output', requestId, name], box);
  }

  openReply({ name, role }: Step, requestId: string, box: unknown): unknown {
    return openJson(this.#of(role), ['reply', requestId, name], box);
  }

  /** Seals the key of a blob for one role, if other workers carry its reference. `id` is that of the request or batch. */
  sealBlobKey(role: string, id: string, seal: string): string {
    return sealJson(keyOf(this.#of(role), 'blob', id), seal);
  }
}
