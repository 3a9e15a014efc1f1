import { createHash } from 'node:crypto';
import type { Template } from './template.ts';

/** Above these sizes, objects that refer to each other in circles are not compared; the costs are their product. */
const MEMBERS_MAX = 64;
const REFERENCES_MAX = 4_096;

/** An object of a ring; the numbers in its template are members of the ring. */
export interface RingMember {
  num: number;
  template: Template;
  data: Buffer | undefined;
}

const hashed = (...parts: (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) {
    if (typeof part === 'string') hash.update(part, 'latin1');
    else hash.update(part);
  }
  return hash.digest('base64');
};

/**
 * Returns for each member a name of its content, in which references lead to contents. Members of this or another ring have the
 * same name if no path of references from them ever leads to different content. Two different rings of `n` members get different
 * names by `2n` refinements at the most (Hopcroft and Karp 1971). Returns undefined if the ring is too large.
 */
export function equalClasses(members: readonly RingMember[]): ReadonlyMap<number, string> | undefined {
  let references = 0;
  const own = members.map(({ num, template, data }) => {
    const targets = template.filter((piece) => typeof piece === 'number');
    references += targets.length;
    const text = template.map((piece) => (typeof piece === 'number' ? '\0' : piece)).join('');
    return { num, targets, hash: hashed(text, ...(data ? ['\nstream\n', data] : [])) };
  });
  if (members.length > MEMBERS_MAX || references > REFERENCES_MAX) return undefined;
  let names = new Map(own.map(({ num, hash }) => [num, hash]));
  for (let round = 0; round < 2 * members.length; round++) {
    const before = names;
    names = new Map(
      own.map(({ num, targets, hash }) => [
        num,
        hashed(hash, ...targets.map((target) => before.get(target) ?? '')),
      ]),
    );
  }
  return new Map([...names].map(([num, name]) => [num, hashed(`ring of ${members.length} `, name)]));
}
