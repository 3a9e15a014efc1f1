import type { Request } from 'express';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A line without its end, or the report that it was too long. */
export type Line = { bytes: Buffer } | { isTooLong: true };

/**
 * Reads the lines of a body one by one, as the caller of the iterator asks for them: the rest stays in the socket. It leaves
 * empty lines out. Of a line longer than `bytesMax`, nothing is kept. Ends early, without an error, when the iteration stops.
 */
export async function* readLines(request: Request, bytesMax: number): AsyncGenerator<Line> {
  let started: Buffer[] = [];
  let size = 0;
  // To destroy the request would destroy the connection before the answer is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      size += end - start;
      if (size > bytesMax) yield { isTooLong: true };
      else {
        const line = lineOf([...started, chunk.subarray(start, end)]);
        if (line.length > 0) yield { bytes: line };
      }
      started = [];
      size = 0;
      start = end + 1;
    }
    size += chunk.length - start;
    if (size > bytesMax) started = [];
    else if (start < chunk.length) started.push(chunk.subarray(start));
  }
  if (size > bytesMax) yield { isTooLong: true };
  else if (size > 0) {
    const line = lineOf(started);
    if (line.length > 0) yield { bytes: line };
  }
}

/** The line as its own bytes: a view would keep the whole chunk in memory. */
function lineOf(pieces: Buffer[]): Buffer {
  const line = Buffer.concat(pieces);
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}
