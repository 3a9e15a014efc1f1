import { readdirSync, readFileSync } from 'node:fs';

// `shared` holds contracts and plumbing. What serves one service belongs to it, and what knows documents to a package.
const LINES_MAX = 6_100;

const sources = new URL('../shared/src/', import.meta.url);
let lines = 0;
for (const path of readdirSync(sources, { recursive: true }))
  if (path.endsWith('.ts')) lines += readFileSync(new URL(path, sources), 'utf8').split('\n').length - 1;
process.stdout.write(`shared/src has ${lines} lines; the limit is ${LINES_MAX}\n`);
process.exitCode = lines > LINES_MAX ? 1 : 0;
