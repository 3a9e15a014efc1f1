import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { rewriteFont } from '../src/rewrite.ts';

const file = execFileSync('fc-match', ['-f', '%{file}', 'DejaVu Sans'], { encoding: 'utf8' });
const font = readFileSync(file);

interface Table {
  offset: number;
  length: number;
  /** Where the directory names it. */
  at: number;
}

function tablesOf(bytes: Buffer): Map<string, Table> {
  const tables = new Map<string, Table>();
  for (let at = 12; at < 12 + 16 * bytes.readUInt16BE(4); at += 16) {
    const table = { offset: bytes.readUInt32BE(at + 8), length: bytes.readUInt32BE(at + 12), at };
    tables.set(bytes.toString('latin1', at, at + 4), table);
  }
  return tables;
}

const tableOf = (bytes: Buffer, tag: string): Buffer => {
  const { offset, length } = tablesOf(bytes).get(tag) ?? { offset: 0, length: 0 };
  return bytes.subarray(offset, offset + length);
};

/** The font under another name for one of its tables. */
function renamed(tag: string, name: string): Buffer {
  const copy = Buffer.from(font);
  copy.write(name, tablesOf(font).get(tag)?.at ?? 0, 'latin1');
  return copy;
}

test('a rewritten font has the characters, names and widths of the font, and no programs', () => {
  const rewritten = rewriteFont(font) ?? Buffer.alloc(0);
  for (const program of ['fpgm', 'prep', 'cvt ']) {
    expect([...tablesOf(font).keys()]).toContain(program);
    expect([...tablesOf(rewritten).keys()]).not.toContain(program);
  }
  expect(tableOf(rewritten, 'hmtx')).toEqual(tableOf(font, 'hmtx'));
  expect(tableOf(rewritten, 'maxp').readUInt16BE(4)).toBe(tableOf(font, 'maxp').readUInt16BE(4));
  expect(tableOf(rewritten, 'name').includes(Buffer.from('DejaVu Sans', 'utf16le').swap16())).toBe(true);
  // Once more changes nothing: it has all that is understood.
  expect(rewriteFont(rewritten)).toEqual(rewritten);
});

test('tables that are not known do not stay', () => {
  // The directory stays sorted.
  for (const [tag, name] of [
    ['OS/2', 'SVG '],
    ['prep', 'sbix'],
    ['prep', 'zzzz'],
  ] as const) {
    const rewritten = rewriteFont(renamed(tag, name)) ?? Buffer.alloc(0);
    expect([...tablesOf(rewritten).keys()]).toContain('glyf');
    expect([...tablesOf(rewritten).keys()]).not.toContain(name);
  }
});

test('what lacks outlines or characters is not a font', () => {
  expect(rewriteFont(renamed('kern', 'kerz'))).toBeDefined();
  for (const tag of ['glyf', 'cmap', 'head', 'maxp', 'hmtx'])
    expect([tag, rewriteFont(renamed(tag, `${tag.slice(0, 3)}z`))]).toEqual([tag, undefined]);
  for (const bytes of ['', 'a', '\x7fELF', 'OTTO'.padEnd(2_000, '\xff')])
    expect(rewriteFont(Buffer.from(bytes, 'latin1'))).toBeUndefined();
});

test('damage yields another font or none', () => {
  let seed = 20_261_124;
  const below = (end: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % end;
  };
  let rewritten = 0;
  for (let round = 0; round < 40; round++) {
    const damaged = Buffer.from(font.subarray(0, round % 4 === 0 ? below(font.length) : font.length));
    const { offset, length } = [...tablesOf(font).values()][below(tablesOf(font).size)] as Table;
    const start = round % 2 === 0 ? offset : 12;
    const end = round % 2 === 0 ? length : 300;
    for (let i = 0; i < 20; i++) damaged[start + below(Math.min(end, 2_000))] = below(256);
    const result = rewriteFont(damaged);
    if (result === undefined) continue;
    rewritten++;
    for (const { offset: at, length: bytes } of tablesOf(result).values())
      expect(at + bytes).toBeLessThanOrEqual(result.length);
  }
  expect(rewritten).toBeGreaterThan(0);
  // The instance still works, or has been replaced.
  expect(rewriteFont(font)).toBeDefined();
});
