import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from './progress.mjs';

/** What a file names: modules, and files that it starts as threads. */
const NAMED = /(?:from|import\()\s*'([^']+)'|^import\s+'([^']+)'|new URL\(\s*'(\.{1,2}\/[^']+)'/gm;
/** A module that runs other programs, and addresses of the servers of a test run. */
const PROGRAMS = 'node:child_process';
const SERVERS = /process\.env\.(?:DATABASE_URL|SMTP_URL|REDIS_URL|REDIS_BLOB_URL|MAILDEV_URL)/;
/** It asks for the font of texts in SVG images, and only then. */
const FOR_SVG = join('packages', 'images', 'src', 'svg', 'text-font.ts');
const OWN = /^@scriptorium\/([^/]+)\/(.+)$/;

const folders = new Map();

/** The folder of a workspace package, by its name without the scope. */
function folderOf(name) {
  if (!folders.has(name)) {
    const link = join(root, 'node_modules', '@scriptorium', name);
    const manifest = existsSync(link) ? JSON.parse(readFileSync(join(link, 'package.json'), 'utf8')) : {};
    folders.set(name, { link, exports: manifest.exports ?? {} });
  }
  return folders.get(name);
}

/** The source file of an import; undefined for packages of others. */
function fileOf(name, from) {
  if (name.startsWith('.')) return fileURLToPath(new URL(name, pathToFileURL(from)));
  const [, workspace, entry] = OWN.exec(name) ?? [];
  if (workspace === undefined) return undefined;
  const { link, exports } = folderOf(workspace);
  const known = exports[`./${entry}`] ?? exports['./*'];
  const path = known?.source ?? known;
  // Without a path, it counts as a file that cannot be followed.
  return join(
    existsSync(link) ? realpathSync(link) : link,
    typeof path === 'string' ? path.replace('*', entry) : `${entry}.ts`,
  );
}

/**
 * Whether a test, or what it imports, runs other programs or uses the servers of a test run. Then it needs the system
 * packages. A file that cannot be followed counts as one that does.
 */
export function needsSystem(file) {
  const isAboutSvg = existsSync(file) && /svg/i.test(readFileSync(file, 'utf8'));
  return reaches(file, new Set(isAboutSvg ? [] : [realpathSync(join(root, FOR_SVG))]));
}

function reaches(file, seen) {
  if (seen.has(file) || !/\.(?:ts|mjs|js)$/.test(file)) return false;
  seen.add(file);
  if (!existsSync(file)) return true;
  const text = readFileSync(file, 'utf8');
  if (SERVERS.test(text)) return true;
  const names = namesIn(text);
  return names.includes(PROGRAMS) || filesNamed(names, file).some((next) => reaches(next, seen));
}

const namesIn = (text) =>
  [...text.matchAll(NAMED)].map(([, imported, bare, thread]) => imported ?? bare ?? thread);
const filesNamed = (names, from) =>
  names.map((name) => fileOf(name, from)).filter((file) => file !== undefined);

/** A file, and all files of the repository that it imports or starts, over however many others. */
export function reachedFrom(file, reached = new Set()) {
  if (reached.has(file) || !/\.(?:ts|mjs|js)$/.test(file) || !existsSync(file)) return reached;
  reached.add(file);
  for (const next of filesNamed(namesIn(readFileSync(file, 'utf8')), file)) reachedFrom(next, reached);
  return reached;
}
