/** Bytes of a table. */
export interface Span {
  start: number;
  end: number;
}

/** An INDEX of a CFF table (Adobe Technical Note 5176, 5). */
export interface CffIndex extends Span {
  count: number;
  item(index: number): Span;
}

export function readIndex(cff: Buffer, start: number): CffIndex {
  const count = cff.readUInt16BE(start);
  const width = count === 0 ? 0 : cff.readUInt8(start + 2);
  const data = start + 2 + (count + 1) * width;
  const offsetOf = (index: number) => data + cff.readUIntBE(start + 3 + index * width, width);
  const item = (index: number) => ({ start: offsetOf(index), end: offsetOf(index + 1) });
  return { start, count, item, end: count === 0 ? start + 2 : offsetOf(count) };
}

/** An operand of a DICT, and where it is. Real numbers are read as 0. */
export interface Operand {
  value: number;
  at: number;
}

/** The operands of each operator of a DICT (Adobe Technical Note 5176, 4). A two-byte operator has 12 in its upper byte. */
export function readDict(cff: Buffer, { start, end }: Span): Map<number, Operand[]> {
  const items = new Map<number, Operand[]>();
  let operands: Operand[] = [];
  for (let at = start; at < end; ) {
    const first = cff.readUInt8(at);
    if (first <= 21) {
      items.set(first === 12 ? (12 << 8) | cff.readUInt8(at + 1) : first, operands);
      operands = [];
      at += first === 12 ? 2 : 1;
    } else {
      const read = readOperand(cff, at, first);
      operands.push({ value: read.value, at });
      at = read.end;
    }
  }
  return items;
}

function readOperand(bytes: Buffer, at: number, first: number): { value: number; end: number } {
  if (first === 28) return { value: bytes.readInt16BE(at + 1), end: at + 3 };
  if (first === 29) return { value: bytes.readInt32BE(at + 1), end: at + 5 };
  if (first === 30) return { value: 0, end: endOfReal(bytes, at + 1) };
  if (first <= 246) return { value: first - 139, end: at + 1 };
  const second = bytes.readUInt8(at + 1);
  const value = first <= 250 ? (first - 247) * 256 + second + 108 : -(first - 251) * 256 - second - 108;
  return { value, end: at + 2 };
}

function endOfReal(bytes: Buffer, start: number): number {
  let at = start;
  while ((bytes.readUInt8(at) & 0x0f) !== 0x0f && bytes.readUInt8(at) >> 4 !== 0x0f) at++;
  return at + 1;
}
