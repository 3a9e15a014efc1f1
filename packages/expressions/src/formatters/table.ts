import { DATES } from './dates.ts';
import type { Formatter } from './formatter.ts';
import { LISTS } from './lists.ts';
import { NET } from './net.ts';
import { NUMBERS } from './numbers.ts';
import { TEXTS } from './texts.ts';
import { SWITCHES } from './word-switches.ts';

const FORMATTERS: readonly Formatter[] = [...NUMBERS, ...DATES, ...TEXTS, ...LISTS];

const byName = new Map<string, Formatter>(
  [...FORMATTERS, ...SWITCHES, NET].flatMap((formatter) =>
    [formatter.name, ...(formatter.aliases ?? [])].map((name): [string, Formatter] => [name, formatter]),
  ),
);

export function formatterNamed(name: string): Formatter | undefined {
  return byName.get(name);
}

/** Each formatter that templates can name: its name first, then its aliases. */
export function formatterNames(): string[][] {
  return FORMATTERS.map(({ name, aliases = [] }) => [name, ...aliases]);
}

const DISTANCE_MAX = 2;
const NAME_CHARS_MAX = 30;

/** The known name with the fewest changes of a letter from another name, if it needs two at most. */
export function nearName(wanted: string, distanceMax = DISTANCE_MAX): string | undefined {
  if (wanted.length > NAME_CHARS_MAX) return undefined;
  let best: string | undefined;
  let least = Math.min(distanceMax, Math.floor(wanted.length / 3)) + 1;
  for (const name of formatterNames().flat()) {
    const distance = distanceOf(wanted.toLowerCase(), name.toLowerCase());
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/** Levenshtein's distance. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
