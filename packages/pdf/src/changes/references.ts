import { PdfError } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import { isDigit, isRegular, readDigits, skipSpace } from '../read/characters.ts';
import type { PdfDocument } from '../read/document.ts';
import { INTEGER_DIGITS_MAX } from '../read/object-parser.ts';
import { readName } from '../read/strings.ts';
import type { XrefEntry } from '../read/xref-entry.ts';
import type { Budget } from './budget.ts';
import { childOf, type Part } from './object-parts.ts';

/** MuPDF counts objects in 32 bits. */
const NUMBERS = 2 ** 32;
/** For PDFium 0x80 and 0xFF are white space, so that a name may end with a reference. */
const IN_NAME = /[\x80\xff](\d+)[\x80\xff]+\d+[\x80\xff]+R(?![^\x80\xff])/g;

/** Receives a reference and the part of its target. */
export type OnReference = (num: number, part: Part) => void;

interface Frame {
  part: Part | undefined;
  isDict: boolean;
  key: string | undefined;
  /** The key already has a value. The next name is a key. */
  isFilled: boolean;
}

/** The offset of an object's value; undefined if its entry leads nowhere. */
function locate(
  document: PdfDocument,
  num: number,
  entry: XrefEntry,
): { source: Buffer; start: number } | undefined {
  if (entry.kind === 'free') return undefined;
  if (entry.kind === 'packed') {
    try {
      return document.packed(entry.stream).get(num);
    } catch (error) {
      if (error instanceof PdfError && error.code === 'INVALID_FILE_FORMAT') return undefined;
      throw error;
    }
  }
  const { bytes, base } = document;
  const position = skipSpace(bytes, base + entry.offset);
  const head = /^(\d{1,10})\s+\d{1,5}\s+obj/.exec(bytes.toString('latin1', position, position + 40));
  return head && Number(head[1]) === num ? { source: bytes, start: position + head[0].length } : undefined;
}

/**
 * Reports all references of an object with this part, without parsing its values. Skips broken syntax. Returns whether
 * its /Length reaches beyond the end of the document, so that appended bytes may become part of it. Throws
 * DOCUMENT_TOO_COMPLEX.
 */
export function eachReference(
  document: PdfDocument,
  num: number,
  part: Part,
  budget: Budget,
  onReference: OnReference,
): boolean {
  const entry = document.xref.find(num);
  const place = entry && locate(document, num, entry);
  if (!place) return false;
  const { source } = place;
  const { end, length } = lookThrough(source, skipSpace(source, place.start), part, onReference);
  budget.spend('lookedThrough', end - place.start);
  return end + length > source.length;
}

/** Reports all references of the trailer, like `eachReference`. */
export function eachTrailerReference(document: PdfDocument, onReference: OnReference): void {
  const { source, start } = document.trailer;
  lookThrough(source, start, 'trailer', onReference);
}

function referenceAt(source: Buffer, at: number): { num: number; end: number } | undefined {
  const num = readDigits(source, at, INTEGER_DIGITS_MAX);
  if (!num || isRegular(source[num.end])) return undefined;
  const gen = readDigits(source, skipSpace(source, num.end), 6);
  if (!gen) return undefined;
  const keyword = skipSpace(source, gen.end);
  if (source[keyword] !== 0x52 || isRegular(source[keyword + 1])) return undefined;
  return { num: num.value % NUMBERS, end: keyword + 1 };
}

function endOfLiteral(source: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    const byte = source[at];
    if (byte === 0x5c) at++;
    else if (byte === 0x28) depth++;
    else if (byte === 0x29 && --depth === 0) return at + 1;
  }
  return source.length;
}

/** Reports the references of the value at `start`. Returns its end, and the largest direct /Length in it. */
function lookThrough(
  source: Buffer,
  start: number,
  part: Part,
  onReference: OnReference,
): { end: number; length: number } {
  const stack: Frame[] = [];
  let length = 0;
  const partHere = (): Part | undefined => {
    const frame = stack.at(-1);
    if (!frame) return part;
    return frame.part && childOf(frame.part, frame.isDict ? frame.key : undefined);
  };
  const fill = () => {
    const frame = stack.at(-1);
    if (frame) frame.isFilled = true;
  };
  const open = (isDict: boolean) => {
    stack.push({ part: partHere(), isDict, key: undefined, isFilled: true });
  };
  const report = (num: number) => {
    const target = partHere();
    if (target) onReference(num, target);
  };
  let at = start;
  while (at < source.length && stack.length <= BOUNDS.depthMax) {
    at = skipSpace(source, at);
    const byte = source[at];
    if (byte === 0x3c && source[at + 1] === 0x3c) {
      open(true);
      at += 2;
      continue;
    }
    if (byte === 0x5b) {
      open(false);
      at++;
      continue;
    }
    if (byte === 0x2f) {
      const { value, end } = readName(source, at);
      passName(value, stack.at(-1));
      for (const [, num] of value.matchAll(IN_NAME)) report(Number(num) % NUMBERS);
      at = end;
    } else if (byte === 0x5d || byte === 0x3e) {
      stack.pop();
      fill();
      at += byte === 0x3e ? 2 : 1;
    } else {
      if (stack.length === 1 && stack[0]?.key === 'Length') {
        length = Math.max(length, readDigits(source, at, INTEGER_DIGITS_MAX)?.value ?? 0);
      }
      at = passScalar(source, at, report);
      fill();
    }
    if (stack.length === 0) break;
  }
  return { end: Math.min(at, source.length), length };
}

function passName(name: string, frame: Frame | undefined): void {
  if (frame?.isDict && frame.isFilled) {
    frame.key = name;
    frame.isFilled = false;
  } else if (frame) frame.isFilled = true;
}

/** Skips a string, a reference, a number or a word. */
function passScalar(source: Buffer, at: number, onNumber: (num: number) => void): number {
  const byte = source[at];
  if (byte === 0x28) return endOfLiteral(source, at);
  if (byte === 0x3c) {
    const close = source.indexOf(0x3e, at);
    return close === -1 ? source.length : close + 1;
  }
  const reference = isDigit(byte) ? referenceAt(source, at) : undefined;
  if (reference) {
    onNumber(reference.num);
    return reference.end;
  }
  let end = at;
  while (isRegular(source[end])) end++;
  return Math.max(end, at + 1);
}
