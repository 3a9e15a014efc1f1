import type { BatchEnd, BatchOutput } from './outcomes.ts';
import type { Outcome } from './pack-client.ts';
import type { Position } from './place.ts';

/** A batch that is answered later: what it has in place of a caller. */
export interface BatchJob {
  /** Where it goes on. */
  start: Position;
  /** The bytes of its rows from that place on, if they are at an address. */
  rows: AsyncIterator<Buffer, undefined> | undefined;
  /** Where the document of each row goes. Without it, the answer has all of them. */
  output: BatchOutput | undefined;
  /** Is called for each row that is read. `end` is the place behind it among the bytes of the rows. */
  read(index: number, end: number): void;
  written(outcome: Outcome): void;
  /** Is called once, unless the batch fails. */
  ended(end: BatchEnd): void;
}
