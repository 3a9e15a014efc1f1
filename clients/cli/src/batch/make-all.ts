import { join } from 'node:path';
import type { BatchOptions, Scriptorium } from '@scriptorium/client';
import { type Fault, faultOf } from '../cli-error.ts';
import { replaceFile } from '../outputs.ts';
import { fileNameOf, type InputRow } from './input-rows.ts';
import type { Journal } from './journal.ts';

/** What became of a row. */
export type Outcome = { row: number } & (
  | { file: string; filled: number; unmatched: number; unused: number; warnings: readonly string[] }
  | { error: Fault }
);

export interface Counts {
  /** Rows whose documents were there already. */
  before: number;
  made: number;
  failed: number;
}

interface Batch {
  client: Scriptorium;
  template: File;
  rows: AsyncIterable<InputRow>;
  folder: string;
  to: 'docx' | 'pdf';
  journal: Journal;
  options: BatchOptions;
  /** Is called after each row. */
  report(outcome: Outcome | undefined, counts: Counts): void;
}

/** Makes the documents of the rows that have none, and stores each as it comes. `counts` are right also if it throws. */
export async function makeAll(batch: Batch, counts: Counts): Promise<void> {
  const { client, template, folder, to, journal, options, report } = batch;
  /** The rows that were sent, by their index. There are at most as many as the client sends at once. */
  const sent = new Map<number, InputRow>();
  async function* missing() {
    let index = 0;
    for await (const row of batch.rows)
      if (await journal.has(row)) {
        counts.before++;
        report(undefined, counts);
      } else {
        sent.set(index++, row);
        yield row.row;
      }
  }
  for await (const result of client.batch(template, missing(), { ...options, to })) {
    const row = sent.get(result.index);
    if (row === undefined) continue;
    sent.delete(result.index);
    if ('error' in result) {
      counts.failed++;
      report({ row: row.number, error: faultOf(result.error) }, counts);
      continue;
    }
    const file = fileNameOf(row, to);
    await replaceFile(join(folder, file), result.bytes);
    await journal.add(row, file, result.bytes.length);
    counts.made++;
    const { filled, warnings = [], ...own } = result.report;
    const [unmatched, unused] = [own.unmatched?.count ?? 0, own.unused?.count ?? 0];
    report({ row: row.number, file, filled, unmatched, unused, warnings }, counts);
  }
}
