// build-dependencies.mjs <folder>: removes from the manifests and the lock file in it the packages that only
// development needs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder] = process.argv;
const BUILDS_WITH = /^(typescript|turbo|@types\/.*)$/;
const read = (path) => JSON.parse(readFileSync(join(folder, path), 'utf8'));
const write = (path, json) => writeFileSync(join(folder, path), `${JSON.stringify(json, null, 2)}\n`);

// npm ci skips packages in the lock file that no manifest names, and refuses if the two disagree.
const lock = read('package-lock.json');
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path.includes('node_modules')) continue;
  const manifest = read(join(path, 'package.json'));
  const kept = Object.entries(manifest.devDependencies ?? {}).filter(([name]) => BUILDS_WITH.test(name));
  manifest.devDependencies = entry.devDependencies = Object.fromEntries(kept);
  write(join(path, 'package.json'), manifest);
}
write('package-lock.json', lock);
