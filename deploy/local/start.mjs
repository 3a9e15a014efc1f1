import { join } from 'node:path';
import { handOver } from './hand-over.mjs';
import { root } from './progress.mjs';
import { entry, setup } from './setup.mjs';

await entry(async () => {
  await setup();
  return handOver([
    '--conditions=source',
    '--disable-warning=ExperimentalWarning',
    join(root, 'deploy/local/serve.ts'),
    ...process.argv.slice(2),
  ]);
});
