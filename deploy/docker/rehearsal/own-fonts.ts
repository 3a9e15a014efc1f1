import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';

const FAMILY = 'Company One';
const FILE = 'company.ttf';
/** Where the guide to fonts puts them. */
export const FONT_FOLDER = '/usr/local/share/fonts/company';
/** The layer of the guide to fonts, as a stage behind those of the Dockerfile of the converter. */
export const FONT_LAYER = `\nFROM final AS fonts\nCOPY fonts/ ${FONT_FOLDER}/\n`;

/** A document with the font. */
export const documentInFont = (): Buffer =>
  templateOf(p(run('In a font of ours', `<w:rFonts w:ascii="${FAMILY}" w:hAnsi="${FAMILY}"/>`)));

/** Writes a font that no image has: DejaVu Sans under a name of equal length. */
export function writeFont(imageRoot: string, folder: string): void {
  const font = readFileSync(join(imageRoot, 'usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'));
  for (const [from, to] of [
    ['DejaVu Sans', FAMILY],
    ['DejaVuSans', FAMILY.replace(' ', '')],
  ] as const)
    for (const encode of [(text: string) => Buffer.from(text), inUtf16]) {
      const [old, next] = [encode(from), encode(to)];
      for (let at = font.indexOf(old); at >= 0; at = font.indexOf(old, at + 1)) next.copy(font, at);
    }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, FILE), font);
}

/** In the big-endian form of name tables (ISO/IEC 14496-22, 5.2.7). */
const inUtf16 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** A folder as Kubernetes mounts a ConfigMap: the file is a link into a folder, which another link names. */
export function mountAsConfigMap(fonts: string, folder: string): void {
  mkdirSync(join(folder, '..2026_01_01'), { recursive: true });
  writeFileSync(join(folder, '..2026_01_01', FILE), readFileSync(join(fonts, FILE)));
  symlinkSync('..2026_01_01', join(folder, '..data'));
  symlinkSync(`..data/${FILE}`, join(folder, FILE));
}
