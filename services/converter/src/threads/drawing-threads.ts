import { asBuffer } from '@scriptorium/shared/threads/thread';
import type { DrawingRequest } from './drawing-thread.ts';
import { OnDemandThread } from './on-demand.ts';

/** Of the heap; neither pixels nor the memory of PDFium are part of it. */
const HEAP_MIB_MAX = 256;

/** Draws the first page of a PDF as PNG. Rejects with VALIDATION_ERROR if it has too many pixels. */
export type Draw = (pdf: Uint8Array, dpi: number, signal: AbortSignal) => Promise<Buffer>;

/** A thread that draws pages. Few documents need it, so it starts with the first one. */
export class DrawingThread {
  readonly #thread = new OnDemandThread<DrawingRequest, Uint8Array>('drawing-thread', HEAP_MIB_MAX);

  draw: Draw = async (pdf, dpi, signal) => {
    const tooComplex = (why: string): string => `The page takes ${why} to draw.`;
    return asBuffer(await this.#thread.ask({ pdf, dpi }, { signal, tooComplex }));
  };

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
