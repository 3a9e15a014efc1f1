// Makes a release of what .changeset and the changelog hold: versions, changelog, commit and tag.
//   npm run change      describes a change, for the next release
//   npm run release     makes the release; push it with its tag afterwards
//   npm run release -- pin node=sha256:… debian=sha256:…
//                       writes digests of the base images into the files that build the images
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const CHART = 'deploy/helm/scriptorium/Chart.yaml';
const BAKE = 'deploy/docker/docker-bake.hcl';
const DOCKERFILE = 'deploy/docker/Dockerfile';
const BUILD_FILES = [BAKE, DOCKERFILE];
const BASES = ['node', 'debian'];
const home = resolve(import.meta.dirname, '..');
const changesetBin = join(home, 'node_modules', '@changesets', 'cli', 'bin.js');

/** The files of the changes that wait for a release, in the order of their names. */
function waitingChanges(root) {
  const folder = join(root, '.changeset');
  const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return names.sort().map((name) => join(folder, name));
}

const textOf = (file) =>
  readFileSync(file, 'utf8')
    .replace(/^---\n.*?\n---\n/s, '')
    .trim();

/** Writes the version into every file that names it, beside those that Changesets writes. */
function setVersion(root, before, version) {
  const edit = (path, change) =>
    writeFileSync(join(root, path), change(readFileSync(join(root, path), 'utf8')));
  const json = (path, change) =>
    edit(path, (text) => {
      const value = JSON.parse(text);
      change(value);
      return `${JSON.stringify(value, null, 2)}\n`;
    });
  json('package.json', (manifest) => {
    manifest.version = version;
  });
  json('package-lock.json', (lock) => {
    lock.version = version;
    lock.packages[''].version = version;
    for (const [path, entry] of Object.entries(lock.packages)) {
      if (path === '' || path.includes('node_modules/')) continue;
      const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
      entry.version = manifest.version;
      for (const kind of ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'])
        if (manifest[kind] !== undefined) entry[kind] = manifest[kind];
    }
  });
  edit(CHART, (text) =>
    text
      .replace(/^(version|appVersion): .*$/gm, `$1: ${version}`)
      .replaceAll(
        new RegExp(`(image: scriptorium/\\w+):${before.replaceAll('.', '\\.')}`, 'g'),
        `$1:${version}`,
      ),
  );
  edit(BAKE, (text) => text.replace(/(variable "VERSION" \{\s+default = )"[^"]*"/, `$1"${version}"`));
  edit(DOCKERFILE, (text) => text.replace(/^(ARG VERSION=).*$/m, `$1${version}`));
}

/** Puts the changes below the heading of this version, which gets its date. */
function writeChangelog(root, version, changes, date) {
  const file = join(root, 'CHANGELOG.md');
  const text = readFileSync(file, 'utf8');
  const heading = `## ${version} (${date})`;
  const lines = changes.map((change) => `- ${change.replaceAll('\n', '\n  ')}\n`).join('');
  const open = `## ${version} (unreleased)`;
  const next = text.includes(open)
    ? text.replace(open, lines === '' ? heading : `${heading}\n\n${lines.trimEnd()}`)
    : text.replace(/^# Changelog\n/, `# Changelog\n\n${heading}\n\n${lines}`);
  writeFileSync(file, next);
}

/**
 * Makes a release in a checkout without changes, and returns its version. A version without a tag is released as it is;
 * otherwise the waiting changes decide the next one. `generate` writes the generated documents.
 */
export function release(root, { date, generate }) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const versionOf = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).version;
  if (git('status', '--porcelain') !== '') throw new Error('The checkout has changes: commit them first.');
  const before = versionOf('package.json');
  const files = waitingChanges(root);
  const changes = files.map(textOf);
  const isTagged = git('tag', '--list', `v${before}`) !== '';
  if (isTagged && changes.length === 0) throw new Error('No change waits for a release: npm run change.');
  if (isTagged) execFileSync(process.execPath, [changesetBin, 'version'], { cwd: root });
  else for (const file of files) rmSync(file);
  const version = versionOf('shared/package.json');
  setVersion(root, before, version);
  writeChangelog(root, version, changes, date);
  generate();
  git('add', '--all');
  git('commit', '--quiet', '--message', `Release ${version}`);
  git('tag', '--annotate', '--message', `Scriptorium ${version}`, `v${version}`);
  return version;
}

/**
 * Writes digests of base images (`node=sha256:…`) behind their tags, in place of earlier ones. Returns the images by name.
 * Throws for an unknown image, a wrong digest, or a file that does not name the image once; then no file has changed.
 */
export function pinBases(root, references) {
  if (references.length === 0)
    throw new Error(`Give a digest: ${BASES.map((name) => `${name}=sha256:…`).join(' ')}`);
  const texts = new Map(BUILD_FILES.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const pinned = {};
  for (const reference of references) {
    const [name, digest = ''] = reference.split('=');
    if (!BASES.includes(name)) throw new Error(`${reference}: the base images are ${BASES.join(' and ')}`);
    if (name in pinned) throw new Error(`${reference}: ${name} is given twice`);
    if (!/^sha256:[0-9a-f]{64}$/.test(digest))
      throw new Error(`${reference}: a digest is sha256: and 64 hexadecimal digits`);
    // In a Dockerfile `ARG NODE_IMAGE=…`, and in the bake file the default of a variable.
    const image = new RegExp(
      `(${name.toUpperCase()}_IMAGE(?:=|" \\{\\s+default = "))(${name}:[\\w.-]+)(?:@sha256:[0-9a-f]{64})?`,
      'g',
    );
    for (const [path, text] of texts) {
      const found = [...text.matchAll(image)];
      if (found.length !== 1) throw new Error(`${path} names the image ${name} ${found.length} times`);
      pinned[name] = `${found[0][2]}@${digest}`;
      texts.set(path, text.replace(image, `$1$2@${digest}`));
    }
  }
  for (const [path, text] of texts) writeFileSync(join(root, path), text);
  return pinned;
}

function main([command, ...words]) {
  if (command === 'pin') {
    const pinned = Object.values(pinBases(home, words));
    return `Pinned ${pinned.join(' and ')}. Commit it before the release.`;
  }
  if (command !== undefined) throw new Error(`${command}: there is only \`pin\``);
  const generate = () =>
    void execFileSync('npm', ['run', '--silent', 'docs'], { cwd: home, stdio: 'inherit' });
  const version = release(home, { date: new Date().toISOString().slice(0, 10), generate });
  return `Released ${version}. Publish it: git push --follow-tags, and build the images (docs/operations/docker.md).`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    process.stdout.write(`${main(process.argv.slice(2))}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
