import type { Tag, TagReading } from '../dialects/dialect.ts';
import { dialectFor, type TextSyntax } from '../dialects/dialects.ts';
import type { Choice } from './decision.ts';
import type { Lexeme } from './lexer.ts';
import { signerMark } from './signer-marks.ts';
import type { Extent } from './trim.ts';

/** A choice that takes a mark. */
export type Taken = Exclude<Choice, undefined | { issue: string }>;

/** The text of a mark for its language, and where it stands. */
export function tagOf(
  found: Lexeme,
  { form, takesDollar, inner = 'inner' in found ? found.inner : '' }: Taken,
): Extent & { tag: Tag } {
  const start = takesDollar === true ? found.start - 1 : found.start;
  const tag: Tag = { form: found.kind === 'row' ? 'row' : form, inner };
  return { start, end: found.end, tag };
}

/** No expression is longer. A brace without a partner must not cost more than its text. */
const TAG_CHARS_MAX = 2_000;
const TOO_LONG: TagReading = { issue: `The tag has more than ${TAG_CHARS_MAX} characters` };

function lengthOf(candidate: { tag: Tag } | undefined): number {
  return candidate?.tag.form === 'comment' ? 0 : (candidate?.tag.inner.length ?? 0);
}

/** Reads the marks of each language together. */
export function readAll(candidates: readonly { syntax: TextSyntax; tag: Tag }[]): TagReading[] {
  const readings: TagReading[] = [];
  const bySyntax = new Map<TextSyntax, number[]>();
  for (const [index, { syntax, tag }] of candidates.entries()) {
    const reading = tag.form === 'tag' ? signerMark(tag.inner) : undefined;
    if (reading !== undefined) {
      readings[index] = reading;
      continue;
    }
    const known = bySyntax.get(syntax);
    if (known === undefined) bySyntax.set(syntax, [index]);
    else known.push(index);
  }
  for (const [syntax, indexes] of bySyntax) {
    const short = indexes.filter((index) => lengthOf(candidates[index]) <= TAG_CHARS_MAX);
    const read = dialectFor(syntax).read(short.map((index) => (candidates[index] as { tag: Tag }).tag));
    for (const index of indexes) readings[index] = TOO_LONG;
    for (const [at, index] of short.entries()) readings[index] = read[at] as TagReading;
  }
  return readings;
}
