// with.mjs packages|tools|everything <command> [...]: runs a command of package.json once all that it needs is installed. These
// are the packages of the product, the development tools, or also the programs that tests use and what is built.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { root } from './progress.mjs';
import { entry, installDependencies, nodeBinary, setup } from './setup.mjs';

const NEEDS = {
  packages: () => installDependencies({ isProduct: true }),
  tools: () => installDependencies(),
  everything: () => setup({ forTests: true }),
};

await entry(async () => {
  const [need, command, ...args] = process.argv.slice(2);
  await NEEDS[need]();
  const folders = [dirname(nodeBinary), join(root, 'node_modules', '.bin'), process.env.PATH];
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, PATH: folders.join(delimiter) },
  });
  if (error !== undefined) throw error;
  return status ?? 1;
});
