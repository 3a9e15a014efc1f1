import type { RevisionComparison } from '@scriptorium/rendering/compare-revisions';
import type { TouchedPage } from './touched-pages.ts';

interface Planned {
  comparison: RevisionComparison & { pages: readonly TouchedPage[] };
  /** Pages that another plan compares. */
  lent: ReadonlyMap<number, Planned>;
}

/**
 * The comparisons of all plans for Poppler, in their order: those of sound plans, of every page, and of plans that lend pages
 * to them. Others have no pages.
 */
export function countedBySecond(plans: readonly Planned[], sound: readonly Planned[]): RevisionComparison[] {
  const lenders = new Set(sound.flatMap(({ lent }) => [...lent.values()]));
  return plans.map((plan) => {
    const { before, now, pages } = plan.comparison;
    const isSound = sound.includes(plan);
    const counts = isSound || lenders.has(plan) ? pages.map(counted) : [];
    return { before, now, pages: counts, ...(isSound && { everyPageBut: [...plan.lent.keys()] }) };
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
