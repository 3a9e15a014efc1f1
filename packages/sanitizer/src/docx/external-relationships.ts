import type { Inspector } from '@scriptorium/ooxml/package';
import { isPlainLink } from './link-schemes.ts';

/** Takes out every relationship that leads outside, but hyperlinks, which are not followed. */
export function externalRelationships(): Inspector {
  return {
    keepsRelationship({ kind, isExternal, part, target }, source, dropped) {
      const isLink = kind === 'hyperlink';
      // One that leads to no part is a link too, whatever it calls itself.
      if (!isExternal && (part !== undefined || !isLink)) return true;
      if (isLink && isPlainLink(target)) return true;
      const what = isLink ? 'script link' : 'external relationship';
      dropped.push({ what, part: source?.name ?? '', detail: target });
      return false;
    },
  };
}
