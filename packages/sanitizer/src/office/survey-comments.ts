import type { Budget } from '@scriptorium/ooxml/bounds';
import type { Inspector, OoxmlPackage } from '@scriptorium/ooxml/package';
import { unpackEntry } from '@scriptorium/ooxml/zip';

/** Comments of cells and of slides. The threads of newer programs repeat those of cells. */
const KINDS = new Set(['comments']);
const COMMENT = /<(?:\w+:)?(?:comment|cm)[\s>]/g;

/** Counts comments, which are not kept. */
export function surveyComments(): {
  inspector: Inspector;
  count(document: OoxmlPackage, budget: Budget): number;
} {
  const parts = new Set<string>();
  const inspector: Inspector = {
    keepsRelationship({ kind, part }) {
      if (part !== undefined && KINDS.has(kind)) parts.add(part);
      return true;
    },
  };
  const count = ({ archive }: OoxmlPackage, budget: Budget) => {
    let sum = 0;
    for (const key of parts) {
      const entry = archive.get(key);
      if (entry === undefined) continue;
      sum += unpackEntry(entry, budget).toString('latin1').match(COMMENT)?.length ?? 0;
    }
    return sum;
  };
  return { inspector, count };
}
