import { unlessMalformed } from '@scriptorium/pdf/error';
import { Costs } from '@scriptorium/pdf/read';
import {
  type Flaw,
  hiddenStructure,
  misplacedObject,
  type ReadRevision,
  type RevisionHistory,
  strayBytes,
} from '@scriptorium/pdf/revisions';
import type { Fault } from '../reasons.ts';
import { SIGNATURE_BOUNDS } from './bounds.ts';
import { readByteRange } from './byte-range.ts';
import { certify } from './certification.ts';
import { formHistory } from './form-history.ts';
import type { FoundSignature, PdfSignature } from './found-signature.ts';
import type { ByteRange } from './prepared.ts';
import { addUnlisted } from './unlisted-signatures.ts';

const UNREADABLE = 'The cross-reference data of an update cannot be read.';

/**
 * Finds all signatures of a file in the order of revisions, including replaced and unlisted ones, with the faults of their
 * position in the file. Throws DOCUMENT_TOO_COMPLEX and INVALID_FILE_FORMAT.
 */
export function findSignatures(history: RevisionHistory): PdfSignature[] {
  const { signatures, flaws } = formHistory(history);
  const { document } = history.last;
  if (signatures.size > 0 || document.bytes.includes('/ByteRange')) addUnlisted(signatures, document);
  const placed = [...signatures.values()].map((found) => place(found, history));
  placed.sort((a, b) => a.revision.number - b.revision.number);
  certify(placed, history);
  addFlaws(placed, [...history.flaws, ...flaws, ...strayFlaws(placed, history), ...repairs(placed, history)]);
  return placed;
}

function place(found: FoundSignature, history: RevisionHistory): PdfSignature {
  const { document } = history.last;
  const { byteRange, contents, faults } = readByteRange(document, found.dict);
  const isSigned = contents?.some((byte) => byte !== 0);
  const signed = byteRange && signedRevision(byteRange, history);
  const revision = signed ?? standsIn(found, history);
  const all: Fault[] = [...found.faults, ...faults];
  if (contents && !isSigned) {
    all.push({ code: 'CONTENTS_INVALID', message: 'The signature value consists only of zeros.' });
  }
  if (byteRange && !signed) {
    const message = 'The byte range does not end where a revision of the document does.';
    all.push({ code: 'COVERAGE_PARTIAL', message });
  }
  if (signed && found.listedIn.size > 0 && !found.listedIn.has(signed.number)) {
    const message = 'The form of the signed revision does not contain the signature.';
    all.push({ code: 'SIGNATURE_UNLISTED', message });
  }
  const coversRevision = signed !== undefined;
  return {
    ...found,
    byteRange,
    contents: isSigned ? contents : undefined,
    revision,
    coversRevision,
    certification: undefined,
    faults: all,
  };
}

/** Finds the revision that ends where the range does, with or without the white space after it. */
function signedRevision(
  [, , second, rest]: ByteRange,
  { revisions }: RevisionHistory,
): ReadRevision | undefined {
  const end = second + rest;
  return revisions.find(({ marker, spaceEnd }) => marker <= end && end <= spaceEnd);
}

/** Finds the first revision that contains or lists the dictionary. */
function standsIn({ dict, listedIn }: FoundSignature, { revisions, last }: RevisionHistory): ReadRevision {
  const isHere = last.document.holds(dict)
    ? ({ end }: ReadRevision) => end > dict.start
    : ({ number }: ReadRevision) => listedIn.has(number);
  return revisions.find(isHere) ?? last;
}

/**
 * Finds stray bytes and hidden structure in updates after the first signature; only signatures over the same update cover
 * them.
 */
function strayFlaws(placed: readonly PdfSignature[], { revisions }: RevisionHistory): Flaw[] {
  const flaws: Flaw[] = [];
  const costs = new Costs(SIGNATURE_BOUNDS.searchedBytesMax);
  const first = placed[0]?.revision.number ?? revisions.length;
  for (const revision of revisions.slice(first)) {
    const before = revisions[revision.number - 2];
    if (!before) continue;
    const { document, ownSections } = revision;
    const region = { document, sections: ownSections, start: before.end };
    const { message } = unlessMalformed(() => ({ message: strayBytes(region) })) ?? { message: UNREADABLE };
    if (message !== undefined) flaws.push({ code: 'STRUCTURE_BROKEN', message, position: before.end });
    const hidden = message === undefined ? hiddenStructure(region, costs) : undefined;
    if (hidden !== undefined)
      flaws.push({ code: 'STRUCTURE_REPAIRED', message: hidden, position: before.end });
  }
  return flaws;
}

/** Finds what readers repair in the first signed revision. An update decides what they find then. */
function repairs(placed: readonly PdfSignature[], { revisions }: RevisionHistory): Flaw[] {
  const signed = placed[0]?.revision;
  const before = revisions.at(-2);
  if (!signed || !before || signed.number > before.number) return [];
  const message = misplacedObject(signed.document);
  return message === undefined ? [] : [{ code: 'STRUCTURE_REPAIRED', message, position: before.end }];
}

function addFlaws(placed: readonly PdfSignature[], flaws: readonly Flaw[]): void {
  for (const { revision, faults } of placed) {
    for (const { code, message, position } of flaws) {
      if (position >= revision.end) faults.push({ code, message });
    }
  }
}
