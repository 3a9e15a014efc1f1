import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadConfig } from '@scriptorium/shared/config';
import type { KeptLists } from '@scriptorium/signatures/trusted-lists';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { type Answer, type Loopback, startLoopback } from '@scriptorium/testing/pki/loopback';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { trustedList } from '@scriptorium/testing/pki/trusted-list';
import { trustedListSettings, verifierSettings } from '../src/config.ts';
import type { ListsThreadData } from '../src/lists-thread.ts';
import { type TrustedListSource, watchTrustedLists } from '../src/trusted-lists.ts';

const folder = mkdtempSync(join(tmpdir(), 'trusted-lists-'));
const routes = new Map<string, () => Answer>();
let server: Loopback;
let pki: Pki;
let operator: Identity;
beforeAll(async () => {
  pki = await createPki();
  operator = await pki.issue({ name: 'Operator' });
  server = await startLoopback(routes);
});
afterAll(async () => {
  await Promise.all([pki.close(), server.close()]);
  rmSync(folder, { recursive: true });
});

const xml = (body: Buffer) => (): Answer => ({ type: 'application/xml', body });
const since = new Date('2018-01-01T00:00:00Z');
const national = (sequence: number) =>
  trustedList({ sequence, services: [{ identities: [pki.intermediate], states: [{ since }] }] }, operator);
const listOfLists = (origin: string) =>
  trustedList(
    { isListOfLists: true, pointers: [{ url: `${origin}/be.xml`, territory: 'BE', signers: [operator] }] },
    operator,
  );

const dataFor = (port: number, within?: string): ListsThreadData => ({
  address: `http://127.0.0.1:${port}/eu.xml`,
  signers: [operator.der],
  folder: within,
  fetch: {
    FETCH: 'on',
    FETCH_ALLOW: [{ kind: 'range', network: [127, 0, 0, 1], prefixBits: 32, port }],
    FETCH_DENY: [],
  },
});

/** Loads until this many events, and returns them with what is known then. */
async function eventsOf(data: ListsThreadData, count: number, after?: (events: string[]) => void) {
  const events: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const add = (event: string) => {
    events.push(event);
    after?.(events);
    if (events.length === count) resolve();
  };
  let source: TrustedListSource | undefined;
  try {
    source = watchTrustedLists(
      data,
      {
        loaded: (_bytes, isNew) => add(isNew ? 'new' : 'same'),
        refused: (territory = 'EU', fault) => add(`${territory} ${fault}`),
        failed: reject,
      },
      { refreshMs: 1, retryMs: 1 },
    );
    await promise;
    const known = source.current();
    const kept: KeptLists | undefined = known && JSON.parse(Buffer.from(known.json).toString());
    return {
      events,
      version: known?.version,
      lists: kept?.lists.map(({ territory, sequence }) => `${territory} ${sequence}`),
    };
  } finally {
    await source?.close();
  }
}

test('trusted lists are fetched, and again; a list that cannot be used changes nothing', async () => {
  routes.set('/eu.xml', xml(listOfLists(`http://127.0.0.1:${server.port}`)));
  routes.set('/be.xml', xml(national(7)));
  const found = await eventsOf(dataFor(server.port), 6, ({ length }) => {
    if (length === 2) routes.set('/be.xml', xml(Buffer.from('<!DOCTYPE html>')));
    if (length === 4) routes.delete('/eu.xml');
  });
  expect(found).toEqual({
    events: ['new', 'same', 'BE LIST_UNREADABLE', 'new', 'EU LIST_UNREACHABLE', 'EU LIST_UNREACHABLE'],
    version: 2,
    lists: ['BE 7'],
  });
});

test('trusted lists are read from a folder, by the names in their addresses or by their countries', async () => {
  writeFileSync(join(folder, 'eu.xml'), listOfLists('https://lists.example'));
  expect((await eventsOf(dataFor(1, folder), 2)).events).toEqual(['BE LIST_UNREACHABLE', 'new']);
  writeFileSync(join(folder, 'BE.xml'), national(8));
  expect(await eventsOf(dataFor(1, folder), 1)).toEqual({ events: ['new'], version: 1, lists: ['BE 8'] });
});

test('the list of lists needs the certificates of its signers', async () => {
  const settingsWith = (file?: string) =>
    trustedListSettings({
      ...loadConfig(verifierSettings, { REDIS_URL: 'redis://127.0.0.1', NODE_ENV: 'development' }),
      TRUSTED_LISTS: 'https://lists.example/eu.xml',
      TRUSTED_LISTS_SIGNERS: file,
    });
  await expect(settingsWith()).rejects.toThrow('TRUSTED_LISTS_SIGNERS: is required by TRUSTED_LISTS');
  await expect(settingsWith(join(folder, 'none'))).rejects.toThrow('cannot be read (ENOENT)');
  writeFileSync(join(folder, 'signers.pem'), operator.pem);
  const settings = await settingsWith(join(folder, 'signers.pem'));
  expect(settings?.signers.map((der) => Buffer.from(der))).toEqual([operator.der]);
});

test('no list is known if none of them can be read', async () => {
  expect(await eventsOf(dataFor(1), 1)).toEqual({
    events: ['EU LIST_UNREACHABLE'],
    version: undefined,
    lists: undefined,
  });
});
