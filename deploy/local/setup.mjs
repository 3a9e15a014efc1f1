import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { aptInstall } from './apt.mjs';
import { root, runStep, SetupError, say } from './progress.mjs';
import { macRequirements, requirements, testRequirements } from './requirements.mjs';

/** The project's own Node, installed by `npm ci`. */
export const nodeBinary = join(root, 'node_modules', 'node', 'bin', 'node');

async function installPackages(forTests) {
  if (process.platform === 'darwin') return checkMac();
  const needs = forTests ? [...requirements, ...testRequirements] : requirements;
  const missing = needs.filter((need) => !need.has());
  if (missing.length === 0) return;
  const names = missing.map((need) => need.package);
  if (spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0) {
    await aptInstall(missing);
    const still = needs.filter((need) => !need.has()).map((need) => need.package);
    if (still.length > 0) throw new SetupError(`Still missing after the installation: ${still.join(' ')}`);
    return;
  }
  const text = `Missing packages (Debian names): ${names.join(' ')}`;
  if (missing.some((need) => need.kind !== 'font')) {
    throw new SetupError(`${text}\nInstall the packages of your system that provide them, then start again.`);
  }
  say(`${text}. Documents that use these fonts will look different.`);
}

function checkMac() {
  const missing = macRequirements.filter((need) => !need.has()).map((need) => need.package);
  if (missing.length > 0) {
    throw new SetupError(
      `Run:\n\n${missing.map((name) => `  brew install ${name}`).join('\n')}\n\nthen start again.`,
    );
  }
}

/** Whether node_modules matches package-lock.json, by npm's record of the installation. */
function dependenciesAreInstalled() {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record) || !existsSync(nodeBinary)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true;
    const found = installed[path];
    // Optional packages of other platforms are in the lock file, but not installed.
    if (found === undefined) return entry.optional === true;
    return found.version === entry.version && found.link === entry.link;
  });
}

/** Installs the npm packages, unless they are as package-lock.json has them. */
export async function installDependencies() {
  if (dependenciesAreInstalled()) return;
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=http'];
  const npm = process.env.npm_execpath;
  const [command, ...rest] = npm === undefined ? ['npm', ...args] : [process.execPath, npm, ...args];
  // Some packages would report their installation to their authors.
  const env = { SCARF_ANALYTICS: 'false', DO_NOT_TRACK: '1' };
  await runStep('Installing the npm packages (npm ci)', command, rest, { log: 'npm-ci', env });
  if (!existsSync(nodeBinary)) {
    throw new SetupError(`npm ci left no ${nodeBinary}: were install scripts switched off (ignore-scripts)?`);
  }
}

async function build() {
  const turbo = join(root, 'node_modules', 'turbo', 'bin', 'turbo');
  const env = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' };
  await runStep('Building', nodeBinary, [turbo, 'run', 'build', '--output-logs=new-only', '--ui=stream'], {
    log: 'build',
    env,
  });
}

/** Prepares the machine and the checkout for services and tests; quick if nothing is missing. */
export async function setup({ forTests = false } = {}) {
  const [major] = process.versions.node.split('.');
  if (Number(major) < 18)
    throw new SetupError(`The setup needs Node 18 or newer; this is ${process.version}.`);
  await installPackages(forTests);
  await installDependencies();
  await build();
}

/** Runs an entry script's main; reports a SetupError without its stack. */
export async function entry(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    // A full disk, or a checkout of another account.
    const isOfMachine =
      error instanceof SetupError || ['ENOSPC', 'EROFS', 'EACCES', 'EDQUOT'].includes(error.code);
    console.error(`\n${isOfMachine ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await entry(async () => {
    await setup({ forTests: process.argv.includes('--tests') });
    say('Ready.');
    return 0;
  });
}
