// Packs every package, installs each alone in an empty folder, and runs the example of its README there:
//   npm run packages:rehearse [-- <package>…]
// Dependencies come from the registry. The folders are temporary; they stay only if a package fails.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@scriptorium/database/migrations';
import { openDatabase } from '@scriptorium/database/pool';
import { Secret } from '@scriptorium/shared/config';
import { startPostgres } from '@scriptorium/testing/postgres-server';
import {
  compilerErrors,
  PACKAGES,
  readPackageReadme,
  root,
  runExample,
  writeCompilerSettings,
} from './package-readmes.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** A package and the packages of this workspace that it depends on. */
function closureOf(name: string): string[] {
  return [...new Set([name, ...readPackageReadme(name).dependencies.flatMap(closureOf)])];
}

/** Installs a package from its archive, and the types of Node for the compiler. */
function install(name: string, archives: string, folder: string): void {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies?: Record<string, string>;
  };
  const archiveOf = (one: string) =>
    join(archives, readdirSync(archives).find((file) => file.startsWith(`scriptorium-${one}-`)) ?? '');
  const manifest = {
    private: true,
    type: 'module',
    dependencies: Object.fromEntries(
      closureOf(name).map((one) => [`@scriptorium/${one}`, `file:${archiveOf(one)}`]),
    ),
    devDependencies: { '@types/node': devDependencies['@types/node'] },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  npm(['install', '--no-audit', '--no-fund', '--prefer-offline'], folder);
}

/** The files that the entries of an installed package lead to, under any condition. */
function targetsOf(installed: string): string[] {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    exports: Record<string, Record<string, string>>;
  };
  return Object.values(manifest.exports).flatMap((targets) => Object.values(targets));
}

/** What fails in a package that is installed alone; empty if nothing does. */
async function failuresOf(name: string, folder: string, databaseUrl: string): Promise<string[]> {
  const { example, prints, exports } = readPackageReadme(name);
  const failures: string[] = [];
  const installed = join(folder, 'node_modules', '@scriptorium', name);
  for (const file of ['README.md', 'LICENSE', ...targetsOf(installed)])
    if (!existsSync(join(installed, file))) failures.push(`${file} is not packed`);
  const printed = await runExample(name, example, { folder, databaseUrl });
  if (printed.join('\n') !== prints.join('\n')) failures.push(`the example prints ${printed.join(' / ')}`);
  const imports = [...exports.keys()].map((entry) => `import '@scriptorium/${name}${entry.slice(1)}';\n`);
  await runExample('every-entry', imports.join(''), { folder, databaseUrl });
  // Checks the declarations of the packages too: the types that they import must be installed with them.
  await writeCompilerSettings(folder, { skipLibCheck: false });
  const found = await compilerErrors(folder);
  const own = found.split('\n').filter((line) => line.includes('@scriptorium') || /^[\w-]+\.ts/.test(line));
  return [...failures, ...own];
}

async function main(names: readonly string[]): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-packed-'));
  const packable = PACKAGES.filter((name) => name !== 'testing');
  npm(['run', 'build', ...packable.map((name) => `--workspace=packages/${name}`)], root);
  npm(
    ['pack', `--pack-destination=${folder}`, ...packable.map((name) => `--workspace=packages/${name}`)],
    root,
  );
  const server = await startPostgres({ outlives: 'stop' });
  const database = openDatabase(new Secret(server.url));
  await migrate(database);
  await database.end();
  let isSound = true;
  for (const name of names.length === 0 ? packable : names) {
    const place = mkdtempSync(join(folder, `${name}-`));
    install(name, folder, place);
    const failures = await failuresOf(name, place, server.url);
    say(failures.length === 0 ? `${name}: works alone` : `${name}: ${failures.join('\n  ')}`);
    isSound &&= failures.length === 0;
  }
  await server.stop();
  if (isSound) rmSync(folder, { recursive: true });
  else say(`The packages lie in ${folder}.`);
  return isSound;
}

process.exit((await main(process.argv.slice(2))) ? 0 : 1);
