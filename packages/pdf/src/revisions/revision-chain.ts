import { PdfError } from '../pdf-error.ts';
import { skipSpace } from '../read/characters.ts';
import type { PdfDocument } from '../read/document.ts';
import { findStartxref } from '../read/xref.ts';
import type { XrefSection } from '../read/xref-entry.ts';
import { isSameEncryption } from '../security/security.ts';
import type { PdfRevision } from './revision.ts';
import { readTail, type Tail } from './revision-end.ts';
import { linearizedLength, type SectionGroup, sectionGroups } from './section-groups.ts';

/** A defect of the file that affects the signatures before it. */
export interface Flaw {
  code: 'STRUCTURE_BROKEN' | 'STRUCTURE_REPAIRED' | 'DUPLICATE_KEY';
  /** Public: one sentence. */
  message: string;
  /** Affects signatures over revisions that end here or earlier; later signatures cover it. */
  position: number;
}

export interface ReadRevision extends PdfRevision {
  /** The end may be anywhere from the `%%EOF` to the end of the white space after it. */
  marker: number;
  spaceEnd: number;
  /** Cross-reference sections added to those of the previous revision. */
  ownSections: readonly XrefSection[];
}

/** The revisions of a file, the oldest first; at least one. */
export interface RevisionHistory {
  revisions: ReadRevision[];
  flaws: Flaw[];
  /** The newest. */
  last: ReadRevision;
}

const TRAILING_SPACE_MAX = 900;

const broken = (position: number, message: string): Flaw => ({ code: 'STRUCTURE_BROKEN', position, message });

/**
 * Splits the cross-reference sections of a document into its chain of revisions (ISO 32000-2, 7.5.6). Each reads its own
 * prefix of the file on demand, without copying, and shared objects are read once.
 */
export function chainOf(document: PdfDocument): RevisionHistory {
  const { bytes } = document;
  const { sections } = document.xref;
  const flaws: Flaw[] = [];
  const revisions: ReadRevision[] = [];
  let unlisted = sections.length;
  for (const group of sectionGroups(document)) {
    const isNewest = group.index === 0;
    const tail = isNewest ? newestTail(bytes, group) : readTail(bytes, group.end);
    const previousEnd = revisions.at(-1)?.end ?? 0;
    flaws.push(...groupFlaws(document, group, tail, previousEnd));
    // A group without its own end belongs to the next one that has an end.
    if (!isNewest && (!tail || group.start < previousEnd)) continue;
    const place = tail ?? endOf(bytes);
    const ownSections = sections.slice(group.index, unlisted);
    revisions.push(new Revision(revisions.length + 1, document, group, place, ownSections));
    unlisted = group.index;
  }
  flaws.push(...encryptionFlaws(document, revisions));
  const length = linearizedLength(document) ?? -1;
  // An update makes the file longer than it was when it was linearized.
  for (const { number, end, marker, spaceEnd } of revisions)
    if (number > 1 && length >= marker - document.base && length <= spaceEnd)
      flaws.push(broken(end, 'A revision is as long as the file says of a linearized one.'));
  return finished(revisions, flaws, bytes);
}

/** All revisions are decrypted as the newest one, so that they can only be read if they are encrypted alike. */
function encryptionFlaws(document: PdfDocument, revisions: readonly ReadRevision[]): Flaw[] {
  if (!document.xref.sections.some(({ trailer }) => trailer.entries.has('Encrypt'))) return [];
  const flaws: Flaw[] = [];
  for (const [index, { end, document: older }] of revisions.entries()) {
    const newer = revisions[index + 1]?.document;
    if (!newer || isSameReadEncryption(older, newer)) continue;
    flaws.push(broken(end, 'An update changes the encryption of the document.'));
  }
  return flaws;
}

function isSameReadEncryption(older: PdfDocument, newer: PdfDocument): boolean {
  try {
    return isSameEncryption(older, newer);
  } catch (error) {
    if (error instanceof PdfError && error.code !== 'DOCUMENT_TOO_COMPLEX') return false;
    throw error;
  }
}

type Place = Pick<ReadRevision, 'end' | 'marker' | 'spaceEnd'>;

const endOf = ({ length }: Buffer): Place => ({ end: length, marker: length, spaceEnd: length });

class Revision implements ReadRevision {
  number: number;
  readonly end: number;
  readonly marker: number;
  readonly spaceEnd: number;
  readonly ownSections: readonly XrefSection[];
  readonly #file: PdfDocument;
  readonly #group: SectionGroup;
  #document: PdfDocument | undefined;

  constructor(
    number: number,
    file: PdfDocument,
    group: SectionGroup,
    { end, marker, spaceEnd }: Place,
    ownSections: readonly XrefSection[],
  ) {
    this.number = number;
    this.end = end;
    this.marker = marker;
    this.spaceEnd = spaceEnd;
    this.ownSections = ownSections;
    this.#file = file;
    this.#group = group;
  }

  get document(): PdfDocument {
    this.#document ??= this.#opened();
    return this.#document;
  }

  #opened(): PdfDocument {
    const { index } = this.#group;
    return index === 0 ? this.#file : this.#file.upTo(this.end, this.#file.xref.since(index));
  }
}

function finished(revisions: ReadRevision[], flaws: Flaw[], { length }: Buffer): RevisionHistory {
  const last = revisions.at(-1);
  if (!last) throw new Error('the file has no revision');
  if (last.spaceEnd < length) {
    flaws.push(broken(length, 'Bytes after the end of the document do not belong to it.'));
  }
  // Readers look for the end in the last kilobyte.
  if (last.spaceEnd - last.marker > TRAILING_SPACE_MAX)
    flaws.push(broken(length, 'Too much white space follows the end of the document.'));
  return { revisions, flaws, last };
}

/** Returns the only revision of a file whose objects had to be searched for. */
export function searchedRevision(document: PdfDocument): RevisionHistory {
  const { bytes } = document;
  const last = { number: 1, ...endOf(bytes), document, ownSections: [] };
  const message = 'The cross-reference data are broken: the objects of the file had to be searched for.';
  return { revisions: [last], flaws: [broken(bytes.length, message)], last };
}

/** Returns the end of the file if nothing follows it that readers, which use the last `startxref`, would read instead. */
function newestTail(bytes: Buffer, group: SectionGroup): Tail | undefined {
  const tail = readTail(bytes, group.end);
  return tail?.keyword === findStartxref(bytes).position ? tail : undefined;
}

function groupFlaws(
  { bytes, base }: PdfDocument,
  { start, end, index, head, sections, isTwisted }: SectionGroup,
  tail: Tail | undefined,
  previousEnd: number,
): Flaw[] {
  const flaws: Flaw[] = [];
  const at = tail?.end ?? (index === 0 ? bytes.length : end);
  if (isTwisted || start < previousEnd) {
    flaws.push(broken(Math.max(at, previousEnd), 'The revisions of the file are not in order.'));
  }
  if (!tail) flaws.push(broken(at, 'A revision does not end after its cross-reference section.'));
  else if (skipSpace(bytes, base + tail.offset) !== head.start) {
    flaws.push(broken(at, 'A revision, read separately, starts with another cross-reference section.'));
  }
  if (sections.some(({ trailer }) => trailer.repeatedKeys.length > 0)) {
    flaws.push({
      code: 'DUPLICATE_KEY',
      position: at,
      message: 'The trailer of a revision has a key twice.',
    });
  }
  return flaws;
}
