import type { Sfnt } from '../sfnt.ts';
import type { Face } from './table.ts';

/** Copyright and license stay those of the font that is copied (ISO/IEC 14496-22, 5.2.7). */
const KEPT_NAMES = [0, 13, 14];
export const FACE_NAMES: Readonly<Record<Face, string>> = {
  regular: 'Regular',
  bold: 'Bold',
  italic: 'Italic',
  boldItalic: 'Bold Italic',
};
const [WINDOWS, UNICODE, ENGLISH] = [3, 1, 0x409];
const RECORD_BYTES = 12;

/** The `name` table of a copy. */
export function copyNames(font: Sfnt, family: string, face: Face): Buffer {
  const style = FACE_NAMES[face];
  const own = new Map([
    [1, family],
    [2, style],
    [3, `${family} ${style}`],
    [4, face === 'regular' ? family : `${family} ${style}`],
    [5, 'Version 1.0'],
    [6, `${family}-${style}`.replaceAll(' ', '')],
  ]);
  const names = [...windowsNames(font.read('name')), ...own].sort(([a], [b]) => a - b);
  const records = Buffer.alloc(6 + RECORD_BYTES * names.length);
  records.writeUInt16BE(names.length, 2);
  records.writeUInt16BE(records.length, 4);
  const texts: Buffer[] = [];
  let offset = 0;
  for (const [index, [id, text]] of names.entries()) {
    const bytes = Buffer.from(text, 'utf16le').swap16();
    for (const [column, value] of [WINDOWS, UNICODE, ENGLISH, id, bytes.length, offset].entries())
      records.writeUInt16BE(value, 6 + RECORD_BYTES * index + 2 * column);
    texts.push(bytes);
    offset += bytes.length;
  }
  return Buffer.concat([records, ...texts]);
}

function windowsNames(table: Buffer): Map<number, string> {
  const names = new Map<number, string>();
  for (let record = 0; record < table.readUInt16BE(2); record++) {
    const at = 6 + RECORD_BYTES * record;
    const id = table.readUInt16BE(at + 6);
    if (table.readUInt16BE(at) !== WINDOWS || !KEPT_NAMES.includes(id)) continue;
    const start = table.readUInt16BE(4) + table.readUInt16BE(at + 10);
    const text = Buffer.from(table.subarray(start, start + table.readUInt16BE(at + 8)));
    names.set(id, text.swap16().toString('utf16le'));
  }
  return names;
}
