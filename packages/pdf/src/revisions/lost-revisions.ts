import { unlessMalformed } from '../pdf-error.ts';
import { Costs } from '../read/bounds.ts';
import { openStrictly } from '../read/open.ts';
import { chainOf, type RevisionHistory } from './revision-chain.ts';

/** Each attempt reads the file again. */
const TRIES_MAX = 4;
const MENTIONS_MAX = 1_000;
const MENTION_BYTES_MAX = 200;
const RANGE = /^\/ByteRange\s*\[\s*0\s+(\d{1,15})\s+(\d{1,15})\s+(\d{1,15})\s*\]/;
const [OPEN_HEX, CLOSE_HEX] = [0x3c, 0x3e];

/**
 * Adds signed revisions that the newest cross-reference data do not reach. They are those of a file to which another was
 * appended, or before an update that replaces the whole file. They are found by the byte ranges in the file.
 */
export function withLostRevisions(history: RevisionHistory, password?: string): RevisionHistory {
  const { bytes } = history.last.document;
  const costs = new Costs();
  let found = history;
  for (const end of signedEnds(bytes)
    .filter((each) => !isEnd(each, history))
    .slice(0, TRIES_MAX)) {
    if (isEnd(end, found)) continue;
    const document = unlessMalformed(() => openStrictly(bytes.subarray(0, end), costs, password));
    const earlier = document && chainOf(document);
    if (earlier && isEnd(end, earlier) && earlier.flaws.length === 0) found = joined(earlier, found);
  }
  return found;
}

const isEnd = (position: number, { revisions }: RevisionHistory): boolean =>
  revisions.some(({ marker, spaceEnd }) => marker <= position && position <= spaceEnd);

/** Returns the ends of byte ranges that exclude a hexadecimal string; the last first. */
function signedEnds(bytes: Buffer): number[] {
  const ends = new Set<number>();
  let at = bytes.indexOf('/ByteRange', 0, 'latin1');
  for (let count = 0; at !== -1 && count < MENTIONS_MAX; count++) {
    const match = RANGE.exec(bytes.toString('latin1', at, at + MENTION_BYTES_MAX));
    const [gap = 0, second = 0, rest = 0] = match?.slice(1).map(Number) ?? [];
    const isGap = bytes[gap] === OPEN_HEX && bytes[second - 1] === CLOSE_HEX && gap < second;
    if (isGap && second + rest < bytes.length && at < second + rest) ends.add(second + rest);
    at = bytes.indexOf('/ByteRange', at + 1, 'latin1');
  }
  return [...ends].sort((a, b) => b - a);
}

function joined(earlier: RevisionHistory, { revisions, flaws, last }: RevisionHistory): RevisionHistory {
  const later = revisions.filter(({ end }) => end > earlier.last.end);
  const all = [...earlier.revisions, ...later];
  for (const [index, revision] of all.entries()) revision.number = index + 1;
  const message = 'The newest cross-reference data do not include a signed revision.';
  const position = last.document.bytes.length;
  return { revisions: all, flaws: [...flaws, { code: 'STRUCTURE_BROKEN', message, position }], last };
}
