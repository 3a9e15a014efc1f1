import { readFile, writeFile } from 'node:fs/promises';
import { generatedFiles } from './generated.ts';

const root = new URL('../', import.meta.url);
const isCheck = process.argv.includes('--check');

let stale = 0;
for (const [path, text] of await generatedFiles()) {
  const file = new URL(path, root);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) continue;
  stale += 1;
  if (isCheck) process.stderr.write(`${path} is stale: run npm run docs\n`);
  else await writeFile(file, text);
}
process.exitCode = isCheck && stale > 0 ? 1 : 0;
