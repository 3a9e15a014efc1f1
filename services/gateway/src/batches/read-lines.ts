import type { AppError } from '@scriptorium/contracts/errors';
import { BodyBytes, watchPace } from '../middleware/arriving-body.ts';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A line without its end, or the report that it was too long. */
export type Line = ({ bytes: Buffer } | { isTooLong: true }) & {
  /** The place behind it, counted from the first byte that was read. */
  end: number;
};

/** A line that is longer must keep the pace of a body. A shorter one may wait: rows come as the caller makes them. */
const UNHURRIED_BYTES = 64 * 1024;

/**
 * Reads the lines of a body one by one, as the caller of the iterator asks for them: the rest stays in the socket. It leaves
 * empty lines out. It keeps nothing from a line longer than `bytesMax`. Ends early, without an error, when the iteration stops.
 * Throws REQUEST_TIMEOUT for a long line that arrives too slowly. `charge` gets the bytes of the unfinished line that are kept.
 * Nothing is read until it resolves.
 */
export async function* readLines(
  chunks: AsyncIterator<Buffer, undefined>,
  bytesMax: number,
  charge: (bytes: number) => Promise<void>,
): AsyncGenerator<Line> {
  let fail: ((error: AppError) => void) | undefined;
  const pace = watchPace(
    () => fail !== undefined && size > UNHURRIED_BYTES,
    (error) => fail?.(error),
  );
  const next = async (): Promise<Buffer | undefined> => {
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Buffer, undefined>>();
    fail = reject;
    chunks.next().then(resolve, reject);
    const { value } = await promise;
    fail = undefined;
    pace.came(value?.length ?? 0);
    return value;
  };
  let started = new BodyBytes();
  let size = 0;
  let place = 0;
  const finish = (): Line[] => {
    const bytes = size > bytesMax ? undefined : withoutReturn(started.take());
    size = 0;
    pace.restart();
    started = new BodyBytes();
    if (bytes === undefined) return [{ isTooLong: true, end: place }];
    return bytes.length > 0 ? [{ bytes, end: place }] : [];
  };
  const add = (piece: Buffer): void => {
    size += piece.length;
    if (size > bytesMax) started.drop();
    else started.append(piece);
  };
  try {
    for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        place += end + 1 - start;
        start = end + 1;
        yield* finish();
      }
      add(chunk.subarray(start));
      place += chunk.length - start;
      await charge(started.length);
    }
    yield* finish();
  } finally {
    pace.stop();
    void chunks.return?.();
  }
}

/** The line as its own bytes. */
function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}
