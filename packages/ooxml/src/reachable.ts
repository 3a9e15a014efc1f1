import type { OoxmlPackage } from './package.ts';

/** Removes the parts to which nothing leads any more. */
export function removeUnreachable({ parts, relationships }: OoxmlPackage): void {
  const reached = new Set<string>();
  const waiting = [...relationships.list];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.part === undefined || reached.has(next.part)) continue;
    reached.add(next.part);
    for (const relationship of parts.get(next.part)?.relationships.list ?? []) waiting.push(relationship);
  }
  for (const key of parts.keys()) if (!reached.has(key)) parts.delete(key);
}
