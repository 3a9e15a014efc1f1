import { parentPort, workerData } from 'node:worker_threads';
import { toAppError } from '@scriptorium/shared/errors';
import { setTextFont } from '@scriptorium/shared/ooxml/images/rasteriser';
import { type Prepared, type PrepareOptions, prepare } from './prepare.ts';

/** What a gate thread is asked: one document at a time. */
export interface GateRequest {
  bytes: Uint8Array;
  options: PrepareOptions;
}

/** What it starts with. */
export interface GateThreadData {
  font: Uint8Array | undefined;
}

/** What it answers. An error crosses as data: its class would be lost. */
export type GateAnswer =
  | { ok: true; prepared: Prepared }
  | { ok: false; code: ReturnType<typeof toAppError>['code']; message: string; cause: unknown };

async function answer({ bytes, options }: GateRequest): Promise<GateAnswer> {
  try {
    const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { ok: true, prepared: await prepare(input, options) };
  } catch (error) {
    const { code, message, cause } = toAppError(error);
    return { ok: false, code, message, cause: cause instanceof Error ? cause : undefined };
  }
}

setTextFont((workerData as GateThreadData).font);
parentPort?.on('message', async (request: GateRequest) => {
  const result = await answer(request);
  parentPort?.postMessage(result, result.ok ? movable(result.prepared.bytes) : []);
});

/** The memory of these bytes, to be moved instead of copied; not where they share it with others. */
function movable({ buffer, byteLength }: Buffer): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
