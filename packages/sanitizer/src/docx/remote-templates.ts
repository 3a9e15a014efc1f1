import type { Inspector } from '@scriptorium/ooxml/package';

/** Removes the reference to the document's template, which a reader would load from any location. */
export function remoteTemplates(): Inspector {
  return {
    keepsRelationship({ kind, target }, source, dropped) {
      if (kind !== 'attachedTemplate') return true;
      dropped.push({ what: 'remote template', part: source?.name ?? '', detail: target });
      return false;
    },
  };
}
