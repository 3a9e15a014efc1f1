import { malformed } from '../pdf-error.ts';
import { fromAscii85, fromAsciiHex } from '../read/ascii-filters.ts';
import { BOUNDS, Costs } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { Dict, isName, Name, type PdfValue, Stream } from '../read/values.ts';
import type { Budget } from './budget.ts';

const ASCII: Readonly<Record<string, (data: Buffer) => Buffer>> = {
  ASCII85Decode: fromAscii85,
  A85: fromAscii85,
  ASCIIHexDecode: fromAsciiHex,
  AHx: fromAsciiHex,
};

const FILTERS_MAX = 3;
/** Some readers show another file or picture instead (ISO 32000-2, 7.3.8.2, 8.10.4 and 14.11.7). */
const ELSEWHERE = ['F', 'Ref', 'OPI'];

/** Makes the stream that remains after the outer filter is removed. */
function within(stream: Stream, data: Buffer, filters: readonly PdfValue[], parameters: PdfValue): Stream {
  const dict = new Dict(data, 0);
  dict.entries.set('Filter', { value: [...filters], start: 0, end: 0 });
  dict.entries.set('DecodeParms', { value: parameters, start: 0, end: 0 });
  for (const [key, entry] of stream.dict.entries) if (!dict.entries.has(key)) dict.entries.set(key, entry);
  return new Stream(dict, 0, data.length);
}

/**
 * Decodes a content stream: FlateDecode, the ASCII filters, or no filter. Throws INVALID_FILE_FORMAT for other filters,
 * and DOCUMENT_TOO_COMPLEX if the data exceeds the budget.
 */
export function contentOf(document: PdfDocument, stream: Stream, budget: Budget): Buffer {
  if (ELSEWHERE.some((key) => stream.dict.entries.has(key))) throw malformed('content is in another file');
  const list = (key: string): PdfValue[] => {
    const value = document.get(stream.dict, key);
    const items = Array.isArray(value) ? value : value === null ? [] : [value];
    return items.map((item) => document.resolve(item));
  };
  const [filter, ...rest] = list('Filter');
  // Readers differ in which filters they know, and in whether they decrypt nevertheless.
  if (isName(filter ?? null, 'Crypt')) throw malformed('content has an encryption of its own');
  if (rest.length > FILTERS_MAX) throw malformed('a content stream has too many filters');
  const decode = filter instanceof Name ? ASCII[filter.text] : undefined;
  if (decode) {
    budget.spend('content', stream.data.length);
    const [, ...parameters] = list('DecodeParms');
    return contentOf(document, within(stream, decode(stream.data), rest, parameters), budget);
  }
  if (rest.length > 0) throw malformed('a content stream has filters that are not read here');
  const costs = new Costs();
  costs.unpackedBytes = BOUNDS.unpackedBytesMax - Math.max(1, budget.left('content'));
  const content = document.unpacked(stream, costs);
  budget.spend('content', content.length);
  return content;
}
