import { deflateSync } from 'node:zlib';
import { literal } from './literal.ts';

/** For `packed`, `offset` is the number of the object stream and `gen` the index in it. */
export interface WrittenEntry {
  num: number;
  gen: number;
  kind: 'plain' | 'packed';
  offset: number;
}

/** Groups entries with adjacent numbers; `entries` are sorted by number. */
function runs(entries: readonly WrittenEntry[]): WrittenEntry[][] {
  const all: WrittenEntry[][] = [];
  for (const entry of entries) {
    const run = all.at(-1);
    if (run?.[0] && run[0].num + run.length === entry.num) run.push(entry);
    else all.push([entry]);
  }
  return all;
}

/** Writes a cross-reference table up to its trailer (ISO 32000-2, 7.5.4). */
export function xrefTable(entries: readonly WrittenEntry[]): string {
  const lines = runs(entries).map((run) => {
    const items = run.map(
      ({ offset, gen }) => `${String(offset).padStart(10, '0')} ${String(gen).padStart(5, '0')} n\r\n`,
    );
    return `${run[0]?.num} ${run.length}\n${items.join('')}`;
  });
  return `xref\n${lines.join('')}`;
}

const OFFSET_BYTES = 5;
const ENTRY_BYTES = 1 + OFFSET_BYTES + 2;

/** Writes the value of a cross-reference stream object (ISO 32000-2, 7.5.8); `trailer` is a dictionary. */
export function xrefStream(entries: readonly WrittenEntry[], trailer: string): Buffer {
  const data = Buffer.alloc(entries.length * ENTRY_BYTES);
  for (const [index, { kind, offset, gen }] of entries.entries()) {
    const at = index * ENTRY_BYTES;
    data.writeUInt8(kind === 'plain' ? 1 : 2, at);
    data.writeUIntBE(offset, at + 1, OFFSET_BYTES);
    data.writeUInt16BE(gen, at + 1 + OFFSET_BYTES);
  }
  const index = runs(entries).map((run) => `${run[0]?.num} ${run.length}`);
  const keys = `/Type/XRef/W[1 ${OFFSET_BYTES} 2]/Index[${index.join(' ')}]/Filter/FlateDecode`;
  return literal.stream(`${trailer.slice(2, -2)}${keys}`, deflateSync(data));
}
