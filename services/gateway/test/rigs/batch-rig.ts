import { expect } from '@jest/globals';
import type { Rig } from './rig.ts';
import { docx, inBase64 } from './signing-rig.ts';

export const document = inBase64(docx);

/** A line of the answer. */
export interface Line {
  index?: number;
  id?: string | number;
  document?: { base64: string; contentType: string };
  report?: object;
  error?: { code: string; error: string; message: string; details?: { field: string; issue: string }[] };
  summary?: { rows: number; done: number; failed: number };
  nextIndex?: number;
  answered?: number[];
}

export const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `row ${index}`, data: { number: index } }));

/** Sends a batch as a stream of lines. */
export function stream(
  rig: Rig,
  key: string,
  body: string | ReadableStream<Uint8Array>,
  { query = '', signal }: { query?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${rig.url}/v1/batches${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body,
    duplex: 'half',
    signal: signal ?? null,
  } as RequestInit);
}

export const linesOf = (head: object, rows: readonly object[]): string =>
  [{ document, ...head }, ...rows].map((line) => `${JSON.stringify(line)}\n`).join('');

export async function answerOf(response: Response): Promise<Line[]> {
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  return (await response.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** The text of the document of a line. */
export function textIn({ document: made }: Line): string {
  const prefix = `data:${made?.contentType};base64,`;
  expect(made?.base64.slice(0, prefix.length)).toBe(prefix);
  return Buffer.from(made?.base64.slice(prefix.length) ?? '', 'base64').toString();
}

/** Expects each row exactly once, and a summary of these counts. */
export function expectWhole(lines: readonly Line[], rows: number, failed = 0): void {
  const last = lines.at(-1);
  expect(last).toMatchObject({ summary: { rows, done: rows - failed, failed } });
  const indexes = lines.slice(0, -1).map(({ index }) => index ?? -1);
  expect(indexes.sort((one, other) => one - other)).toEqual(Array.from({ length: rows }, (_, at) => at));
}
