import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

// Plain JavaScript, because it runs before the project's packages are installed; this is what it exports.
const apt = new URL('../apt.mjs', import.meta.url).href;
const { findMirror } = (await import(apt)) as {
  findMirror(codename: string, files: string[]): { uri: string; signedBy?: string } | undefined;
};

const folder = mkdtempSync(join(tmpdir(), 'scriptorium-'));
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
let other: string;
beforeAll(() => {
  other = write('other.list', 'deb [signed-by=/k/other.asc] https://packages.example.org/apt stable main\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

test('finds the mirror of a deb822 source, among other stanzas', () => {
  const text = `Types: deb
# http://snapshot.example.org/
URIs: http://mirror.example.org/security
Suites: bookworm-security
Components: main

Types: deb
URIs: http://mirror.example.org/debian http://second.example.org/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian.gpg
`;
  expect(findMirror('bookworm', [other, write('debian.sources', text)])).toEqual({
    uri: 'http://mirror.example.org/debian',
    signedBy: '/usr/share/keyrings/debian.gpg',
  });
});

test('finds the mirror of a one-line source, with options and without', () => {
  const plain = write(
    'plain.list',
    '# deb http://no.example.org bookworm main\ndeb http://a.example.org/d bookworm main\n',
  );
  const signed = write(
    'signed.list',
    'deb [arch=amd64 signed-by=/k.gpg] http://b.example.org/d bookworm main\n',
  );
  expect(findMirror('bookworm', [plain])).toEqual({ uri: 'http://a.example.org/d', signedBy: undefined });
  expect(findMirror('bookworm', [signed])).toEqual({ uri: 'http://b.example.org/d', signedBy: '/k.gpg' });
});

test('finds no mirror if no source provides the release', () => {
  expect(findMirror('bookworm', [other])).toBeUndefined();
});
