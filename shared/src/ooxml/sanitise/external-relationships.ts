import type { Inspector } from '../open-package.ts';
import { isPlainLink } from './link-schemes.ts';

/** Takes out every relationship that leads outside, but hyperlinks, which are not followed. */
export function externalRelationships(): Inspector {
  return {
    keepsRelationship({ kind, isExternal, target }, source, dropped) {
      if (!isExternal) return true;
      const isLink = kind === 'hyperlink';
      if (isLink && isPlainLink(target)) return true;
      const what = isLink ? 'script link' : 'external relationship';
      dropped.push({ what, part: source?.name ?? '', detail: target });
      return false;
    },
  };
}
