// build-dependencies.mjs <folder> <service>: removes from the manifests and the lock file in it what only development
// needs: packages, and libraries of this checkout that only tests import. Prints the folders of the removed libraries.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder, service] = process.argv;
const BUILDS_WITH = /^(typescript|turbo|@types\/.*)$/;
const read = (path) => JSON.parse(readFileSync(join(folder, path), 'utf8'));
const write = (path, json) => writeFileSync(join(folder, path), `${JSON.stringify(json, null, 2)}\n`);

// npm ci skips packages in the lock file that no manifest names, and refuses if the two disagree.
const lock = read('package-lock.json');
const libraries = new Map();
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path.includes('node_modules')) continue;
  const manifest = read(join(path, 'package.json'));
  const kept = Object.entries(manifest.devDependencies ?? {}).filter(([name]) => BUILDS_WITH.test(name));
  manifest.devDependencies = entry.devDependencies = Object.fromEntries(kept);
  write(join(path, 'package.json'), manifest);
  if (path !== '') libraries.set(manifest.name, { path, manifest });
}

const needed = new Set([`@scriptorium/${service}`]);
for (const name of needed) {
  for (const dependency of Object.keys(libraries.get(name)?.manifest.dependencies ?? {}))
    if (libraries.has(dependency)) needed.add(dependency);
}
for (const [name, { path }] of libraries) {
  if (needed.has(name)) continue;
  delete lock.packages[path];
  delete lock.packages[`node_modules/${name}`];
  rmSync(join(folder, path), { recursive: true });
  console.log(path);
}
write('package-lock.json', lock);
