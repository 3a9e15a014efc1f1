// reduce.mjs <folder> <service>: takes from <folder>/json, the manifests and the lock file that turbo prunes, what only
// tests need, and writes to <folder>/production those of the service and the libraries that it runs with.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , pruned, service] = process.argv;
const BUILDS_WITH = /^(typescript|turbo|@types\/.*)$/;
const read = (...path) => JSON.parse(readFileSync(join(pruned, ...path), 'utf8'));
const write = (json, ...path) => writeFileSync(join(pruned, ...path), `${JSON.stringify(json, null, 2)}\n`);

/** Removes the other libraries of the checkout, by their folders. */
function keepIn(folder, paths) {
  // npm ci skips packages in the lock file that no manifest names, and refuses if the two disagree.
  const lock = read(folder, 'package-lock.json');
  const others = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path.includes('node_modules')) continue;
    const manifest = read(folder, path, 'package.json');
    const kept = Object.entries(manifest.devDependencies ?? {}).filter(
      ([name]) =>
        path.startsWith('pages/') ||
        BUILDS_WITH.test(name) ||
        paths.has(lock.packages[`node_modules/${name}`]?.resolved),
    );
    manifest.devDependencies = entry.devDependencies = Object.fromEntries(kept);
    write(manifest, folder, path, 'package.json');
    if (path === '' || paths.has(path)) continue;
    delete lock.packages[path];
    delete lock.packages[`node_modules/${manifest.name}`];
    others.push(path);
  }
  // Only now: a library may be in the folder of another one.
  for (const path of others) rmSync(join(pruned, folder, path), { recursive: true, force: true });
  write(lock, folder, 'package-lock.json');
}

const { packages } = read('json', 'package-lock.json');
const folders = Object.keys(packages).filter((path) => path !== '' && !path.includes('node_modules'));
const manifests = new Map(folders.map((path) => [path, read('json', path, 'package.json')]));
const folderOf = (name) => packages[`node_modules/${name}`]?.resolved;

const needed = new Set([`services/${service}`]);
for (const path of needed) {
  for (const name of Object.keys(manifests.get(path).dependencies ?? {}))
    if (manifests.has(folderOf(name))) needed.add(folderOf(name));
}
cpSync(join(pruned, 'json'), join(pruned, 'production'), { recursive: true });
keepIn('production', needed);
// A library that is not built cannot be imported by what is.
keepIn('json', new Set(folders.filter((path) => manifests.get(path).scripts?.build !== undefined)));
