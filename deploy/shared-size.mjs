import { readdirSync, readFileSync } from 'node:fs';

// `shared` holds plumbing. What serves one service belongs to it, what two agree on to `packages/contracts`, and what knows
// documents to another package.
const LINES_MAX = 5_000;

const sources = new URL('../shared/src/', import.meta.url);
let lines = 0;
for (const path of readdirSync(sources, { recursive: true }))
  if (path.endsWith('.ts')) lines += readFileSync(new URL(path, sources), 'utf8').split('\n').length - 1;
process.stdout.write(`shared/src has ${lines} lines; the limit is ${LINES_MAX}\n`);
process.exitCode = lines > LINES_MAX ? 1 : 0;
