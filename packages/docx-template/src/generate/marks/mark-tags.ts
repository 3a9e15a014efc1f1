import type { Tag, TagReading } from '../dialects/dialect.ts';
import { dialectFor, type TextSyntax } from '../dialects/dialects.ts';
import type { Lexeme } from './lexer.ts';
import type { Extent } from './trim.ts';
import type { Choice } from './usage.ts';

/** A choice that takes a mark. */
export type Taken = Exclude<Choice, undefined | { issue: string }>;

/** The text of a mark for its language, and where it stands. */
export function tagOf(found: Lexeme, { form, takesDollar }: Taken): Extent & { tag: Tag } {
  const inner = 'inner' in found ? found.inner : '';
  const start = takesDollar === true ? found.start - 1 : found.start;
  const tag: Tag = { form: found.kind === 'row' ? 'row' : form, inner };
  return { start, end: found.end, tag };
}

/** Reads the marks of each language together. */
export function readAll(candidates: readonly { syntax: TextSyntax; tag: Tag }[]): TagReading[] {
  const readings: TagReading[] = [];
  const bySyntax = new Map<TextSyntax, number[]>();
  for (const [index, { syntax }] of candidates.entries()) {
    const known = bySyntax.get(syntax);
    if (known === undefined) bySyntax.set(syntax, [index]);
    else known.push(index);
  }
  for (const [syntax, indexes] of bySyntax) {
    const read = dialectFor(syntax).read(indexes.map((index) => (candidates[index] as { tag: Tag }).tag));
    for (const [at, index] of indexes.entries()) readings[index] = read[at] as TagReading;
  }
  return readings;
}
