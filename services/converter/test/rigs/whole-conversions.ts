import { conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { type Converted, type ConvertParts, convert } from '../../src/conversion/convert.ts';
import { systemFonts } from '../../src/conversion/fonts.ts';
import { SourceRouter } from '../../src/engines/kit/source-router.ts';
import { drawingThread, finishThread } from '../../src/threads/threads.ts';

/** Converts documents the whole way of a converter, but for its sanitizer threads. */
export function wholeConversions() {
  const engine = new SourceRouter({ zygotes: 1 });
  const [finishing, drawing] = [finishThread({ threads: 1 }), drawingThread({ threads: 1 })];
  return {
    start: () => engine.start(),
    close: () => Promise.all([engine.close(), finishing.close(), drawing.close()]),
    /** `preparations` says how often the document was sanitized. */
    async convert(document: Buffer, query: object): Promise<Converted & { preparations: number }> {
      const options = conversion.parse(convertOptions.parse(query));
      let preparations = 0;
      const parts: ConvertParts = {
        engines: [engine],
        prepare({ bytes, options: asked }) {
          preparations += 1;
          return prepare(Buffer.from(bytes), asked);
        },
        fonts: systemFonts(),
        finish: finishing.finish,
        draw: drawing.draw,
        onRemoved: () => undefined,
      };
      const { signal } = new AbortController();
      // A worker passes functions, too: no thread may get them.
      const context = { signal, deadlineAt: Date.now() + 60_000, onStart: () => undefined };
      return { ...(await convert(parts, document, options, context)), preparations };
    },
  };
}
