/** The positions of the items of an INDEX (Adobe Technical Note 5176, 5). */
export interface Index {
  count: number;
  start: number;
  end: number;
  item(index: number): Buffer;
}

export function readIndex(bytes: Buffer, start: number): Index {
  const count = bytes.readUInt16BE(start);
  if (count === 0) {
    const item = (): Buffer => {
      throw new Error('An empty INDEX has no items.');
    };
    return { count, start, end: start + 2, item };
  }
  const width = bytes.readUInt8(start + 2);
  const data = start + 2 + (count + 1) * width;
  const offset = (index: number): number => bytes.readUIntBE(start + 3 + index * width, width);
  const item = (index: number): Buffer => bytes.subarray(data + offset(index), data + offset(index + 1));
  return { count, start, end: data + offset(count), item };
}

export function writeIndex(items: readonly Buffer[]): Buffer {
  if (items.length === 0) return Buffer.alloc(2);
  const width = 4;
  const head = Buffer.alloc(3 + (items.length + 1) * width);
  head.writeUInt16BE(items.length, 0);
  head.writeUInt8(width, 2);
  let offset = 1;
  head.writeUInt32BE(offset, 3);
  for (const [index, item] of items.entries()) {
    offset += item.length;
    head.writeUInt32BE(offset, 3 + (index + 1) * width);
  }
  return Buffer.concat([head, ...items]);
}

/** An operator and its operands in a DICT. A two-byte `operator` has 12 in its upper byte. */
export interface DictItem {
  operator: number;
  operands: number[];
  bytes: Buffer;
}

/** Reads a DICT (Technical Note 5176, 4); real numbers are omitted from the operands. */
export function readDict(bytes: Buffer): DictItem[] {
  const items: DictItem[] = [];
  let operands: number[] = [];
  let start = 0;
  let at = 0;
  while (at < bytes.length) {
    const first = bytes.readUInt8(at);
    if (first <= 21) {
      const operator = first === 12 ? (12 << 8) | bytes.readUInt8(at + 1) : first;
      at += first === 12 ? 2 : 1;
      items.push({ operator, operands, bytes: bytes.subarray(start, at) });
      operands = [];
      start = at;
    } else if (first === 30) {
      at = endOfReal(bytes, at + 1);
    } else {
      const { value, end } = readInteger(bytes, at, first);
      operands.push(value);
      at = end;
    }
  }
  return items;
}

function endOfReal(bytes: Buffer, start: number): number {
  let at = start;
  while ((bytes.readUInt8(at) & 0x0f) !== 0x0f && bytes.readUInt8(at) >> 4 !== 0x0f) at++;
  return at + 1;
}

function readInteger(bytes: Buffer, at: number, first: number): { value: number; end: number } {
  if (first === 28) return { value: bytes.readInt16BE(at + 1), end: at + 3 };
  if (first === 29) return { value: bytes.readInt32BE(at + 1), end: at + 5 };
  if (first >= 32 && first <= 246) return { value: first - 139, end: at + 1 };
  if (first >= 247 && first <= 250)
    return { value: (first - 247) * 256 + bytes.readUInt8(at + 1) + 108, end: at + 2 };
  if (first >= 251 && first <= 254)
    return { value: -(first - 251) * 256 - bytes.readUInt8(at + 1) - 108, end: at + 2 };
  throw new Error('A DICT contains an invalid byte.');
}

/** An operator with integer operands. Each takes five bytes, so that the length does not depend on the values. */
export function dictItem(operator: number, ...operands: number[]): Buffer {
  const isLong = operator > 0xff;
  const bytes = Buffer.alloc(5 * operands.length + (isLong ? 2 : 1));
  for (const [index, operand] of operands.entries()) {
    bytes.writeUInt8(29, 5 * index);
    bytes.writeInt32BE(operand, 5 * index + 1);
  }
  if (isLong) bytes.writeUInt16BE(operator, 5 * operands.length);
  else bytes.writeUInt8(operator, 5 * operands.length);
  return bytes;
}
