// Builds the images with the Docker of this machine, starts the product with Docker Compose, and uses it as the guides say.
//   npm run images:try
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES } from '@scriptorium/contracts/services';
import type { Target } from '@scriptorium/e2e/readme';
import { tryAllInOne } from './trial/all-in-one.ts';
import {
  addWatcher,
  checkContents,
  checkConversion,
  checkMeanwhile,
  checkQueues,
  checkReadme,
  checkRestore,
  checkStops,
  checkWalls,
} from './trial/checks.ts';
import {
  bake,
  checkout,
  compose,
  containersOf,
  demand,
  docker,
  PRODUCTION,
  REDIS_COPIES,
  REDIS_TLS,
  seconds,
  shell,
  shellAside,
  TRIAL,
  URL,
} from './trial/docker.ts';
import { checkFailovers } from './trial/failover.ts';
import { checkPoorStart } from './trial/poor-start.ts';
import { tryProduction, tryUpgrade, writeSecrets } from './trial/production.ts';

const NO_ENGINE = `images:try needs Docker 25 or newer with Buildx and Compose 2.24.4 or newer, and its daemon.
On Debian 13: apt-get install docker.io docker-cli docker-buildx docker-compose
Without Docker, .ci/run still checks the files.`;

function showSizes(): void {
  for (const image of [...SERVICE_NAMES.map((name) => `scriptorium-${name}`), 'scriptorium']) {
    const bytes = Number(docker('image', 'inspect', '--format', '{{.Size}}', image));
    console.log(`     ${image}: ${Math.round(bytes / 2 ** 20)} MiB`);
  }
}

async function tryTrial(): Promise<Target> {
  addWatcher();
  const up = await seconds(() => compose(TRIAL, 'up', '--detach', '--wait'));
  demand('docker compose up --wait', true, up);
  checkWalls(TRIAL);
  checkContents();
  const target = await checkReadme();
  checkQueues();
  const [converter = ''] = containersOf(TRIAL, 'converter');
  await checkMeanwhile('a converter is killed under calls', target, 50, () =>
    shellAside(`docker restart -t 0 ${converter}`),
  );
  compose(
    TRIAL,
    'exec',
    '-T',
    'converter',
    'sh',
    '-c',
    'for pid in $(grep -l engine-host /proc/[0-9]*/comm | cut -d/ -f3); do kill -9 $pid; done',
  );
  await checkConversion('a document is converted after every engine was killed', target);
  for (const kind of ['memory', 'processors'] as const) await checkPoorStart(target, kind);
  await checkRestore(target);
  return target;
}

async function main(): Promise<void> {
  try {
    docker('version');
    docker('compose', 'version');
  } catch {
    throw new Error(NO_ENGINE);
  }
  execFileSync(join(checkout, 'deploy/docker/check-files.sh'), { stdio: 'inherit' });
  demand('Compose reads each combination of the files', true);
  demand('docker buildx bake', true, await seconds(bake));
  showSizes();
  await tryAllInOne();
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-secrets-'));
  Object.assign(process.env, { SECRETS_DIR: folder, PUBLIC_URL: URL });
  try {
    const target = await tryTrial();
    await writeSecrets(folder);
    checkStops(TRIAL);
    await tryProduction(PRODUCTION, target);
    await tryUpgrade(PRODUCTION, target, folder);
    shell(`deploy/docker/make-redis-copies.sh ${folder}`);
    await tryProduction(REDIS_COPIES, target);
    await checkFailovers(REDIS_COPIES, target);
    for (const name of SERVICE_NAMES) {
      const file = join(folder, `${name}.env`);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('redis://', 'rediss://'));
    }
    await tryProduction(REDIS_TLS, target);
    checkStops(REDIS_TLS);
  } finally {
    compose(REDIS_TLS, '--profile', 'trial', 'down', '--volumes', '--remove-orphans', '--timeout', '10');
    rmSync(folder, { recursive: true });
  }
}

await main();
