import type { BatchHead, BatchLine, BatchRow } from './api-types.gen.ts';
import { ScriptoriumError } from './error.ts';
import { bytesOf } from './input.ts';
import type { CallOptions, Transport } from './transport.ts';

/** The rows of one request: few enough for a JSON body, and many enough for the workers. */
const ROWS_MAX = 200;
const CHARS_MAX = 4_000_000;

export type BatchOptions = Omit<BatchHead, 'document'> & CallOptions & { to?: 'docx' | 'pdf' };

export type Rows = AsyncIterable<BatchRow> | Iterable<BatchRow>;
type Line = Extract<BatchLine, { index: number }>;
type MadeRow = Extract<Line, { document: object }>;

/** The document of a row, or why there is none. `index` counts the rows from 0. */
export type BatchResult = { index: number; id?: string | number } & (
  | ({ bytes: Uint8Array<ArrayBuffer> } & Omit<MadeRow, 'document' | 'index' | 'id'>)
  | { error: ScriptoriumError }
);

/**
 * Makes a document of each row. The next rows are read when the results of those before are taken. Results come as they are ready.
 * Rows that the service did not answer are sent again.
 */
export async function* makeBatch(
  transport: Transport,
  document: BatchHead['document'],
  rows: Rows,
  { to, signal, ...head }: BatchOptions,
): AsyncGenerator<BatchResult> {
  const waiting = new Map<number, BatchRow>();
  let [count, chars, isStopped] = [0, 0, false];
  const flush = async function* (): AsyncGenerator<BatchResult> {
    for (let attempt = 0; waiting.size > 0; attempt++) {
      const sent = [...waiting];
      const body = { ...head, document, rows: sent.map(([, row]) => row) };
      const call = { path: '/v1/batches', query: { to, output: 'ndjson' }, body, signal };
      try {
        for await (const line of linesOf(await transport.send(call, async (response) => response))) {
          if ('summary' in line) isStopped = waiting.size > 0;
          else if (!('index' in line)) throw new ScriptoriumError(line.error);
          else {
            const [index = -1] = sent[line.index] ?? [];
            if (!waiting.delete(index)) continue;
            attempt = -1;
            yield resultOf(line, index);
          }
        }
        if (isStopped) waiting.clear();
        if (waiting.size > 0) throw cutOff();
      } catch (error) {
        await transport.pause(error, Math.max(0, attempt), signal);
      }
    }
    chars = 0;
  };
  for await (const row of rows) {
    waiting.set(count++, row);
    chars += JSON.stringify(row).length;
    if (waiting.size >= ROWS_MAX || chars >= CHARS_MAX) yield* flush();
    if (isStopped) return;
  }
  yield* flush();
}

const cutOff = (cause?: unknown) =>
  new ScriptoriumError({ code: 'CONNECTION_FAILED', message: 'The answer is not whole.' }, { cause });

function resultOf({ index: _, ...line }: Line, index: number): BatchResult {
  if ('error' in line) return { ...line, index, error: new ScriptoriumError(line.error) };
  const { document, ...rest } = line;
  return { ...rest, index, bytes: bytesOf(document) };
}

async function* linesOf({ body }: Response): AsyncGenerator<BatchLine> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
      const lines = (text + part.value).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line) as BatchLine;
    }
  } catch (error) {
    throw cutOff(error);
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}
