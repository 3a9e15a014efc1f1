import type { MergeWarning } from '@scriptorium/contracts/jobs/merge';

const WARNINGS_MAX = 100;
/** The next step carries them in its queue entry. */
const WARNING_BYTES_MAX = 24 * 1024;

/** Returns the warnings that fit into a queue entry. The last one says how many do not. */
export function fittingWarnings(all: readonly MergeWarning[]): MergeWarning[] {
  const fitting: MergeWarning[] = [];
  let bytes = 0;
  for (const warning of all) {
    bytes += Buffer.byteLength(JSON.stringify(warning));
    if (fitting.length === WARNINGS_MAX || bytes > WARNING_BYTES_MAX) break;
    fitting.push(warning);
  }
  const rest = all.length - fitting.length;
  if (rest > 0)
    fitting.push({
      code: 'MORE_WARNINGS',
      message: `There are more warnings than an answer lists: ${rest} more.`,
    });
  return fitting;
}
