import type { Fault } from '../evidence.ts';
import { skipSpace } from './read/characters.ts';
import type { PdfDocument } from './read/document.ts';
import { openPdf } from './read/open.ts';
import { assemble, findStartxref } from './read/xref.ts';
import type { PdfRevision } from './revision.ts';
import { readTail, type Tail } from './revision-end.ts';
import { type SectionGroup, sectionGroups } from './section-groups.ts';

/** Something about the file that speaks against the signatures before it. */
export interface Flaw extends Fault {
  /** Against signatures over revisions that end here or earlier: what lies before the end of a later one, that one covers. */
  position: number;
}

/** A revision, and where else its end may be taken to be: from behind its `%%EOF` to behind the white space that follows. */
export interface ReadRevision extends PdfRevision {
  marker: number;
  spaceEnd: number;
}

/** The revisions of a file, the oldest first; at least one. */
export interface RevisionHistory {
  revisions: ReadRevision[];
  flaws: Flaw[];
  /** The newest. */
  last: ReadRevision;
}

const broken = (position: number, message: string): Flaw => ({ code: 'STRUCTURE_BROKEN', position, message });

/**
 * The revisions of a PDF, by the chain of its cross-reference sections (ISO 32000-2, 7.5.6): each reads its own prefix of the file,
 * strictly, and when it is asked. Nothing is copied. What does not fit together is a flaw. Throws INVALID_FILE_FORMAT,
 * DOCUMENT_ENCRYPTED or DOCUMENT_TOO_COMPLEX as `openPdf` does.
 */
export function readRevisions(bytes: Buffer): RevisionHistory {
  const { document, isSearched } = openPdf(bytes);
  if (isSearched) return searched(document);
  const groups = sectionGroups(document);
  const flaws: Flaw[] = [];
  const revisions: ReadRevision[] = [];
  for (const [index, group] of groups.entries()) {
    const isNewest = index === groups.length - 1;
    const tail = isNewest ? newestTail(document, group) : readTail(bytes, group.end);
    const previousEnd = revisions.at(-1)?.end ?? 0;
    flaws.push(...groupFlaws(document, group, tail, previousEnd));
    // What has no end of its own counts for the next one that has.
    if (!isNewest && (!tail || group.start < previousEnd)) continue;
    revisions.push(revisionOf(document, group, isNewest, revisions.length + 1, tail));
  }
  return finished(revisions, flaws, document);
}

function finished(revisions: ReadRevision[], flaws: Flaw[], { bytes }: PdfDocument): RevisionHistory {
  const last = revisions.at(-1);
  if (!last) throw new Error('a file without a revision was read');
  if (last.spaceEnd < bytes.length) {
    flaws.push(broken(bytes.length, 'Bytes follow the end of the document that belong to nothing in it.'));
  }
  return { revisions, flaws, last };
}

function searched(document: PdfDocument): RevisionHistory {
  const end = document.bytes.length;
  const last = { number: 1, end, marker: end, spaceEnd: end, document };
  const message = 'The cross-reference data are broken: the objects of the file had to be searched for.';
  return { revisions: [last], flaws: [broken(end, message)], last };
}

/** The end of the file: nothing is behind it that readers, who look for the last `startxref`, would take instead. */
function newestTail({ bytes }: PdfDocument, group: SectionGroup): Tail | undefined {
  const tail = readTail(bytes, group.end);
  return tail?.keyword === findStartxref(bytes).position ? tail : undefined;
}

function groupFlaws(
  { bytes, base }: PdfDocument,
  { start, end, head, sections, isTwisted }: SectionGroup,
  tail: Tail | undefined,
  previousEnd: number,
): Flaw[] {
  const flaws: Flaw[] = [];
  const at = tail?.end ?? end;
  if (isTwisted || start < previousEnd) {
    flaws.push(broken(Math.max(at, previousEnd), 'The revisions of the file are not in their order.'));
  }
  if (!tail) flaws.push(broken(at, 'A revision does not end behind its cross-reference section.'));
  else if (skipSpace(bytes, base + tail.offset) !== head.start) {
    flaws.push(broken(at, 'A revision, read by itself, begins with another cross-reference section.'));
  }
  for (const { trailer } of sections) {
    if (trailer.repeatedKeys.length === 0) continue;
    flaws.push({
      code: 'DUPLICATE_KEY',
      position: at,
      message: 'The trailer of a revision has a key twice.',
    });
  }
  return flaws;
}

function revisionOf(
  document: PdfDocument,
  { index, head }: SectionGroup,
  isNewest: boolean,
  number: number,
  tail: Tail | undefined,
): ReadRevision {
  const { bytes, xref } = document;
  const { end, marker, spaceEnd } = tail ?? {
    end: bytes.length,
    marker: bytes.length,
    spaceEnd: bytes.length,
  };
  if (isNewest) return { number, end, marker, spaceEnd, document };
  let own: PdfDocument | undefined;
  return {
    number,
    end,
    marker,
    spaceEnd,
    get document() {
      own ??= document.upTo(end, assemble(xref.sections.slice(index), head.offset, xref.isHybrid));
      return own;
    },
  };
}
