import { type Inspector, openPackage, WORD_MAIN_TYPES, writePackage } from '@scriptorium/ooxml/package';

const KIND = 'aFChunk';

/** What the caller wants done to a Word document inside of another, as to that one. */
export type ChangeChunk = (bytes: Buffer) => Promise<Buffer>;

/**
 * Content in another format that a document asks the reader to put in its place (ECMA-376-1 §17.17.2.1). A Word document
 * in it goes through the sanitizer itself, with `inside`, after `change` was made to it; HTML, RTF and all else are taken out.
 */
export function alternativeContents(inside: () => Inspector[], change: ChangeChunk): Inspector {
  const keys = new Set<string>();
  /** Parts that were let through as something else. */
  const others = new Set<string>();
  return {
    keepsRelationship({ kind, isExternal, part, target }, source, dropped) {
      if (kind !== KIND || isExternal || part === undefined) return true;
      if (others.has(part)) {
        dropped.push({ what: 'alternative content', part: source?.name ?? '', detail: target });
        return false;
      }
      keys.add(part);
      return true;
    },
    async keepsPart(part, dropped, budget) {
      if (!keys.has(part.key)) {
        others.add(part.key);
        return true;
      }
      if (!WORD_MAIN_TYPES.has(part.contentType)) {
        dropped.push({ what: 'alternative content', part: part.name, detail: part.contentType });
        return false;
      }
      const chunk = await openPackage(await change(part.bytes), inside(), budget);
      // Not by spreading: there can be more than a call takes arguments.
      for (const item of chunk.dropped) dropped.push(item);
      part.bytes = writePackage(chunk, { isCompressed: false });
      part.contentType = chunk.main.contentType;
      delete part.entry;
      return true;
    },
  };
}

/** Takes out all of it: in what is itself such content. */
export function noAlternativeContents(): Inspector {
  return {
    keepsRelationship({ kind, isExternal, target }, source, dropped) {
      if (kind !== KIND || isExternal) return true;
      dropped.push({ what: 'alternative content', part: source?.name ?? '', detail: target });
      return false;
    },
  };
}
