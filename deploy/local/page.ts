import { execFile } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './services.ts';

const run = promisify(execFile);
const BUILD_MS_MAX = 120_000;
const page = join(root, 'pages', 'try');
const built = join(page, 'dist');
/** What the page `/try` is made of. */
const SOURCES = ['pages/try/src', 'pages/try/index.html', 'pages/try/vite.config.ts', 'clients/sdk/src'];

function changedAt(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

/** Removes the built page `/try` if it is older than its sources. Returns whether it must be built. */
export function dropOldPage(): boolean {
  const index = join(built, 'index.html');
  const sources = [...SOURCES, 'package-lock.json'].map((path) => changedAt(join(root, path)));
  if (existsSync(index) && statSync(index).mtimeMs >= Math.max(...sources)) return false;
  rmSync(built, { recursive: true, force: true });
  return true;
}

/** Builds the page `/try`. The gateway serves it as soon as its folder is there, so it appears whole. */
export async function buildPage(signal: AbortSignal): Promise<void> {
  const draft = join(root, 'node_modules', '.cache', 'try');
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--outDir', draft, '--emptyOutDir', '--logLevel', 'error'];
  await run(process.execPath, args, { cwd: page, signal, timeout: BUILD_MS_MAX });
  rmSync(built, { recursive: true, force: true });
  renameSync(draft, built);
}
