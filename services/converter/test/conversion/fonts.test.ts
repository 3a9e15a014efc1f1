import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { replacedFonts, systemFonts } from '../../src/conversion/fonts.ts';

const fonts = systemFonts();

describe('the installed fonts', () => {
  test('replace fonts that are not installed', async () => {
    expect(await replacedFonts([{ asked: 'Calibri' }, { asked: 'Liberation Sans' }], fonts)).toEqual([
      { asked: 'Calibri', used: 'Scriptor Cal' },
    ]);
  });

  test('satisfy a list of fonts if one of them is installed', async () => {
    expect(await replacedFonts([{ asked: 'No Such Font;Liberation Serif;serif' }], fonts)).toEqual([]);
  });

  test('are matched correctly for names with special characters of fontconfig', async () => {
    for (const name of ['-v', '', 'a:b=c', 'Liberation Sans:bold', 'x\0y', ',', '\\'])
      expect(await replacedFonts([{ asked: name }], fonts)).toMatchObject([{ asked: name }]);
  });

  test('support the scripts that the set-up installs', async () => {
    expect(await fonts.missingScripts(['Han', 'Arabic', 'Hebrew', 'Devanagari', 'Greek'])).toEqual([]);
  });

  test('are reported to lack an emoji that none of them has', async () => {
    expect(await fonts.missingScripts(['Greek', '\u{1f600}', '\u{1faf8}'])).toEqual(['\u{1faf8}']);
  });

  test('are not reported to lack scripts that do not exist', async () => {
    expect(await fonts.missingScripts(['Latin', 'Klingon'])).toEqual([]);
  });
});

describe('fontconfig', () => {
  const dir = mkdtempSync(join(tmpdir(), 'fonts-'));
  const command = join(dir, 'fc-match');
  const log = join(dir, 'log');
  const answering = () =>
    writeFileSync(
      command,
      `#!/bin/sh\necho begin >>${log}\nsleep 0.02\necho end >>${log}\necho Some Serif\n`,
      { mode: 0o755 },
    );
  afterEach(() => {
    for (const path of [command, log]) rmSync(path, { force: true });
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  test('is queried again by the next document after a failure', async () => {
    const installed = systemFonts(command);
    expect(await replacedFonts([{ asked: 'Rockwell' }], installed)).toEqual([{ asked: 'Rockwell' }]);
    answering();
    expect(await replacedFonts([{ asked: 'Rockwell' }], installed)).toEqual([
      { asked: 'Rockwell', used: 'Some Serif' },
    ]);
  });

  test('is queried with few requests at a time, and at most a hundred per document', async () => {
    answering();
    const names = Array.from({ length: 300 }, (_, index) => ({ asked: `a${index};b${index}` }));
    expect(await replacedFonts(names, systemFonts(command))).toHaveLength(300);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(200);
    let running = 0;
    const atOnce = lines.map((line) => (line === 'begin' ? ++running : --running));
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(4);
  });
});
