// manifests.mjs <folder>: writes to <folder>/build the manifests and the lock file with which all services are compiled. Writes
// to <folder>/<service> those of the service and the libraries that it runs with, and to <folder>/scriptorium those of all.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [, , out] = process.argv;
const BUILDS_WITH = /^(typescript|turbo|@types\/.*)$/;
/** The gateway serves it, and does not depend on it. */
const PAGE = 'pages/try';
/** It starts PostgreSQL and Redis. */
const SERVERS = 'packages/testing';
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

function write(json, path) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(json, null, 2)}\n`);
}

const lock = read('package-lock.json');
const folderOf = (name) => lock.packages[`node_modules/${name}`]?.resolved;
const manifestOf = (folder) => read(join(folder, 'package.json'));
const folders = Object.keys(lock.packages).filter(
  (path) => path !== '' && !path.includes('node_modules') && existsSync(join(path, 'package.json')),
);

/** These folders, and those of the libraries on which they depend. */
function withLibraries(roots) {
  const needed = new Set(roots);
  for (const folder of needed) {
    for (const name of Object.keys(manifestOf(folder).dependencies ?? {}))
      if (folders.includes(folderOf(name))) needed.add(folderOf(name));
  }
  return needed;
}

/** Writes the manifests of `kept` and of the checkout, with the tools that compile if they are needed. */
function writeManifests(to, kept, isBuild) {
  // npm ci skips packages in the lock file that no manifest names, and refuses if the two disagree.
  const { packages, ...rest } = structuredClone(lock);
  for (const [path, entry] of Object.entries(packages)) {
    if (path.includes('node_modules')) {
      if (entry.link && !kept.has(entry.resolved)) delete packages[path];
      continue;
    }
    if (path !== '' && !kept.has(path)) {
      delete packages[path];
      continue;
    }
    const manifest = manifestOf(path === '' ? '.' : path);
    const tools = Object.entries(manifest.devDependencies ?? {}).filter(
      ([name]) => isBuild && (path === PAGE || BUILDS_WITH.test(name)),
    );
    manifest.devDependencies = entry.devDependencies = Object.fromEntries(tools);
    // Images catch no mail.
    delete manifest.dependencies?.maildev;
    delete entry.dependencies?.maildev;
    write(manifest, join(to, path, 'package.json'));
  }
  write({ ...rest, packages }, join(to, 'package-lock.json'));
}

const services = folders.filter((path) => path.startsWith('services/'));
writeManifests(join(out, 'build'), withLibraries([...services, PAGE]), true);
for (const service of services)
  writeManifests(join(out, service.replace('services/', '')), withLibraries([service]), false);
writeManifests(join(out, 'scriptorium'), withLibraries([...services, SERVERS]), false);
