import type { ClaimedConformance } from '@scriptorium/pdf/conformance';
import type { FinishedPdf } from '@scriptorium/pdf/finish';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import type { Finishing, FinishRequest } from './finish-thread.ts';
import { OnDemandThread } from './on-demand.ts';

const HEAP_MIB_MAX = 1_024;

/**
 * Completes what a PDF claims, and adds what the caller asks for. Rejects with an `EngineError` or `AppError` if it cannot be
 * read, and with VALIDATION_ERROR for what it cannot get.
 */
export type Finish = (
  bytes: Buffer,
  claims: ClaimedConformance,
  finishing: Finishing | undefined,
  signal: AbortSignal,
) => Promise<FinishedPdf>;

/** A thread that finishes PDFs. Few documents need it, so it starts with the first one. */
export class FinishThread {
  readonly #thread = new OnDemandThread<FinishRequest, Omit<FinishedPdf, 'bytes'> & { bytes: Uint8Array }>(
    'finish-thread',
    HEAP_MIB_MAX,
  );

  finish: Finish = async (bytes, claims, finishing, signal) => {
    const tooComplex = (why: string): string => `The PDF takes ${why} to finish.`;
    const finished = await this.#thread.ask({ bytes, claims, finishing }, { signal, tooComplex });
    return { ...finished, bytes: asBuffer(finished.bytes) };
  };

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
