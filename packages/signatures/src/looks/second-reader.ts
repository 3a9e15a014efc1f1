import type { RevisionComparison } from '@scriptorium/rendering/compare-revisions';
import type { TouchedPage } from './touched-pages.ts';

interface Planned {
  comparison: RevisionComparison & { pages: readonly TouchedPage[] };
  /** Pages that another plan compares. */
  lent: ReadonlyMap<number, Planned>;
}

/**
 * The comparisons of all plans for Poppler, in their order: those of sound plans, and of plans that lend pages to them. Others
 * have no pages.
 */
export function countedBySecond(plans: readonly Planned[], sound: readonly Planned[]): RevisionComparison[] {
  const needed = new Set(sound.flatMap((plan) => [plan, ...plan.lent.values()]));
  return plans.map((plan) => {
    const { comparison } = plan;
    return { ...comparison, pages: needed.has(plan) ? comparison.pages.map(counted) : [] };
  });
}

/** A page with the numbers that Poppler gives to annotations. What it draws is seen, so no area is unsure. */
function counted({ uncounted, ...page }: TouchedPage) {
  return {
    ...page,
    fields: countedOf(page.fields, uncounted.before),
    annotations: countedOf(page.annotations, uncounted.before),
    added: countedOf(page.added, uncounted.now),
    unsure: [],
  };
}

/** Both are in ascending order. */
function countedOf(indices: readonly number[], uncounted: readonly number[]): number[] {
  const left = new Set(uncounted);
  let before = 0;
  return indices.flatMap((index) => {
    while (before < uncounted.length && (uncounted[before] ?? 0) < index) before++;
    return left.has(index) ? [] : [index - before];
  });
}
