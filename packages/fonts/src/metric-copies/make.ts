/**
 * make.ts FOLDER
 *
 * Makes the metric copies of the fonts of this host in a folder, unless it has them. Without a font that it needs, or with a
 * damaged one, a copy is left out and its name printed.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Sfnt } from '../sfnt.ts';
import { HANGUL, hangulFont } from './hangul.ts';
import { metricCopy } from './metric-copy.ts';
import { FACE_NAMES } from './names.ts';
import { FACES, type MetricCopy, metricCopies } from './table.ts';

const FONTS = '/usr/share/fonts';
/** Noto Sans CJK has no italics, and its Korean font is the second of a file. */
const HANGUL_FACES = ['regular', 'bold'] as const;
const KOREAN = 1;
/** A file beside the copies that names what they were made of. */
const MARK = 'made-of';

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder of the copies.');
const installed = new Map(
  readdirSync(FONTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tt[cf]$/.test(path))
    .map((path) => [path.slice(path.lastIndexOf('/') + 1), join(FONTS, path)]),
);

/** The files of the first family of which all faces are installed. */
function sourceFiles({ sources }: MetricCopy): string[] | undefined {
  for (const source of sources) {
    const names = FACES.map((face) => `${source}-${FACE_NAMES[face]}.ttf`.replaceAll(' ', ''));
    const files = names.map((name) => installed.get(name)).filter((file) => file !== undefined);
    if (files.length === FACES.length) return files;
  }
  return undefined;
}

/** Those of Noto Sans CJK. */
const hangulFiles = (): string[] =>
  HANGUL_FACES.flatMap((face) => installed.get(`NotoSansCJK-${FACE_NAMES[face]}.ttc`) ?? []);

/** What the copies are made of: the programs and tables here, and the fonts. */
function markOf(copies: readonly MetricCopy[]): string {
  const hash = createHash('sha256').update(JSON.stringify(copies.map(({ family }) => family)));
  for (const name of readdirSync(import.meta.dirname).sort()) {
    const path = join(import.meta.dirname, name);
    if (statSync(path).isFile()) hash.update(readFileSync(path));
  }
  hash.update(readFileSync(new URL('../../assets/metric-copies.json', import.meta.url)));
  for (const file of [...copies.flatMap((copy) => sourceFiles(copy) ?? []), ...hangulFiles()]) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function make(copy: MetricCopy, into: string): void {
  const files = sourceFiles(copy);
  if (files === undefined) {
    say(`${copy.family}: ${copy.sources.join(' or ')} is not installed`);
    return;
  }
  try {
    const made = files.map((path, index) =>
      metricCopy(new Sfnt({ path, index: 0 }), copy, FACES[index] ?? 'regular'),
    );
    for (const [index, face] of FACES.entries())
      writeFileSync(
        join(into, `${copy.family}-${FACE_NAMES[face]}.ttf`.replaceAll(' ', '')),
        made[index] ?? '',
      );
  } catch (error) {
    say(`${copy.family}: ${(error as Error).message}`);
  }
}

function makeHangul(into: string): void {
  const files = hangulFiles();
  if (files.length < HANGUL_FACES.length) {
    say(`${HANGUL}: Noto Sans CJK is not installed`);
    return;
  }
  try {
    for (const [index, face] of HANGUL_FACES.entries()) {
      const made = hangulFont(new Sfnt({ path: files[index] ?? '', index: KOREAN }), face);
      writeFileSync(join(into, `${HANGUL}-${FACE_NAMES[face]}.otf`.replaceAll(' ', '')), made);
    }
  } catch (error) {
    say(`${HANGUL}: ${(error as Error).message}`);
  }
}

const copies = metricCopies();
const mark = markOf(copies);
const markFile = join(folder, MARK);
if (!existsSync(markFile) || readFileSync(markFile, 'utf8') !== mark) {
  const next = `${folder}.new`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  for (const copy of copies) make(copy, next);
  makeHangul(next);
  writeFileSync(join(next, MARK), mark);
  rmSync(folder, { recursive: true, force: true });
  renameSync(next, folder);
}
