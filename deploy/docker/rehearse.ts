// Builds the images without a container engine, starts them as hardened containers, and uses the product in them: first as
// Docker Compose starts it, then as the chart does, with fonts of an operator.
//   npm run images:rehearse -- <folder> [<service>…]
// Needs root, on Debian with debootstrap. rehearsal/bases.ts describes what replaces the base images.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SERVICE_NAMES } from '@scriptorium/contracts/services';
import { makeBases } from './rehearsal/bases.ts';
import { Builder, type Image } from './rehearsal/build.ts';
import { chartPlan } from './rehearsal/chart.ts';
import {
  checkContents,
  checkFonts,
  checkOrphans,
  checkProduct,
  checkStop,
  checkWalls,
  untilHealthy,
} from './rehearsal/checks.ts';
import { copyContext } from './rehearsal/context.ts';
import { FONT_FOLDER, FONT_LAYER, mountAsConfigMap, writeFont } from './rehearsal/own-fonts.ts';
import { composePlan, newUid, startTrial } from './rehearsal/trial.ts';

const checkout = resolve(import.meta.dirname, '..', '..');
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
    const args = { SERVICE: name };
    const image = builder.build(dockerfile, args);
    if (name === 'converter') {
      writeFont(image.root, join(context, 'fonts'));
      images.fonts = builder.build(`${dockerfile}${FONT_LAYER}`, args);
    }
    const [size] = execFileSync('du', ['-sm', image.root], { encoding: 'utf8' }).split('\t');
    console.log(`${name}: ${size} MiB, ${image.root}`);
    images[name] = image;
  }
  writeFileSync(join(folder, 'images.json'), JSON.stringify(images, null, 2));
}

/** Starts the product as Docker Compose does, and tries everything in it. */
async function tryCompose(folder: string, images: Record<string, Image>): Promise<void> {
  const [volumes, uid] = [join(folder, 'trial'), newUid()];
  const trial = await startTrial({ folder, volumes, uid }, images, composePlan(checkout, volumes, uid));
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
    for (const name of SERVICE_NAMES) {
      const container = trial.containers[name];
      if (container !== undefined) await checkStop(`${name} stops when asked`, container);
      await checkStop(`${name} stops when asked while it starts`, trial.start(name));
    }
  } finally {
    for (const container of Object.values(trial.containers)) container.kill();
    await trial.close();
  }
}

/** Starts the product as the chart renders it, and uses it, also with fonts in a ConfigMap and in a layer. */
async function tryChart(folder: string, images: Record<string, Image>, fonts: Image): Promise<void> {
  const [volumes, uid] = [join(folder, 'chart'), newUid()];
  const plan = await chartPlan(volumes, uid);
  const trial = await startTrial({ folder, volumes, uid }, images, plan);
  const { converter: image } = images;
  let { converter } = trial.containers;
  try {
    for (const [name, container] of Object.entries(trial.containers)) {
      const own = images[name];
      if (own !== undefined) await untilHealthy(`${name} of the chart`, own, container);
      await checkWalls(`${name} of the chart`, uid, container);
    }
    const key = await checkProduct(trial.maildevUrl);
    await checkFonts('without a font of ours', key, 1);
    const mounted = join(volumes, 'fonts');
    mountAsConfigMap(join(fonts.root, FONT_FOLDER), mounted);
    for (const [what, change] of [
      ['with fonts of a ConfigMap', { mounts: { [FONT_FOLDER]: mounted } }],
      ['with fonts of a layer', { image: fonts }],
    ] as const) {
      if (converter !== undefined) await checkStop(`the converter goes for one ${what}`, converter);
      converter = trial.start('converter', change);
      trial.containers.converter = converter;
      if (image !== undefined) await untilHealthy(`a converter ${what}`, image, converter);
      await checkFonts(what, key, 0);
    }
  } finally {
    for (const container of Object.values(trial.containers)) container.kill();
    await trial.close();
  }
}

async function run(folder: string): Promise<void> {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  const { fonts, ...images } = JSON.parse(readFileSync(join(folder, 'images.json'), 'utf8')) as Record<
    string,
    Image
  >;
  if (fonts === undefined) throw new Error('the converter was not built');
  await tryCompose(folder, images);
  await tryChart(folder, images, fonts);
}

const [folder, ...rest] = process.argv.slice(2);
if (folder === undefined) throw new Error('Specify a folder for the images. They need several gigabytes.');
if (rest.includes(INSIDE)) {
  await run(resolve(folder));
  process.exit();
}
build(resolve(folder), rest.length === 0 ? SERVICE_NAMES : rest);
if (rest.length === 0) {
  const self = [process.execPath, ...process.execArgv, import.meta.filename, folder, INSIDE];
  process.exitCode = spawnSync('unshare', ['--net', ...self], { stdio: 'inherit' }).status ?? 1;
}
