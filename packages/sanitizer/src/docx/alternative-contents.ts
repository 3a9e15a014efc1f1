import {
  type Dropped,
  type Inspector,
  openPackage,
  type Part,
  WORD_MAIN_TYPES,
  writePackage,
} from '@scriptorium/ooxml/package';

const KIND = 'aFChunk';

/** The change that the caller makes to a document, applied also to a Word document inside it. */
export type ChangeChunk = (bytes: Buffer) => Promise<Buffer>;

/** Rewrites content of another format. Undefined removes it. */
export type VetOther = (part: Part) => Promise<{ bytes: Buffer; dropped: readonly Dropped[] } | undefined>;

/**
 * Handles content in another format that the reader imports (ECMA-376-1 §17.17.2.1). A Word document is changed with
 * `change` and then sanitized with `inside`. Other formats are what `vetOther` makes of them.
 */
export function alternativeContents(
  inside: () => Inspector[],
  change: ChangeChunk,
  vetOther: VetOther = async () => undefined,
): Inspector {
  const keys = new Set<string>();
  /** Parts that were kept as something else. */
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
        const vetted = await vetOther(part);
        const gone = { what: 'alternative content', part: part.name, detail: part.contentType } as const;
        for (const item of vetted?.dropped ?? [gone]) dropped.push(item);
        if (vetted) part.bytes = vetted.bytes;
        delete part.entry;
        return vetted !== undefined;
      }
      const chunk = await openPackage(await change(part.bytes), inside(), budget);
      // Spreading would exceed the maximum number of arguments.
      for (const item of chunk.dropped) dropped.push(item);
      part.bytes = writePackage(chunk, { isCompressed: false });
      part.contentType = chunk.main.contentType;
      delete part.entry;
      return true;
    },
  };
}

/** Removes all alternative content. Used inside alternative content. */
export function noAlternativeContents(): Inspector {
  return {
    keepsRelationship({ kind, isExternal, target }, source, dropped) {
      if (kind !== KIND || isExternal) return true;
      dropped.push({ what: 'alternative content', part: source?.name ?? '', detail: target });
      return false;
    },
  };
}
