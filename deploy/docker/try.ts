// Builds the images with the Docker of this machine, starts the product with Docker Compose, and uses it as the guides say.
//   npm run images:try
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES } from '@scriptorium/contracts/services';
import { blocksOf } from '@scriptorium/e2e/readme';
import {
  checkContents,
  checkConversion,
  checkMeanwhile,
  checkQueues,
  checkReadme,
  checkStops,
  checkWalls,
} from './trial/checks.ts';
import {
  checkout,
  compose,
  containersOf,
  demand,
  docker,
  type Files,
  PRODUCTION,
  REDIS_TLS,
  seconds,
  TRIAL,
  URL,
} from './trial/docker.ts';

const NO_ENGINE = `images:try needs Docker 25 or newer with Buildx and Compose 2.24.4 or newer, and its daemon.
On Debian 13: apt-get install docker.io docker-cli docker-buildx docker-compose
Without Docker, .ci/run still checks the files.`;
const GUIDE = 'docs/operations/docker.md';

function showSizes(): void {
  for (const name of SERVICE_NAMES) {
    const bytes = Number(docker('image', 'inspect', '--format', '{{.Size}}', `scriptorium-${name}`));
    console.log(`     ${name}: ${Math.round(bytes / 2 ** 20)} MiB`);
  }
}

async function tryTrial(): Promise<string> {
  const up = await seconds(() => compose(TRIAL, 'up', '--detach', '--wait'));
  demand('docker compose up --wait', true, up);
  checkWalls(TRIAL);
  checkContents();
  const key = await checkReadme();
  checkQueues();
  const [converter = ''] = containersOf(TRIAL, 'converter');
  await checkMeanwhile('a converter is killed under calls', key, 50, async () =>
    docker('restart', '-t', '0', converter),
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
  await checkConversion('a document is converted after every engine was killed', key);
  return key;
}

/** The files of secrets as the guide to Docker makes them, with the database and the mail catcher of the trial. */
async function writeSecrets(folder: string): Promise<void> {
  const trial = compose(TRIAL, 'exec', '-T', 'gateway', 'cat', '/run/secrets/scriptorium.env');
  const [, database = ''] = /^DATABASE_URL=(.*)$/m.exec(trial) ?? [];
  const blocks = (await blocksOf(GUIDE)).filter(
    ({ section, language }) => section === 'Production' && language === 'sh',
  );
  const [settings = '', key = '', start = ''] = blocks.map(({ text }) =>
    text.replaceAll('/etc/scriptorium', folder),
  );
  const own = settings
    .replace(/^database=.*$/m, `database='${database}'`)
    .replace(/SMTP_URL=\S+/, 'SMTP_URL=smtp://mail:1025');
  const [scripts = ''] = start.split(/^SECRETS_DIR=/m);
  for (const commands of [own, key, scripts])
    execFileSync('sh', ['-euc', commands], { cwd: checkout, stdio: 'pipe' });
  execFileSync(join(checkout, 'deploy/docker/make-redis-certificates.sh'), [join(folder, 'redis')], {
    stdio: 'pipe',
  });
}

async function tryProduction(files: Files, key: string): Promise<void> {
  const up = await seconds(() => compose(files, '--profile', 'trial', 'up', '--detach', '--wait'));
  demand(`docker compose up --wait for ${files.name}`, true, up);
  checkWalls(files);
  await checkConversion(`a document is converted in ${files.name}`, key);
  compose(files, 'up', '--detach', '--no-deps', '--force-recreate', '--wait', 'gateway');
  await checkConversion(`a document is converted after the gateway of ${files.name} was replaced`, key);
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
  demand('docker compose build', true, await seconds(() => compose(TRIAL, 'build')));
  showSizes();
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-secrets-'));
  Object.assign(process.env, { SECRETS_DIR: folder, PUBLIC_URL: URL });
  try {
    const key = await tryTrial();
    await writeSecrets(folder);
    checkStops(TRIAL);
    await tryProduction(PRODUCTION, key);
    for (const name of SERVICE_NAMES) {
      const file = join(folder, `${name}.env`);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('redis://', 'rediss://'));
    }
    await tryProduction(REDIS_TLS, key);
    checkStops(REDIS_TLS);
  } finally {
    compose(REDIS_TLS, '--profile', 'trial', 'down', '--volumes', '--timeout', '10');
    rmSync(folder, { recursive: true });
  }
}

await main();
