import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newDocument, prepareExport, type TelemetryOptions, trackOpen } from '@scriptorium/telemetry-client';
import { documentXml, docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { freePort } from '@scriptorium/testing/server-process';
import { commandsOf } from './readme.ts';
import { type Deployment, deploy, type ServiceProcess, startService, until } from './service.ts';
import { readUsage, usageOf } from './usage-reading.ts';

const run = promisify(execFile);

let service: Deployment;
let telemetry: ServiceProcess;
let endpoint: string;

beforeAll(async () => {
  service = await deploy();
  const port = await freePort();
  endpoint = `http://127.0.0.1:${port}/v1/collect`;
  telemetry = startService('telemetry', {
    ...service.settings,
    PORT: String(port),
    COUNT_INTERVAL_MS: '100',
  });
  await until('the collector is ready', async () => (await fetch(new URL('/readyz', endpoint))).ok);
});
afterAll(async () => {
  await telemetry.end('SIGTERM');
  await service.close();
});

/** Registers a customer, as an operator does. */
async function registerLicense(key: string, metadata: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${service.url}/v1/auth/keys`, { headers });
  const { keys } = (await answer.json()) as { keys: { id: string; current: boolean }[] };
  const keyId = keys.find(({ current }) => current)?.id ?? '';
  const license = `lic-${randomBytes(6).toString('hex')}`;
  const words = ['add', license, '--api-key', keyId, '--metadata', metadata];
  await run(process.execPath, ['--conditions=source', 'services/telemetry/src/licenses.ts', ...words], {
    cwd: new URL('..', import.meta.url),
    env: { PATH: process.env.PATH, DATABASE_URL: service.settings.DATABASE_URL },
  });
  return license;
}

const optionsFor = (licenseKey: string, team: string, enabled = true): TelemetryOptions => ({
  licenseKey,
  telemetry: { enabled, endpoint, metadata: { team } },
});

describe('the usage of a customer', () => {
  test('counts each opened document of the client library once, and the API’s operations', async () => {
    const [key, otherKey] = [await service.register(), await service.register()];
    const license = await registerLicense(key, 'team');
    const others = await registerLicense(otherKey, 'team');
    const letter = docxWith([license]);

    const opened = trackOpen(letter, optionsFor(license, 'legal'));
    trackOpen(letter, optionsFor(license, 'legal'));
    trackOpen(letter, optionsFor(license, 'sales'));
    // After its export, a document is identified by the exported id, even if it is edited.
    const exported = await prepareExport(letter, opened);
    trackOpen(exported, optionsFor(license, 'legal'));
    const edited = zip(packageEntries({ mainXml: documentXml(['edited', license]) }));
    trackOpen(await prepareExport(edited, opened), optionsFor(license, 'legal'));
    trackOpen(await prepareExport(docxWith(['new']), newDocument()), optionsFor(license, 'legal', false));
    trackOpen(letter, optionsFor(others, 'legal'));
    expect((await service.convert(key, letter)).status).toBe(200);

    expect(await usageOf(service.url, key, 'license', 6)).toEqual({ [license]: 2, api: 1 });
    expect(await usageOf(service.url, key, 'operation', 6)).toEqual({ convert: 1, open: 2 });
    expect(await usageOf(service.url, key, 'metadata.team', 6)).toEqual({ legal: 2, sales: 1 });
    expect((await readUsage(service.url, key, 'license')).totals).toEqual({ documents: 3, opens: 6 });
    expect(await usageOf(service.url, otherKey, 'license', 1)).toEqual({ [others]: 1 });
  });

  test('can be read with the commands of the README, as JSON and as CSV', async () => {
    const key = await service.register();
    expect((await service.convert(key, docxWith(['Hello']))).status).toBe(200);
    expect(await usageOf(service.url, key, 'operation', 1)).toEqual({ convert: 1 });
    const target = { url: service.url, key };
    const [json = '', csv = ''] = await commandsOf('docs/guides/usage.md', 'Read the counts', target);
    const month = `${new Date().toISOString().slice(0, 7)}-01`;
    const counts = { documents: 1, opens: 1 };
    expect(JSON.parse((await run('sh', ['-c', json])).stdout)).toMatchObject({
      from: month,
      periods: [counts],
      totals: counts,
    });
    const lines = (await run('sh', ['-c', csv])).stdout.split('\r\n');
    expect(lines).toEqual([
      'start,end,operation,documents,opens',
      expect.stringMatching(/,convert,1,1$/),
      '',
    ]);
  });
});
