import { PdfError, unlessMalformed } from '../pdf-error.ts';
import type { Costs } from '../read/bounds.ts';
import { skipSpace } from '../read/characters.ts';
import type { PdfDocument } from '../read/document.ts';
import { headerAt } from '../read/object-header.ts';
import { Dict, isName, PdfString, type PdfValue, Ref, Stream } from '../read/values.ts';
import { type Listed, listedIn, numbersOf, type UpdateRegion } from './listed-objects.ts';
import { lookedThrough } from './looked-through.ts';
import { isStrictStream, isStrictSyntax } from './strict-syntax.ts';

const IN_BYTES =
  'A stream or a string of an update holds what some readers take for the structure of the file.';
const IN_DATA = 'A stream or a string of an update, decoded, holds what looks like the structure of a file.';
const UNSEARCHED = 'A stream of an update cannot be searched for hidden objects.';
const LOOSE = 'An object of an update is not written as the standard says.';
const PACKED = 'An object stream of an update holds objects that the cross-reference data do not list there.';
/** White space of all readers: some count 0x0B, 0x80, 0xA0 and 0xFF. */
const SPACE = '[\\0\\t\\n\\v\\f\\r \\x80\\xa0\\xff]';
const BETWEEN = `(?:${SPACE}|%[^\\n\\r]*[\\n\\r])`;
/** What repairing readers take for the head of an object, before its keyword. */
const HEAD = new RegExp(`\\d${BETWEEN}+[+-]*\\d[\\d.]*${BETWEEN}*$`);
const BEFORE_KEYWORD = new RegExp(`[\\d\\n\\r]|${SPACE}`);
const HEAD_BYTES_MAX = 400;
/** The end of a longer head: white space, comments and numbers only, perhaps from within a line on. */
const LONG_HEAD = new RegExp(`^(?:[^\\n\\r]*[\\n\\r])?(?:${BETWEEN}|[\\d.+-])*$`);
const WORD = /\w/;
const CLOSE = 'endstream';

type Range = readonly [start: number, end: number];

/** Whether an update holds what any reader that searches the file takes for an object. */
export function hidesObject(bytes: Buffer, start: number, listed: ReadonlyMap<number, Listed>): boolean {
  const keywords = keywordsOf(bytes, listed);
  for (const at of headsIn(bytes, [start, bytes.length]))
    if (!keywords.has(at) && isWhole(bytes, at)) return true;
  return false;
}

/**
 * Returns a sentence about an update whose streams and strings, as written or decoded, hold marks of structure. These are heads
 * and ends of objects, trailers, cross-reference streams, and packed objects that are not used. Readers that repair a file search
 * for them. The same holds for objects that are written loosely. `costs` bound what is unpacked.
 */
export function hiddenStructure(
  { document, sections, start }: UpdateRegion,
  costs: Costs,
): string | undefined {
  const { bytes } = document;
  const listed = listedIn(document, sections) ?? new Map<number, Listed>();
  const keywords = keywordsOf(bytes, listed);
  for (const at of headsIn(bytes, [start, bytes.length])) if (!keywords.has(at)) return IN_BYTES;
  if (!sections.every(({ trailer }) => isStrictSyntax(bytes, trailer.start, trailer.end))) return LOOSE;
  const trailers = new Set(sections.map(({ trailer }) => trailer.start));
  for (const at of trailersIn(bytes, [start, bytes.length])) if (!trailers.has(at)) return IN_BYTES;
  const streams = new Set(sections.filter(({ kind }) => kind === 'stream').map((section) => section.start));
  for (const [position, { ref, end }] of listed) {
    if (position < start) continue;
    const isSection = streams.has(skipSpace(bytes, position)) || end !== undefined;
    const found = isSection ? undefined : markIn(document, ref, costs);
    if (found !== undefined) return found;
  }
  for (const num of new Set(sections.flatMap((section) => [...numbersOf(section)]))) {
    if (document.xref.find(num)?.kind !== 'packed') continue;
    const object = unlessMalformed(() => document.object(new Ref(num, 0)));
    const value = unlessMalformed(() => object?.value ?? null);
    if (!object || value === undefined || !isStrictSyntax(object.source, object.start, object.end))
      return LOOSE;
    if (stringsOf(value).some((text) => hasMark(text))) return IN_DATA;
  }
  return undefined;
}

/** Finds a mark in an object of an update that is not a cross-reference stream. */
function markIn(document: PdfDocument, ref: Ref, costs: Costs): string | undefined {
  const object = unlessMalformed(() => document.object(ref));
  if (!object || !document.holds(object)) return undefined;
  const { start, end, value } = object;
  const { bytes } = document;
  const dict = value instanceof Stream ? value.dict : undefined;
  if (!isStrictSyntax(bytes, start, dict?.end ?? end)) return LOOSE;
  if (dict && !isStrictStream(bytes, dict.end, document.get(dict, 'Length'), end)) return LOOSE;
  if (dict && isName(document.get(dict, 'Type'), 'XRef')) return IN_BYTES;
  const inner: Range = [start, value instanceof Stream ? end - CLOSE.length : end];
  if (['endobj', CLOSE].some((mark) => isIn(bytes, mark, inner)) || namesSection(bytes, inner))
    return IN_BYTES;
  if (stringsOf(dict ?? value).some((text) => hasMark(text))) return IN_DATA;
  if (!(value instanceof Stream)) return undefined;
  if (hidesPacked(document, ref.num, value.dict)) return PACKED;
  const data = lookedThrough(document, value, costs);
  if (data === undefined) return UNSEARCHED;
  return hasMark(data) ? IN_DATA : undefined;
}

/** Whether an object stream holds objects that are elsewhere for a reader that follows the cross-reference data. */
function hidesPacked(document: PdfDocument, num: number, dict: Dict): boolean {
  const isPack = isName(document.get(dict, 'Type'), 'ObjStm');
  if (!isPack && !['N', 'First'].every((key) => dict.entries.has(key))) return false;
  try {
    return [...document.packed(num).keys()].some((packed, index) => {
      const entry = document.xref.find(packed);
      return entry?.kind !== 'packed' || entry.stream !== num || entry.index !== index;
    });
  } catch (error) {
    if (error instanceof PdfError) return isPack;
    throw error;
  }
}

const hasMark = (data: Buffer): boolean => {
  const all: Range = [0, data.length];
  if (['endobj', CLOSE].some((mark) => isIn(data, mark, all))) return true;
  if (!trailersIn(data, all).next().done) return true;
  for (const at of headsIn(data, all)) if (isWhole(data, at)) return true;
  return false;
};

const isIn = (bytes: Buffer, mark: string, [start, end]: Range): boolean => {
  const at = bytes.indexOf(mark, start, 'latin1');
  return at !== -1 && at + mark.length <= end;
};

/** Whether it names the type of a cross-reference stream, which some readers search for. */
function namesSection(bytes: Buffer, [start, end]: Range): boolean {
  for (const at of placesOf(bytes, '/XRef', [start, end])) {
    if (!WORD.test(String.fromCharCode(bytes[at + '/XRef'.length] ?? 0))) return true;
  }
  return false;
}

/** Yields the positions of `obj` after two numbers. */
function* headsIn(bytes: Buffer, range: Range): Generator<number> {
  for (const at of placesOf(bytes, 'obj', range)) {
    if (!BEFORE_KEYWORD.test(String.fromCharCode(bytes[at - 1] ?? 0))) continue;
    const start = Math.max(range[0], at - HEAD_BYTES_MAX);
    const before = bytes.toString('latin1', start, at);
    if (HEAD.test(before) || (start > range[0] && LONG_HEAD.test(before))) yield at;
  }
}

/** Yields the positions of dictionaries after `trailer`. */
function* trailersIn(bytes: Buffer, range: Range): Generator<number> {
  for (const keyword of placesOf(bytes, 'trailer', range)) {
    const at = skipSpace(bytes, keyword + 'trailer'.length);
    if (bytes.toString('latin1', at, at + 2) === '<<') yield at;
  }
}

function* placesOf(bytes: Buffer, mark: string, [start, end]: Range): Generator<number> {
  let at = bytes.indexOf(mark, start, 'latin1');
  for (; at !== -1 && at + mark.length <= end; at = bytes.indexOf(mark, at + 1, 'latin1')) yield at;
}

/** Whether no letter or digit follows the keyword `obj`. Only some readers take `objects` for it. */
const isWhole = (bytes: Buffer, at: number): boolean =>
  !WORD.test(String.fromCharCode(bytes[at + 'obj'.length] ?? 0));

/** The positions of the keyword `obj` of the listed objects. */
function keywordsOf(bytes: Buffer, listed: ReadonlyMap<number, Listed>): ReadonlySet<number> {
  const headers = [...listed.keys()].map((position) => headerAt(bytes, skipSpace(bytes, position)));
  return new Set(headers.map((header) => (header ? header.end - 'obj'.length : -1)));
}

function stringsOf(value: PdfValue): Buffer[] {
  const strings: Buffer[] = [];
  const stack = [value];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (item instanceof PdfString) strings.push(item.bytes);
    else if (Array.isArray(item)) for (const each of item) stack.push(each);
    else if (item instanceof Dict) for (const entry of item.entries.values()) stack.push(entry.value);
  }
  return strings;
}
