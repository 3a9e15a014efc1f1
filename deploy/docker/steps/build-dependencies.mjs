// build-dependencies.mjs <folder>: takes from the manifests in it, and from their lock file, what is there to develop and not to build with.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder] = process.argv;
const BUILDS_WITH = /^(typescript|turbo|@types\/.*)$/;
const read = (path) => JSON.parse(readFileSync(join(folder, path), 'utf8'));
const write = (path, json) => writeFileSync(join(folder, path), `${JSON.stringify(json, null, 2)}\n`);

// npm ci leaves out what the lock file has beyond the manifests, and refuses where the two disagree.
const lock = read('package-lock.json');
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path.includes('node_modules')) continue;
  const manifest = read(join(path, 'package.json'));
  const kept = Object.entries(manifest.devDependencies ?? {}).filter(([name]) => BUILDS_WITH.test(name));
  manifest.devDependencies = entry.devDependencies = Object.fromEntries(kept);
  write(join(path, 'package.json'), manifest);
}
write('package-lock.json', lock);
