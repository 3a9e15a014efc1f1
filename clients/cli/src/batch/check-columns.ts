import type { InspectRequest, Scriptorium } from '@scriptorium/client';
import { CliError } from '../cli-error.ts';
import { type Io, say } from '../io.ts';
import type { InputRow } from './input-rows.ts';

/**
 * Compares the first row of a table with its template, and says what does not meet. Throws DATA_INVALID if nothing of the
 * row is in the template: all documents would be equal.
 */
export async function checkColumns(
  io: Io,
  client: Scriptorium,
  template: File,
  rows: AsyncIterable<InputRow>,
  name: string,
): Promise<void> {
  const data = await firstDataOf(rows);
  if (data === undefined) return;
  const { template: found } = await client.inspect(template, { data, signal: io.signal });
  const { unused, unmatched } = found.data ?? {};
  const columnOf = (path: string): string => path.replace(/^data\./, '');
  const words = (names: readonly string[] = [], count = 0): string =>
    `${names.map(columnOf).join(', ')}${count > names.length ? ` and ${count - names.length} more` : ''}`;
  const columns = Object.keys(data);
  if (unused !== undefined && unused.count >= columns.length)
    throw new CliError(
      'DATA_INVALID',
      `The template reads none of the columns of ${name}: ${words(unused.names, unused.count)}. It needs: ${words(unmatched?.names, unmatched?.count) || 'nothing'}.`,
    );
  if (unused?.count) say(io.stderr, `No mark reads: ${words(unused.names, unused.count)}`);
  const lacking = unmatched?.names.filter((path) => !columns.includes(columnOf(path))) ?? [];
  if (lacking.length > 0) say(io.stderr, `${name} has no column for: ${words(lacking)}`);
}

async function firstDataOf(
  rows: AsyncIterable<InputRow>,
): Promise<Exclude<InspectRequest['data'], unknown[]> | undefined> {
  for await (const { row } of rows) {
    const { data } = row;
    return data === undefined || Array.isArray(data) || Object.keys(data).length === 0 ? undefined : data;
  }
  return undefined;
}
