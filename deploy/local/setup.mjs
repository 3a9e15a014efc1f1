import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { aptInstall } from './apt.mjs';
import { endSteps, root, runStep, SetupError, say } from './progress.mjs';
import { macRequirements, RECOMMENDED, requirements, testRequirements } from './requirements.mjs';

/** It runs TypeScript as it is. */
const NODE_MAJOR = 24;
const OWN_NODE = 'deploy/node';
/** npm puts the project's own Node before that of the machine, once it is installed. */
const isOwn = process.execPath.startsWith(join(root, 'node_modules'));
const isNewEnough = !isOwn && Number(process.versions.node.split('.')[0]) >= NODE_MAJOR;

/** The Node that runs the project: that of the machine, or the project's own if that is too old. */
export const nodeBinary = isNewEnough
  ? process.execPath
  : join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');

/** The workspaces that run without development tools: the product, its servers, and the page that it builds. */
const PRODUCT = ['services', 'packages/testing', 'pages/try'];
/** The lock file of which only the packages of the product are installed. */
const PRODUCT_MARK = join(root, 'node_modules', '.product-of-lock');

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
  if (missing.some((need) => !RECOMMENDED.includes(need.kind))) {
    throw new SetupError(`${text}\nInstall the packages of your system that provide them, then start again.`);
  }
  say(`${text}. Documents that need them will look different, or are compared by one reader only.`);
}

function checkMac() {
  const missing = macRequirements.filter((need) => !need.has()).map((need) => need.package);
  if (missing.length > 0) {
    throw new SetupError(
      `Run:\n\n${missing.map((name) => `  brew install ${name}`).join('\n')}\n\nthen start again.`,
    );
  }
}

const readLock = () => readFileSync(join(root, 'package-lock.json'), 'utf8');

/** Whether node_modules has all packages of package-lock.json, by npm's record of the installation. */
function hasAllPackages() {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = JSON.parse(readLock()).packages;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true;
    const found = installed[path];
    // Optional packages of other platforms are in the lock file, but not installed.
    if (found === undefined) return entry.optional === true;
    return found.version === entry.version && found.link === entry.link;
  });
}

const markOfLock = () => createHash('sha256').update(readLock()).digest('hex');
const hasProductPackages = () =>
  existsSync(PRODUCT_MARK) && readFileSync(PRODUCT_MARK, 'utf8') === markOfLock();

/** The arguments of npm for some packages. A Node that is new enough is not installed beside it. */
function selection(isProduct) {
  const select = (paths) => paths.flatMap((path) => ['--workspace', path]);
  if (isProduct) return ['--omit=dev', ...select([...PRODUCT, ...(isNewEnough ? [] : [OWN_NODE])])];
  if (!isNewEnough) return ['--include=dev'];
  const workspaces = Object.keys(JSON.parse(readLock()).packages).filter(
    (path) => path !== '' && path !== OWN_NODE && !path.includes('node_modules/'),
  );
  return ['--include=dev', '--include-workspace-root', ...select(workspaces)];
}

/**
 * Installs the npm packages, unless they are as package-lock.json has them: all of them, or those with which the product
 * runs, a third.
 */
export async function installDependencies({ isProduct = false } = {}) {
  if (existsSync(nodeBinary) && ((isProduct && hasProductPackages()) || hasAllPackages())) return;
  // What runs meanwhile keeps its packages.
  const verb = hasProductPackages() ? ['install', '--no-save'] : ['ci'];
  const args = [...verb, ...selection(isProduct), '--no-audit', '--no-fund', '--loglevel=http'];
  const npm = process.env.npm_execpath;
  const [command, ...rest] = npm === undefined ? ['npm', ...args] : [process.execPath, npm, ...args];
  // Some packages would report their installation to their authors.
  const env = { SCARF_ANALYTICS: 'false', DO_NOT_TRACK: '1' };
  // Without them, node-gyp fetches the headers of Node from its site, which a firewall may hold back.
  const nodedir = dirname(dirname(process.execPath));
  if (existsSync(join(nodedir, 'include', 'node', 'node_api.h'))) env.npm_config_nodedir = nodedir;
  const label = isProduct ? 'Installing the npm packages of the product' : 'Installing all npm packages';
  await runStep(label, command, rest, { log: 'npm-ci', env });
  if (!existsSync(nodeBinary))
    throw new SetupError(
      `The project needs Node ${NODE_MAJOR} or newer; this is ${process.version}, and npm has none for ${process.platform}-${process.arch}.`,
    );
  if (isProduct) writeFileSync(PRODUCT_MARK, markOfLock());
}

async function build() {
  const turbo = join(root, 'node_modules', 'turbo', 'bin', 'turbo');
  const env = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' };
  await runStep('Building', nodeBinary, [turbo, 'run', 'build', '--output-logs=new-only', '--ui=stream'], {
    log: 'build',
    env,
  });
}

/** The only parts of the product that are compiled before they run; quick if nothing changed. */
const PROGRAMS = [
  { label: 'Building the engine host', folder: ['services', 'converter', 'engine-host'] },
  { label: 'Building the second reader', folder: ['services', 'verifier', 'second-reader'] },
];

async function buildPrograms() {
  if (process.platform === 'darwin') return;
  for (const { label, folder } of PROGRAMS) {
    const args = ['-C', join(root, ...folder), `-j${availableParallelism()}`];
    if (spawnSync('make', ['-q', ...args], { stdio: 'ignore' }).status === 0) continue;
    await runStep(label, 'make', args, { log: folder.at(-1) });
  }
}

/** Makes the fonts that are as wide as those of Office; quick if nothing changed. They are in the sandbox, which Linux has. */
function makeMetricFonts() {
  if (process.platform !== 'linux') return;
  const program = join(root, 'packages', 'fonts', 'src', 'metric-copies', 'make.ts');
  const folder = join(root, 'services', 'converter', 'dist', 'metric-fonts');
  const { status } = spawnSync(nodeBinary, [program, folder], { stdio: 'inherit' });
  if (status !== 0)
    say('There are no fonts as wide as those of Office. Documents that need them will look different.');
}

/** Waits for all of them. The first failure ends the others. */
async function together(...parts) {
  try {
    await Promise.all(parts);
  } catch (error) {
    endSteps();
    throw error;
  }
}

/** Prepares the machine and the checkout for services, or for tests, too; quick if nothing is missing. */
export async function setup({ forTests = false } = {}) {
  const [major] = process.versions.node.split('.');
  if (Number(major) < 18)
    throw new SetupError(`The setup needs Node 18 or newer; this is ${process.version}.`);
  const machine = installPackages(forTests);
  if (forTests) {
    await together(machine, installDependencies());
    await build();
  } else await together(machine.then(buildPrograms), installDependencies({ isProduct: true }));
  makeMetricFonts();
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
