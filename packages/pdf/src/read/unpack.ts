import { inflateSync } from 'node:zlib';
import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS, type Costs } from './bounds.ts';
import { Dict, isName, Name, type PdfValue, type Stream } from './values.ts';

type Resolve = (value: PdfValue) => PdfValue;

/**
 * Decodes a cross-reference stream or an object stream: FlateDecode with predictors, or no filter. Throws
 * INVALID_FILE_FORMAT for other filters, and DOCUMENT_TOO_COMPLEX for a decompression bomb.
 */
export function unpack(stream: Stream, resolve: Resolve, costs: Costs): Buffer {
  // The data are decrypted already.
  const isCrypt = isName(firstOf(stream.dict.get('Filter'), resolve), 'Crypt');
  const first = (value: PdfValue): PdfValue => {
    const resolved = resolve(value);
    if (!Array.isArray(resolved)) return isCrypt ? null : resolved;
    const filters = isCrypt ? resolved.slice(1) : resolved;
    if (filters.length > 1) throw malformed('an object stream has several filters');
    return resolve(filters[0] ?? null);
  };
  const filter = first(stream.dict.get('Filter'));
  if (filter === null) return stream.data;
  if (!(filter instanceof Name) || (filter.text !== 'FlateDecode' && filter.text !== 'Fl')) {
    throw malformed('an object stream has a filter other than FlateDecode');
  }
  const data = inflate(stream.data, costs);
  const parameters = first(stream.dict.get('DecodeParms'));
  return parameters instanceof Dict ? undoPredictor(data, parameters, resolve) : data;
}

const firstOf = (value: PdfValue, resolve: Resolve): PdfValue => {
  const resolved = resolve(value);
  return Array.isArray(resolved) ? resolve(resolved[0] ?? null) : resolved;
};

function inflate(data: Buffer, costs: Costs): Buffer {
  const rest = BOUNDS.unpackedBytesMax - costs.unpackedBytes;
  try {
    const unpacked = inflateSync(data, { maxOutputLength: Math.max(rest, 1) });
    costs.unpackedBytes += unpacked.length;
    return unpacked;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooComplex(`object streams that decompress to more than ${BOUNDS.unpackedBytesMax} bytes`);
    }
    throw malformed('an object stream cannot be decompressed');
  }
}

function undoPredictor(data: Buffer, parameters: Dict, resolve: Resolve): Buffer {
  const number = (key: string, byDefault: number): number => {
    const value = resolve(parameters.get(key));
    return typeof value === 'number' ? value : byDefault;
  };
  const predictor = number('Predictor', 1);
  if (predictor === 1) return data;
  if (predictor < 10 || number('Colors', 1) !== 1 || number('BitsPerComponent', 8) !== 8) {
    throw malformed('an object stream has a predictor other than those of PNG');
  }
  const columns = number('Columns', 1);
  if (!Number.isInteger(columns) || columns < 1 || columns > 64) {
    throw malformed('an object stream has an invalid number of columns');
  }
  return undoPngFilters(data, columns);
}

/** PNG (3rd edition), 9.2, one byte per pixel. */
function undoPngFilters(data: Buffer, columns: number): Buffer {
  const rows = Math.floor(data.length / (columns + 1));
  const out = Buffer.alloc(rows * columns);
  for (let row = 0; row < rows; row++) {
    const filter = data[row * (columns + 1)] ?? 0;
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      const left = column > 0 ? (out[at - 1] ?? 0) : 0;
      const up = row > 0 ? (out[at - columns] ?? 0) : 0;
      const corner = column > 0 && row > 0 ? (out[at - columns - 1] ?? 0) : 0;
      const raw = data[row * (columns + 1) + 1 + column] ?? 0;
      out[at] = raw + predicted(filter, left, up, corner);
    }
  }
  return out;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) throw malformed('an object stream has an unknown PNG filter');
  const estimate = left + up - corner;
  const [byLeft, byUp, byCorner] = [left, up, corner].map((value) => Math.abs(estimate - value)) as [
    number,
    number,
    number,
  ];
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
