import type { Inspector } from '@scriptorium/ooxml/package';

/** Takes out the template that a document was made from: it would be loaded, from wherever it lies. */
export function remoteTemplates(): Inspector {
  return {
    keepsRelationship({ kind, target }, source, dropped) {
      if (kind !== 'attachedTemplate') return true;
      dropped.push({ what: 'remote template', part: source?.name ?? '', detail: target });
      return false;
    },
  };
}
