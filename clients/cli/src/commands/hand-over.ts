import type { Filled, Made } from '@scriptorium/client';
import { CliError, EXIT } from '../cli-error.ts';
import type { Call } from '../command.ts';
import { say } from '../io.ts';
import { deliver, targetsOf } from '../outputs.ts';
import type { SentFile } from '../sources.ts';

type Result = Made &
  Partial<Pick<Filled, 'unmatched' | 'unused' | 'remaining'>> & { warnings?: readonly unknown[] };

/**
 * Makes one document and writes it to where the user wants it. The place is checked before the document is made. `name` is the
 * name that the document has in a folder.
 */
export async function handOver(
  call: Call,
  sources: readonly SentFile[],
  name: string,
  make: () => Promise<Made>,
): Promise<number> {
  const { io } = call;
  const [target = 'stdout'] = await targetsOf(io, call.text('output'), [name], sources);
  if (call.isJson && target === 'stdout') throw new CliError('USAGE', '--json needs a file with -o.');
  const { bytes, ...facts } = (await make()) as Result;
  await deliver(io, target, bytes);
  const output = target === 'stdout' ? '-' : target.path;
  if (call.isJson) io.stdout.write(`${JSON.stringify({ output, ...facts })}\n`);
  else sayLosses(call, facts);
  return EXIT.ok;
}

/** Says what the document may lack. It goes to the error output, because the document may go to the other. */
function sayLosses(
  { io }: Call,
  { unmatched, unused, remaining = 0, warnings = [] }: Omit<Result, 'bytes'>,
): void {
  if (unmatched !== undefined && unmatched.count > 0)
    say(
      io.stderr,
      `warning: ${unmatched.count} values have no place or are missing: ${unmatched.names.join(', ')}`,
    );
  if (unused !== undefined && unused.count > 0)
    say(io.stderr, `warning: no mark reads ${unused.count} values of the data: ${unused.names.join(', ')}`);
  if (remaining > 0)
    say(io.stderr, `warning: ${remaining} marks are still in the text; generate fills loops and conditions`);
  for (const warning of warnings) say(io.stderr, `warning: ${textOf(warning)}`);
}

const textOf = (warning: unknown): string => {
  if (typeof warning !== 'object' || warning === null) return String(warning);
  const { code, message } = warning as { code?: string; message?: string };
  return `${code}: ${message}`;
};
