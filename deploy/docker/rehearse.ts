// Builds the images without a container engine, starts them as hardened containers, and uses the product in them.
//   npm run images:rehearse -- <folder> [<service>…]
// Needs root, on Debian with debootstrap. rehearsal/bases.ts describes what replaces the base images.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeBases } from './rehearsal/bases.ts';
import { Builder, type Image } from './rehearsal/build.ts';
import {
  checkContents,
  checkOrphans,
  checkProduct,
  checkStop,
  checkWalls,
  untilHealthy,
} from './rehearsal/checks.ts';
import { copyContext } from './rehearsal/context.ts';
import { startTrial } from './rehearsal/trial.ts';

const checkout = resolve(import.meta.dirname, '..', '..');
const SERVICES = ['gateway', 'converter', 'annotator', 'signer', 'verifier', 'telemetry'];
/** Set in the process that runs the containers on its own network, so that nothing listens on this machine's. */
const INSIDE = '--inside';

function build(folder: string, names: string[]): void {
  mkdirSync(folder, { recursive: true });
  const context = join(folder, 'context');
  copyContext(checkout, context);
  const builder = new Builder({ folder, context, bases: makeBases(join(folder, 'bases')) });
  const images: Record<string, Image> = {};
  for (const name of names) {
    const file = name === 'converter' ? name : 'service';
    const dockerfile = readFileSync(join(import.meta.dirname, `${file}.Dockerfile`), 'utf8');
    const image = builder.build(dockerfile, { SERVICE: name });
    const [size] = execFileSync('du', ['-sm', image.root], { encoding: 'utf8' }).split('\t');
    console.log(`${name}: ${size} MiB, ${image.root}`);
    images[name] = image;
  }
  writeFileSync(join(folder, 'images.json'), JSON.stringify(images, null, 2));
}

async function run(folder: string): Promise<void> {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  const images = JSON.parse(readFileSync(join(folder, 'images.json'), 'utf8')) as Record<string, Image>;
  const trial = await startTrial(checkout, folder, images);
  const { converter } = trial.containers;
  try {
    for (const [name, container] of Object.entries(trial.containers)) {
      const image = images[name];
      if (image !== undefined) await untilHealthy(name, image, container);
      await checkWalls(name, trial.uid, container);
    }
    await checkContents(trial.containers);
    const key = await checkProduct(trial.maildevUrl);
    if (converter !== undefined) await checkOrphans(converter, key);
    for (const name of SERVICES) {
      const container = trial.containers[name];
      if (container !== undefined) await checkStop(`${name} stops when asked`, container);
      await checkStop(`${name} stops when asked while it starts`, trial.start(name));
    }
  } finally {
    for (const container of Object.values(trial.containers)) container.kill();
    await trial.close();
  }
}

const [folder, ...rest] = process.argv.slice(2);
if (folder === undefined) throw new Error('Specify a folder for the images. They need several gigabytes.');
if (rest.includes(INSIDE)) {
  await run(resolve(folder));
  process.exit();
}
build(resolve(folder), rest.length === 0 ? SERVICES : rest);
if (rest.length === 0) {
  const self = [process.execPath, ...process.execArgv, import.meta.filename, folder, INSIDE];
  process.exitCode = spawnSync('unshare', ['--net', ...self], { stdio: 'inherit' }).status ?? 1;
}
