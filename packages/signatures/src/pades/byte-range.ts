import { type Dict, type DictEntry, type PdfDocument, PdfString } from '@scriptorium/pdf/read';
import type { Fault } from '../reasons.ts';
import type { ByteRange } from './prepared.ts';

/** The byte range and value of a signature dictionary. */
export interface ReadByteRange {
  /** Undefined if it is not four non-negative integers from 0 within the file. */
  byteRange: ByteRange | undefined;
  /** The whole value including the zeros after the CMS; undefined if it cannot be read. */
  contents: Buffer | undefined;
  faults: Fault[];
}

/** Matches direct integers only: no reference, fraction, sign, or comment. */
const FOUR_INTEGERS = /^\[[\0\t\n\f\r ]*(\d{1,15}(?:[\0\t\n\f\r ]+\d{1,15}){3})[\0\t\n\f\r ]*\]$/;
const RANGE_CHARS_MAX = 1_000;
const HEX_STRING = /^<[\0\t\n\f\r 0-9A-Fa-f]*>$/;

/**
 * Reads the byte range and value of a signature dictionary and checks them by ISO 32000-2, 12.8.1. The gap must be exactly the
 * value of this dictionary, as stored in the file. Does not check where the range ends.
 */
export function readByteRange(document: PdfDocument, signature: Dict): ReadByteRange {
  const faults: Fault[] = [];
  const { bytes } = document;
  if (signature.repeatedKeys.length > 0) {
    faults.push({ code: 'DUPLICATE_KEY', message: 'The signature dictionary has a key twice.' });
  }
  const isInFile = document.holds(signature);
  const contents = signature.entries.get('Contents');
  const value = readContents(signature, contents, faults);
  const byteRange = readNumbers(signature, bytes.length);
  if (!byteRange) {
    const message = 'The byte range is not four non-negative integers from 0 within the file.';
    faults.push({ code: 'BYTE_RANGE_INVALID', message });
  } else if (!isInFile) {
    const message =
      'The signature dictionary is in an object stream, where a byte range cannot exclude its value.';
    faults.push({ code: 'BYTE_RANGE_GAP', message });
  } else if (contents && (byteRange[1] !== contents.start || byteRange[2] !== contents.end)) {
    const message = 'The gap in the byte range is not exactly the signature value.';
    faults.push({ code: 'BYTE_RANGE_GAP', message });
  }
  return { byteRange, contents: value, faults };
}

function readNumbers(signature: Dict, fileLength: number): ByteRange | undefined {
  const entry = signature.entries.get('ByteRange');
  if (!entry || entry.end - entry.start > RANGE_CHARS_MAX) return undefined;
  const [, text] = FOUR_INTEGERS.exec(signature.source.toString('latin1', entry.start, entry.end)) ?? [];
  if (text === undefined) return undefined;
  const [first, length, second, rest] = text.split(/[\0\t\n\f\r ]+/).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const fits = first === 0 && length <= second && second + rest <= fileLength;
  return fits ? [first, length, second, rest] : undefined;
}

/** Reads a hexadecimal string of at least one byte that contains only digits. */
function readContents({ source }: Dict, entry: DictEntry | undefined, faults: Fault[]): Buffer | undefined {
  const invalid = (message: string) => {
    faults.push({ code: 'CONTENTS_INVALID', message });
    return undefined;
  };
  if (!entry || entry.value === null) return invalid('The signature has no value.');
  if (!(entry.value instanceof PdfString) || !entry.value.isHex) {
    return invalid('The value of the signature is not a hexadecimal string.');
  }
  if (entry.value.bytes.length === 0) return invalid('The value of the signature is empty.');
  if (!HEX_STRING.test(source.toString('latin1', entry.start, entry.end))) {
    return invalid('The value of the signature contains characters other than hexadecimal digits.');
  }
  return entry.value.bytes;
}
