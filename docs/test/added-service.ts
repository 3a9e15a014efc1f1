import { registerHooks } from 'node:module';

// A program of its own: it loads the table of services with one more, and prints what is then derived from it.

const TABLE_END = '} as const satisfies Record<string, Service>;';
const ADDED = `
  archivist: {
    work: 'Keeps what is added',
    keeps: 'An archive',
    internalPort: 9470,
    jobs: 'takes',
    reaches: ['database', 'internet'],
    secrets: ['CODE_PEPPER'],
    networks: ['archivists', 'database', 'outside'],
    memoryInCompose: '3g',
    packages: ['an-archiver'],
    scaling: {
      threads: 'ANNOTATORS',
      podsMax: 7,
      podsWithoutRedis: 3,
      resources: ['3', '1Gi', '2Gi'],
    },
  },
`;
const SETTINGS = 'export const SERVICE_SETTINGS = {\n';
const JOBS = '  jobs: [\n';

/** The sources that differ from those on disk, by the end of their address. */
const CHANGED = new Map<string, (source: string) => string>([
  ['/contracts/src/services.ts', (source) => source.replace(TABLE_END, ADDED + TABLE_END)],
  [
    '/contracts/src/access.ts',
    (source) => source.replace(JOBS, `${JOBS}{ ...signJob, name: 'archive', role: 'archivist' },`),
  ],
  ['/deploy/settings.ts', (source) => source.replace(SETTINGS, `${SETTINGS}archivist: annotatorSettings,`)],
]);
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const [, change] = [...CHANGED].find(([end]) => url.endsWith(end)) ?? [];
    return change === undefined ? loaded : { ...loaded, source: change(String(loaded.source)) };
  },
});

const { generatedFiles } = await import('../generated.ts');
const { environmentOf, readSettings, services } = await import('@scriptorium/deploy/local/services');
const { REDIS_ARGUMENTS } = await import('@scriptorium/e2e/own-settings');
const { ONE_OF_EACH } = await import('@scriptorium/e2e/service');

const dataDir = process.argv[2] ?? '';
const servers = { redisUrl: '/queue', redisBlobUrl: '/blobs', databaseUrl: '', smtpUrl: '', maildevUrl: '' };
const service = services.find(({ internalPort }) => internalPort === 9470);
const found = {
  files: Object.fromEntries(await generatedFiles()),
  local: service && environmentOf(service, servers, { ...readSettings(), dataDir }),
  redis: REDIS_ARGUMENTS,
  deployed: ONE_OF_EACH,
};
process.stdout.write(JSON.stringify(found));
