import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS, type Costs } from './bounds.ts';
import { unpack } from './unpack.ts';
import { isName, type PdfValue, type Stream } from './values.ts';
import type { XrefEntry, XrefSection } from './xref-entry.ts';
import { lookedUpIn } from './xref-table.ts';

/** Does not resolve references, because resolving them requires the cross-reference stream itself. */
const direct = (value: PdfValue): PdfValue => value;

function integers(value: PdfValue): number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const numbers = value.filter((item) => typeof item === 'number' && Number.isInteger(item) && item >= 0);
  return numbers.length === value.length ? (numbers as number[]) : undefined;
}

function readWidths(value: PdfValue): [number, number, number] {
  const [type, second, third, ...rest] = integers(value) ?? [];
  if (type === undefined || second === undefined || third === undefined || rest.length > 0) {
    throw malformed('a cross-reference stream has no valid /W');
  }
  if (Math.max(type, second, third) > 6) throw malformed('a cross-reference stream has invalid widths');
  return [type, second, third];
}

/** Returns a reader of entries with fields of `widths` bytes, big-endian (ISO 32000-2, table 18). */
function entryReader(data: Buffer, [type, second, third]: [number, number, number]) {
  const length = type + second + third;
  const field = (at: number, width: number, byDefault: number) =>
    width === 0 ? byDefault : data.readUIntBE(at, width);
  return (index: number): XrefEntry => {
    const at = index * length;
    if (at + length > data.length) return { kind: 'free' };
    const kind = field(at, type, 1);
    const offset = field(at + type, second, 0);
    const last = field(at + type + second, third, 0);
    if (kind === 1) return { kind: 'plain', offset, gen: last };
    return kind === 2 ? { kind: 'packed', stream: offset, index: last } : { kind: 'free' };
  };
}

/** Position of a section; `offset` is the reference to it. */
type Place = Pick<XrefSection, 'offset' | 'start' | 'end'>;

/** Reads the section in a cross-reference stream. */
export function readXrefStream(stream: Stream, place: Place, costs: Costs): XrefSection {
  const { dict } = stream;
  const { offset } = place;
  if (!isName(dict.get('Type'), 'XRef')) throw malformed(`no cross-reference section begins at ${offset}`);
  const read = entryReader(unpack(stream, direct, costs), readWidths(dict.get('W')));
  const size = dict.get('Size');
  const index = integers(dict.get('Index')) ?? [0, typeof size === 'number' ? size : 0];
  if (index.length > 2 * BOUNDS.xrefSubsectionsMax) throw tooComplex('too many cross-reference subsections');
  const subsections = [];
  let before = 0;
  for (let at = 0; at + 1 < index.length; at += 2) {
    const first = index[at] ?? 0;
    const count = index[at + 1] ?? 0;
    if (first + count > BOUNDS.objectNumberMax + 1) {
      throw tooComplex(`object numbers above ${BOUNDS.objectNumberMax}`);
    }
    const start = before;
    subsections.push({ first, count, entry: (item: number) => read(start + item) });
    before += count;
  }
  return {
    kind: 'stream',
    ...place,
    trailer: dict,
    ...lookedUpIn(subsections),
  };
}
