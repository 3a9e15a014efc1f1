import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replacements, replacementsByWord } from './font-replacements.ts';
import { metricFontsFolder, metricReplacements } from './metric-fonts.ts';

/** The configuration of the host, which follows what is added here. */
const SYSTEM_CONFIG = '/etc/fonts/fonts.conf';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? '');

const strings = (names: readonly string[]): string =>
  names.map((name) => `<string>${escaped(name)}</string>`).join('');

/** With the binding of the font itself, a replacement comes before any font that merely has the right language. */
const addAfterFirst = (names: readonly string[]): string =>
  `<edit name="family" mode="append" binding="same">${strings(names)}</edit>`;

function replaceFont(font: string, by: readonly string[]): string {
  return `<match target="pattern"><test name="family" qual="first"><string>${escaped(font)}</string></test>${addAfterFirst(by)}</match>`;
}

function replaceFontsWith(word: string, by: readonly string[]): string {
  return `<match target="pattern"><test name="family" qual="first" compare="contains"><string>${escaped(word)}</string></test>${addAfterFirst(by)}</match>`;
}

/**
 * A configuration of fontconfig (fonts-conf(5)): the fonts of the host and of more folders, and what replaces fonts that
 * are not installed. LibreOffice asks fontconfig before it looks into its own tables (see `libreoffice.mjs`).
 */
function fontConfig(folders: readonly string[], cache: string): string {
  // A later rule adds its families before those of an earlier one.
  const rules = [
    ...replacementsByWord()
      .reverse()
      .map(([word, by]) => replaceFontsWith(word, by)),
    ...[...replacements()].map(([font, by]) => replaceFont(font, by)),
  ];
  // The host replaces Cambria, too: the copy must go before what it names.
  const copies = metricReplacements().map(({ font, copy }) => replaceFont(font, [copy]));
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
${folders.map((folder) => `<dir>${escaped(folder)}</dir>\n`).join('')}${rules.join('\n')}
<cachedir>${escaped(cache)}</cachedir>
<include ignore_missing="yes">${SYSTEM_CONFIG}</include>
${copies.join('\n')}
</fontconfig>
`;
}

/** Writes the configuration to a folder that the engine can read. Returns the variables by which the engine uses it. */
export function writeFontConfig(dir: string, folder?: string): Record<string, string> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, 'fonts.conf');
  const copies = metricFontsFolder();
  const folders = [folder, copies].filter((each) => each !== undefined);
  // Where it may write the cache of folders that the host has none for: else it says so, as if it had failed.
  const cache = join(dir, 'font-cache');
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  writeFileSync(path, fontConfig(folders, cache), { mode: 0o600 });
  return {
    FONTCONFIG_FILE: path,
    ...(folder !== undefined && { FONTS_DIR: folder }),
    ...(copies !== undefined && { METRIC_FONTS_DIR: copies }),
  };
}

/** The family that fontconfig chooses for a font in an environment; undefined without fontconfig's programs. */
export function matchingFamily(font: string, environment: Record<string, string>): string | undefined {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...environment };
  const { stdout, status } = spawnSync('fc-match', ['--format=%{family}', font], { env, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}
