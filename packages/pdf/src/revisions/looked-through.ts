import { constants, inflateSync } from 'node:zlib';
import { fromAscii85, fromAsciiHex } from '../read/ascii-filters.ts';
import { BOUNDS, type Costs } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { Name, type Stream } from '../read/values.ts';

const FILTERS_MAX = 4;
/** What follows is a picture. Crypt is undone already. */
const PICTURES: ReadonlySet<string> = new Set([
  'DCTDecode',
  'DCT',
  'JPXDecode',
  'CCITTFaxDecode',
  'CCF',
  'JBIG2Decode',
]);

type Decode = (data: Buffer, costs: Costs) => Buffer;

const DECODERS: Readonly<Record<string, Decode>> = {
  FlateDecode: inflated,
  Fl: inflated,
  ASCIIHexDecode: (data) => fromAsciiHex(data),
  AHx: (data) => fromAsciiHex(data),
  ASCII85Decode: (data) => fromAscii85(data),
  A85: (data) => fromAscii85(data),
  Crypt: (data) => data,
};

/**
 * Decodes the data of a stream as far as they can be searched for text; predictors are not undone. Undefined for broken data,
 * other filters, or more than `costs` permit.
 */
export function lookedThrough(document: PdfDocument, stream: Stream, costs: Costs): Buffer | undefined {
  const filter = document.get(stream.dict, 'Filter') ?? [];
  const filters = (Array.isArray(filter) ? filter : [filter]).map((item) => document.resolve(item));
  if (filters.length > FILTERS_MAX) return undefined;
  let { data } = stream;
  for (const each of filters) {
    if (!(each instanceof Name)) return undefined;
    if (PICTURES.has(each.text)) return data;
    const decode = DECODERS[each.text];
    if (decode === undefined) return undefined;
    try {
      data = decode(data, costs);
    } catch {
      // A stream that expands too far before it fails would cost the same again each time.
      costs.spendUnpacking();
      return undefined;
    }
  }
  return data;
}

function inflated(data: Buffer, costs: Costs): Buffer {
  const maxOutputLength = Math.max(1, BOUNDS.unpackedBytesMax - costs.unpackedBytes);
  // Some writers leave out the checksum at the end.
  const unpacked = inflateSync(data, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
  costs.unpackedBytes += unpacked.length;
  return unpacked;
}
