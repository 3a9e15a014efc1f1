import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

// Plain JavaScript, because it runs before the project's packages are installed; this is what it exports.
const apt = new URL('../../local/apt.mjs', import.meta.url).href;
const { findMirror } = (await import(apt)) as { findMirror(codename: string): { uri: string } | undefined };

const RELEASE = 'trixie';
const SLIM = ['/usr/share/doc', '/usr/share/man', '/usr/share/info', '/usr/share/locale'];

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** The mirror of this machine's own packages; if none is known, debootstrap uses its default. */
function mirror(): string[] {
  const codename = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '';
  const found = findMirror(codename);
  return found === undefined ? [] : [found.uri];
}

/**
 * Replaces `debian:trixie-slim`: Debian's smallest system without documentation, with dpkg set to omit it from now on.
 */
function makeDebian(root: string): void {
  run('debootstrap', '--variant=minbase', RELEASE, root, ...mirror());
  const excluded = SLIM.map((path) => `path-exclude ${path}/*\n`).join('');
  writeFileSync(
    join(root, 'etc/dpkg/dpkg.cfg.d/docker'),
    `${excluded}path-include /usr/share/doc/*/copyright\n`,
  );
  for (const path of [...SLIM, '/var/lib/apt/lists', '/var/cache/apt', '/var/log/apt'])
    run(
      'find',
      join(root, path),
      '-mindepth',
      '1',
      '-not',
      '-name',
      'copyright',
      '-not',
      '-type',
      'd',
      '-delete',
    );
}

/**
 * Replaces `node:24-trixie-slim`: that Debian with this Node in /usr/local, this machine's npm, and headers. The
 * headers are those of this machine's Node, of any version: compilation only needs Node-API, which is the same in all
 * versions.
 */
function makeNode(root: string, debian: string): void {
  run('cp', '-a', debian, root);
  const local = join(root, 'usr/local');
  cpSync(realpathSync(process.execPath), join(local, 'bin/node'));
  const [npm = ''] = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).split('\n');
  mkdirSync(join(local, 'lib/node_modules'));
  cpSync(dirname(dirname(realpathSync(npm))), join(local, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  cpSync('/usr/include/node', join(local, 'include/node'), { recursive: true });
}

/** Creates the base images in a folder, unless they exist from a previous run. */
export function makeBases(folder: string): { debian: string; node: string } {
  const debian = join(folder, 'debian');
  const node = join(folder, 'node');
  mkdirSync(folder, { recursive: true });
  for (const [root, make] of [
    [debian, () => makeDebian(debian)],
    [node, () => makeNode(node, debian)],
  ] as const) {
    if (existsSync(`${root}.done`)) continue;
    rmSync(root, { recursive: true, force: true });
    make();
    writeFileSync(`${root}.done`, '');
  }
  return { debian, node };
}
