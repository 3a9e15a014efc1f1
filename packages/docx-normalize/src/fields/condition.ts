import { compare, numberIn } from './formula.ts';

/** Word's own limit is 128. */
const PATTERN_CHARS_MAX = 255;
const PLAIN = { '.': /^\s*-?\d+(?:\.\d+)?\s*$/, ',': /^\s*-?\d+(?:,\d+)?\s*$/ } as const;

/**
 * Compares as numbers if both are, otherwise as texts, with `*` and `?` in the second one. Undefined if the second one
 * is such a pattern, and longer than any that Word has.
 */
export function holds(
  left: string,
  operator: string,
  right: string,
  decimal: '.' | ',',
): boolean | undefined {
  const plain = PLAIN[decimal];
  if (plain.test(left) && plain.test(right))
    return compare(numberIn(left, decimal) ?? 0, operator, numberIn(right, decimal) ?? 0);
  if (/[*?]/.test(right) && (operator === '=' || operator === '<>')) {
    if (right.length > PATTERN_CHARS_MAX) return undefined;
    return matches(left, right) === (operator === '=');
  }
  return compare(left, operator, right);
}

/** `*` stands for any characters and `?` for one. */
function matches(text: string, pattern: string): boolean {
  let [at, in_, star, from] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[in_] === '*') [star, from, in_] = [in_, at, in_ + 1];
    else if (in_ < pattern.length && (pattern[in_] === '?' || pattern[in_] === text[at]))
      [at, in_] = [at + 1, in_ + 1];
    else if (star !== -1) [from, at, in_] = [from + 1, from + 1, star + 1];
    else return false;
  }
  return [...pattern.slice(in_)].every((char) => char === '*');
}
