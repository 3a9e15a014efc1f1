import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ZipWriter } from '../src/zip-writer.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scriptorium-zip-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Reads the number of files and one file with Python's reader. */
function readBack(path: string, name: string): { count: number; text: string } {
  const script =
    'import json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\n' +
    'print(json.dumps({"count":len(z.namelist()),"text":z.read(sys.argv[2]).decode()}))';
  return JSON.parse(execFileSync('python3', ['-c', script, path, name], { encoding: 'utf8' }));
}

describe('an archive', () => {
  test('may have more files than the old form of its end can count', () => {
    const path = join(folder, 'many.zip');
    for (const count of [65_534, 65_535, 65_536, 100_001]) {
      const archive = new ZipWriter({ isCompressed: false });
      const file = openSync(path, 'w');
      for (let at = 0; at < count; at++)
        for (const piece of archive.add({ name: `${at}`, data: Buffer.from(`text ${at}`) }))
          writeSync(file, piece);
      for (const piece of archive.end()) writeSync(file, piece);
      closeSync(file);
      expect(readBack(path, `${count - 1}`)).toEqual({ count, text: `text ${count - 1}` });
    }
  });

  test('may have files beyond 4 GiB', () => {
    // The part before them is a hole: only the places in the headers count.
    const path = join(folder, 'large.zip');
    const archive = new ZipWriter({ isCompressed: false });
    const hole = Buffer.alloc(2 ** 30);
    const file = openSync(path, 'w');
    let at = 0;
    const put = (pieces: readonly Buffer[]): void => {
      for (const piece of pieces) {
        if (piece !== hole) writeSync(file, piece, 0, piece.length, at);
        at += piece.length;
      }
    };
    for (let part = 0; part < 4; part++) put(archive.add({ name: `hole ${part}`, data: hole }));
    put(archive.add({ name: 'last', data: Buffer.from('a text') }));
    put(archive.end());
    closeSync(file);
    expect(readBack(path, 'last')).toEqual({ count: 5, text: 'a text' });
  });
});
