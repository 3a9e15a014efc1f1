import { expect, test } from '@jest/globals';
import { finishPack } from '../../src/batches/attempts.ts';
import type { Outcome } from '../../src/batches/pack-client.ts';
import type { Row } from '../../src/batches/row.ts';

const rowOf = (index: number) => ({ index }) as Row;
const error = {
  code: 'UNAVAILABLE',
  error: 'Service Unavailable',
  message: 'The engine was killed.',
} as const;

test('a row that kills its engine each time is sent again after pauses that grow, beside rows that are made', async () => {
  const sent: number[][] = [];
  const delivered: Outcome[] = [];
  const run = async (rows: readonly Row[]) => {
    sent.push(rows.map(({ index }) => index));
    const outcomes = rows.map(
      (row): Outcome =>
        row.index === 1
          ? { row, error }
          : { row, document: Buffer.from('x'), report: {} as never, conversion: undefined, reply: undefined },
    );
    return { outcomes, again: [], plain: [], compared: undefined, runMs: 1 };
  };
  const parts = {
    packs: { run },
    standing: { restore: async () => undefined },
    signal: new AbortController().signal,
    checked: [],
    onFailure: () => undefined,
  };
  await finishPack(
    [rowOf(0), rowOf(1)],
    'plain',
    (outcome) => delivered.push(outcome),
    parts,
    Date.now() + 2_000,
  );
  // After 0.1, 0.3 and 0.9 s: the next pause would end too late.
  expect(sent).toEqual([[0, 1], [1], [1], [1]]);
  expect(delivered.map(({ row, ...end }) => [row.index, 'error' in end])).toEqual([
    [0, false],
    [1, true],
  ]);
});
