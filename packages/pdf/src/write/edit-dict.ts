import type { Dict } from '../read/values.ts';
import { malformed } from '../refusals.ts';
import { pdfName } from './serialise.ts';

/**
 * The bytes of a dictionary as they are, but for the keys in `changes`: these get a new value, or are taken out where
 * it is undefined. latin1. A changed key that stands there twice is refused: readers differ in which they take.
 */
export function editDict(dict: Dict, changes: Readonly<Record<string, string | undefined>>): string {
  const keys = Object.keys(changes);
  const repeated = dict.repeatedKeys.find((key) => keys.includes(key));
  if (repeated !== undefined) throw malformed(`a dictionary has /${repeated} twice`);
  const kept = keys
    .map((key) => ({ key, entry: dict.entries.get(key) }))
    .filter(({ entry }) => entry !== undefined)
    .sort((a, b) => (a.entry?.start ?? 0) - (b.entry?.start ?? 0));
  let text = '';
  let from = dict.start;
  for (const { key, entry } of kept) {
    if (!entry) continue;
    text += `${dict.source.toString('latin1', from, entry.start)} ${changes[key] ?? 'null'} `;
    from = entry.end;
  }
  text += dict.source.toString('latin1', from, dict.end - 2);
  for (const key of keys) {
    if (!dict.entries.has(key) && changes[key] !== undefined) text += `${pdfName(key)} ${changes[key]}`;
  }
  return `${text}>>`;
}
