import { join } from 'node:path';
import { handOver } from './hand-over.mjs';
import { root } from './progress.mjs';
import { entry, setup } from './setup.mjs';

await entry(async () => {
  await setup();
  const program = [
    '--conditions=source',
    '--disable-warning=ExperimentalWarning',
    join(root, 'deploy/local/serve.ts'),
    ...process.argv.slice(2),
  ];
  // The next start loads the code in half the time. npm empties this folder with every new set of packages.
  return handOver(program, { env: { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled') } });
});
