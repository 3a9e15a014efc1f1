import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Folder } from '../src/mcp/folder.ts';

const BYTES_MAX = 100;
let base: string;
let root: string;
let folder: Folder;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'scriptorium-folder-'));
  root = join(base, 'open');
  await mkdir(join(root, 'inner'), { recursive: true });
  await mkdir(join(base, 'open-beside'));
  for (const path of ['secret', 'open-beside/secret', 'open/letter', 'open/inner/letter'])
    await writeFile(join(base, path), path);
  await writeFile(join(root, 'large'), 'x'.repeat(BYTES_MAX + 1));
  await symlink('../secret', join(root, 'link'));
  await symlink('..', join(root, 'up'));
  await symlink('../nothing', join(root, 'nowhere'));
  await symlink('letter', join(root, 'alias'));
  await symlink(root, join(base, 'named'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  folder = await Folder.open(join(base, 'named'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const OUTSIDE = [
  '../secret',
  'inner/../../secret',
  'up/secret',
  'up/open/../secret',
  '../open-beside/secret',
  '/etc/passwd',
  '/proc/self/environ',
  '',
  'letter\0.docx',
];

describe('a path that leads out of the folder', () => {
  test.each([...OUTSIDE, 'link'])('is not read: %j', async (path) => {
    await expect(folder.read(path, BYTES_MAX)).rejects.toMatchObject({ code: 'OUTSIDE_FOLDER' });
  });

  test.each([...OUTSIDE, 'up/new', '../new', 'inner/../../new'])('is not written: %j', async (path) => {
    for (const attempt of [() => folder.checkNew(path), () => folder.create(path, Buffer.from('x'))])
      await expect(attempt()).rejects.toMatchObject({ code: 'OUTSIDE_FOLDER' });
    expect(await readdir(base)).toEqual(['named', 'open', 'open-beside', 'secret']);
  });
});

test('files and links within the folder are read, by relative and real paths', async () => {
  for (const path of ['letter', './inner/../letter', 'alias', join(folder.root, 'letter'), 'up/open/letter'])
    expect(await (await folder.read(path, BYTES_MAX)).text()).toBe('open/letter');
});

test.each([
  ['large', 'FILE_TOO_LARGE'],
  ['missing', 'FILE_NOT_FOUND'],
  ['inner', 'FILE_UNREADABLE'],
  ['pipe', 'FILE_UNREADABLE'],
  ['letter/x', 'FILE_UNREADABLE'],
])('%s is not read, and does not hang', async (path, code) => {
  await expect(folder.read(path, BYTES_MAX)).rejects.toMatchObject({ code });
});

test.each(['letter', 'link', 'nowhere', 'inner', '.'])(
  '%s is not replaced, and not written through',
  async (path) => {
    for (const attempt of [() => folder.checkNew(path), () => folder.create(path, Buffer.from('x'))])
      await expect(attempt()).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    expect(await readFile(join(base, 'secret'), 'utf8')).toBe('secret');
    expect(await readdir(base)).not.toContain('nothing');
  },
);

test('a new file is written as a whole', async () => {
  await folder.checkNew('inner/new.pdf');
  await folder.create('inner/new.pdf', Buffer.from('bytes'));
  expect(await readFile(join(root, 'inner/new.pdf'), 'utf8')).toBe('bytes');
});

test('a folder that becomes a link while files are opened leads nowhere', async () => {
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'outside/letter'), 'outside');
  let isOver = false;
  const swapping = (async () => {
    while (!isOver) {
      await rename(join(root, 'inner'), join(base, 'kept'));
      await symlink('../outside', join(root, 'inner'));
      await rm(join(root, 'inner'));
      await rename(join(base, 'kept'), join(root, 'inner'));
    }
  })();
  const read = new Set<string>();
  for (let turn = 0; turn < 300; turn++) {
    await folder.read('inner/letter', BYTES_MAX).then(
      async (file) => read.add(await file.text()),
      ({ code }) => read.add(code),
    );
    await folder.create(`inner/new-${turn}`, Buffer.from('x')).catch(() => undefined);
  }
  isOver = true;
  await swapping;
  expect([...read]).not.toContain('outside');
  expect(await readdir(join(base, 'outside'))).toEqual(['letter']);
});
