import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import type { Row } from '../../src/batches/row.ts';
import { type BatchTask, runBatch } from '../../src/batches/run-batch.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const ROWS = 400;
/** Rows that may be in work, and what an engine keeps of the last calls. */
const HELD_MAX = 50;

test('a batch holds no row that was answered', async () => {
  const received: WeakRef<object>[] = [];
  let held = ROWS;
  async function* rows() {
    for (let number = 0; number < ROWS; number++) {
      const row = { value: { number } };
      received.push(new WeakRef(row));
      yield row;
      // A weak reference holds what it names until the end of the turn.
      await turn();
    }
    collectGarbage();
    held = received.filter((row) => row.deref() !== undefined).length;
  }
  const unused = { compared: undefined, checked: undefined, isRefused: undefined, runMs: 1 };
  const task = {
    options: { onError: 'continue', order: 'finished' },
    ...{ rows: rows(), rowsMax: ROWS, start: undefined, isConverted: false, standing: {} },
    ...{ signal: new AbortController().signal, closing: new AbortController().signal },
    output: {
      load: async (outcome: object) => outcome,
      row: async () => undefined,
      end: async () => undefined,
      unblocked: async () => undefined,
    },
    packs: {
      run: async (pack: readonly Row[]) => ({
        ...{ outcomes: pack.map((row) => ({ row, document: Buffer.alloc(1), reply: undefined })) },
        ...{ again: [], plain: [], ...unused },
      }),
      checkTemplate: async () => undefined,
    },
    readRow: async (index: number): Promise<Row> => ({
      index,
      filling: { kind: 'data', json: Buffer.from('{}'), images: undefined },
    }),
    packsMax: () => 2,
    takeRows: async () => undefined,
    ...{ onFailure: () => undefined, onDifference: () => undefined },
    ...{ onWritten: () => undefined, onBytes: () => undefined },
  } as unknown as BatchTask;
  expect(await runBatch(task)).toMatchObject({ summary: { rows: ROWS, done: ROWS } });
  expect(held).toBeLessThan(HELD_MAX);
});
