import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// @boundaries-ignore runs before npm has linked the workspaces
import { RELEASES_WITH_OLD_OFFICE } from '../../services/converter/libreoffice.mjs';
import { runStep, SetupError, say } from './progress.mjs';
import { RECOMMENDED } from './requirements.mjs';

const SOURCES = '/etc/apt/sources.list.d';
const BACKPORTS_FILE = `${SOURCES}/scriptorium-backports.sources`;
const APT_OPTIONS = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=180', '-o', 'Dpkg::Use-Pty=0'];

/** The command prefix for root, `sudo` if it may ask for a password or needs none; undefined if neither is possible. */
function asRoot() {
  if (process.getuid() === 0) return [];
  if (spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0) return ['sudo', '-n'];
  if (process.stdin.isTTY && spawnSync('sudo', ['-V'], { stdio: 'ignore' }).status === 0) {
    say('sudo asks for your password to install packages:');
    if (spawnSync('sudo', ['-v'], { stdio: 'inherit' }).status === 0) return ['sudo', '-n'];
  }
  return undefined;
}

function releaseCodename() {
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const value = (name) => new RegExp(`^${name}="?([^"\\n]*)`, 'm').exec(text)?.[1];
  return value('ID') === 'debian' ? value('VERSION_CODENAME') : undefined;
}

function aptSourceFiles() {
  const parts = existsSync(SOURCES) ? readdirSync(SOURCES).map((name) => join(SOURCES, name)) : [];
  return ['/etc/apt/sources.list', ...parts].filter((file) => existsSync(file));
}

/** The mirror and the signing key from which this machine already takes its release. */
export function findMirror(codename, files = aptSourceFiles()) {
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    if (file.endsWith('.sources')) {
      for (const stanza of text.split(/\n\s*\n/)) {
        const field = (name) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(stanza)?.[1].trim();
        const suites = field('Suites')?.split(/\s+/) ?? [];
        const [uri] = field('URIs')?.split(/\s+/) ?? [];
        if (suites.includes(codename) && uri) return { uri, signedBy: field('Signed-By') };
      }
    } else {
      for (const line of text.split('\n')) {
        const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s/.exec(line);
        const signedBy = /signed-by=(\S+)/.exec(match?.[1] ?? '')?.[1];
        if (match?.[3] === codename) return { uri: match[2], signedBy };
      }
    }
  }
  return undefined;
}

function aptKnows(suite) {
  const policy = spawnSync('apt-cache', ['policy'], { encoding: 'utf8' });
  return policy.stdout?.includes(`n=${suite}`) ?? false;
}

function writeAsRoot(sudo, file, text) {
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-'));
  const draft = join(folder, 'sources');
  writeFileSync(draft, text, { mode: 0o644 });
  const [command, ...args] = [...sudo, 'install', '-m', '644', draft, file];
  execFileSync(command, args);
  rmSync(folder, { recursive: true });
}

/** Adds the release's backports to apt, unless they are configured; false if no mirror is known. */
function addBackports(sudo, codename) {
  const suite = `${codename}-backports`;
  if (aptKnows(suite)) return true;
  const mirror = findMirror(codename);
  if (mirror === undefined) return false;
  say(`Adding ${suite} to the package sources for its newer LibreOffice (${BACKPORTS_FILE})`);
  const lines = ['Types: deb', `URIs: ${mirror.uri}`, `Suites: ${suite}`, 'Components: main'];
  if (mirror.signedBy) lines.push(`Signed-By: ${mirror.signedBy}`);
  writeAsRoot(sudo, BACKPORTS_FILE, `${lines.join('\n')}\n`);
  return true;
}

/** Whether the added backports responded. If not, removes them, which is not an error. */
function backportsAnswered(sudo, codename) {
  const suite = `${codename}-backports`;
  if (aptKnows(suite)) return true;
  say(`${suite} is not reachable; using the release's own LibreOffice.`);
  const [command, ...args] = [...sudo, 'rm', '-f', BACKPORTS_FILE];
  execFileSync(command, args);
  return false;
}

/** The version family of a LibreOffice that dpkg knows: its packages must not be mixed with another version's. */
function installedOffice() {
  const names = ['libreoffice-core', 'libreoffice-core-nogui'];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own format language.
  const format = '${db:Status-Abbrev} ${Package} ${Version}\\n';
  const query = spawnSync('dpkg-query', ['-W', '-f', format, ...names], { encoding: 'utf8' });
  const [, name, version] = /^ii\s+(\S+)\s+(\S+)/m.exec(query.stdout ?? '') ?? [];
  return name === undefined ? undefined : { name, isBackport: version.includes('~bpo') };
}

function manualMessage(names) {
  return (
    `These Debian packages are missing:\n\n  ${names.join('\n  ')}\n\n` +
    'and this account cannot install them (it is not root, and sudo is missing or refused). As root, run:\n\n' +
    `  apt-get update && apt-get install --no-install-recommends ${names.join(' ')}\n\nthen start again.`
  );
}

/** Installs packages with apt; never replaces an installed LibreOffice. */
export async function aptInstall(missing) {
  const office = installedOffice();
  const name = (need) =>
    // Beside the desktop LibreOffice, the -nogui packages would replace it.
    office?.name === 'libreoffice-core' ? need.package.replace(/-nogui$/, '') : need.package;
  const names = missing.map(name);
  const sudo = asRoot();
  if (sudo === undefined) throw new SetupError(manualMessage(names));
  const codename = releaseCodename();
  const wantsNewOffice = office === undefined && missing.some((need) => need.kind === 'office');
  const added = wantsNewOffice && RELEASES_WITH_OLD_OFFICE.includes(codename) && addBackports(sudo, codename);
  const [update, ...updateArgs] = [...sudo, 'apt-get', 'update', '-q'];
  await runStep('Reading the package lists', update, updateArgs, { log: 'apt-update', minutesMax: 5 }).catch(
    () => say('  some package sources did not respond; continuing with the others'),
  );
  const suite = `${codename}-backports`;
  // Packages added to a LibreOffice must be of its own release.
  const backports = added
    ? backportsAnswered(sudo, codename)
    : office?.isBackport === true && aptKnows(suite);
  const install = async (needs, extra) => {
    if (needs.length === 0) return;
    const env = ['env', 'DEBIAN_FRONTEND=noninteractive'];
    const args = ['apt-get', 'install', ...APT_OPTIONS, '--no-install-recommends', ...extra];
    const [command, ...rest] = [...sudo, ...env, ...args, ...needs.map(name)];
    await runStep(`Installing ${needs.map(name).join(' ')}`, command, rest, { log: `apt-${needs[0].kind}` });
  };
  const of = (...kinds) => missing.filter((need) => kinds.includes(need.kind));
  await install(of('tool', ...RECOMMENDED), []);
  await install(of('office'), backports ? ['-t', suite] : []);
}
