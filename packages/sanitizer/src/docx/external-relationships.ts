import type { Inspector } from '@scriptorium/ooxml/package';
import { isSafeLink } from '@scriptorium/ooxml/package';

/** Removes every external relationship except hyperlinks, which are not followed. */
export function externalRelationships(): Inspector {
  return {
    keepsRelationship({ kind, isExternal, part, target }, source, dropped) {
      const isLink = kind === 'hyperlink';
      // A hyperlink that leads to no part is a link too, even if it is not marked as external.
      if (!isExternal && (part !== undefined || !isLink)) return true;
      if (isLink && isSafeLink(target)) return true;
      const what = isLink ? 'unsafe link' : 'external relationship';
      dropped.push({ what, part: source?.name ?? '', detail: target });
      return false;
    },
  };
}
