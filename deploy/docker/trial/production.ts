import { SERVICE_NAMES } from '@scriptorium/contracts/services';
import { blocksOf, type Target } from '@scriptorium/e2e/readme';
import { checkConversion, checkMeanwhile, checkWalls } from './checks.ts';
import {
  compose,
  containersOf,
  demand,
  docker,
  type Files,
  optionsOf,
  seconds,
  shell,
  shellAside,
  TRIAL,
} from './docker.ts';

const GUIDE = 'docs/operations/docker.md';
/** Calls while the gateways are replaced. */
const CALLS = 400;

/** The commands of a section of the guide to Docker, with another folder of secrets. */
async function commandsOf(section: string, folder: string): Promise<string[]> {
  const blocks = (await blocksOf(GUIDE)).filter((block) => block.section === section);
  return blocks
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text.replaceAll('/etc/scriptorium', folder));
}

/** The files of secrets as the guide to Docker makes them, with the database and the mail catcher of the trial. */
export async function writeSecrets(folder: string): Promise<void> {
  const trial = compose(TRIAL, 'exec', '-T', 'gateway', 'cat', '/run/secrets/scriptorium.env');
  const [, database = ''] = /^DATABASE_URL=(.*)$/m.exec(trial) ?? [];
  const [settings = '', key = '', start = ''] = await commandsOf('Production', folder);
  const own = settings
    .replace(/^database=.*$/m, `database='${database}'`)
    .replace(/SMTP_URL=\S+/, 'SMTP_URL=smtp://mail:1025');
  const [scripts = ''] = start.split(/^SECRETS_DIR=/m);
  for (const commands of [own, key, scripts]) shell(commands);
  shell(`deploy/docker/make-redis-certificates.sh ${folder}/redis`);
}

export async function tryProduction(files: Files, target: Target): Promise<void> {
  const up = await seconds(() => compose(files, '--profile', 'trial', 'up', '--detach', '--wait'));
  demand(`docker compose up --wait for ${files.name}`, true, up);
  checkWalls(files);
  await checkConversion(`a document is converted in ${files.name}`, target);
}

/** Gives the images another tag, as those of another version have. */
function tag(version: string): void {
  for (const name of SERVICE_NAMES) docker('tag', `scriptorium-${name}`, `scriptorium-${name}:${version}`);
}

/** Replaces the workers and the gateways by those of another tag, with the commands of the guide. */
export async function tryUpgrade(files: Files, target: Target, folder: string): Promise<void> {
  const [upgrade = ''] = await commandsOf('Upgrade', folder);
  const commands = upgrade
    .replace(/PUBLIC_URL=\S+/, `PUBLIC_URL=${process.env.PUBLIC_URL}`)
    .replace(/SCRIPTORIUM_VERSION=\S+/, 'SCRIPTORIUM_VERSION=$version')
    .replace(/replace\.sh .*/, `replace.sh ${optionsOf(files).join(' ')}`);
  for (const version of ['next', 'latest']) {
    tag(version);
    await checkMeanwhile(`all is replaced by the version ${version} under calls`, target, CALLS, async () =>
      shellAside(`version=${version}\n${commands}`),
    );
    const images = containersOf(files, 'gateway').map((id) =>
      docker('inspect', '--format', '{{.Config.Image}}', id).trim(),
    );
    demand(
      'two gateways run the new image',
      images.join() === Array(2).fill(`scriptorium-gateway:${version}`).join(),
    );
  }
}
