import { describe, expect, test } from '@jest/globals';
import { replacedFonts, systemFonts } from '../src/fonts.ts';

const fonts = systemFonts();

describe('the installed fonts', () => {
  test('stand in for those that are not installed', async () => {
    expect(await replacedFonts(['Calibri', 'Liberation Sans'], fonts)).toEqual([
      { asked: 'Calibri', used: 'Carlito' },
    ]);
  });

  test('are enough for a list that one of them is on', async () => {
    expect(await replacedFonts(['No Such Font;Liberation Serif;serif'], fonts)).toEqual([]);
  });

  test('are not confused by names that mean something to fontconfig', async () => {
    for (const name of ['-v', '', 'a:b=c', 'Liberation Sans:bold', 'x\0y', ',', '\\'])
      expect(await replacedFonts([name], fonts)).toMatchObject([{ asked: name }]);
  });

  test('have the scripts that the set-up installs', async () => {
    expect(await fonts.missingScripts(['Han', 'Arabic', 'Hebrew', 'Devanagari', 'Greek'])).toEqual([]);
  });

  test('are not said to lack what is no script beyond Latin', async () => {
    expect(await fonts.missingScripts(['Latin', 'Klingon'])).toEqual([]);
  });
});
