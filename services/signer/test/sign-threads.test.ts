import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FetchConfig } from '@scriptorium/shared/fetch/settings';
import type { Signing } from '@scriptorium/signatures/sign-request';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { refusalOf } from '@scriptorium/testing/refusal';
import { developmentSigner } from '../src/keys/development.ts';
import { type SignThreads, signThreads } from '../src/sign-threads.ts';

const NO_FETCHES = { FETCH: 'off', FETCH_ALLOW: [], FETCH_DENY: [] } as const satisfies FetchConfig;

const folder = mkdtempSync(join(tmpdir(), 'sign-threads-'));
const file = join(folder, 'authorities.json');
let threads: SignThreads;
beforeAll(async () => {
  await developmentSigner(folder);
  writeFileSync(file, '{}');
  threads = signThreads({
    threads: 1,
    data: {
      version: '0.0.0',
      profilesFile: undefined,
      developmentKeyFolder: folder,
      timestampProfilesFile: file,
      fetch: NO_FETCHES,
      reopenMs: 100,
    },
  });
  await threads.ready();
});
afterAll(async () => {
  await threads.close();
  rmSync(folder, { recursive: true });
});

const sign = (signal = new AbortController().signal, signatures?: Signing['signatures']) =>
  threads.sign(
    {
      source: plainPdf(),
      signing: {
        key: { kind: 'profile', profile: 'service', apiKey: 'key_ada' },
        level: 'B-B',
        hasAuditPages: false,
        allowBrokenSignatures: false,
        ...(signatures && { signatures }),
      },
      images: Buffer.alloc(0),
      callerKey: undefined,
    },
    signal,
  );

test('a thread that starts with unreadable settings signs again once they are readable', async () => {
  renameSync(file, `${file}.away`);
  // A caller that gives up ends the thread.
  const caller = new AbortController();
  const given = refusalOf(() => sign(caller.signal));
  caller.abort();
  expect(await given).toMatch(/^DEADLINE_EXCEEDED/);
  expect(await refusalOf(() => sign())).toBe(
    'UNAVAILABLE: The keys of the service cannot be opened at the moment.',
  );
  renameSync(`${file}.away`, file);
  let signed = await sign().catch(() => undefined);
  for (; signed === undefined; signed = await sign().catch(() => undefined)) await pause(50);
  expect(signed.bytes.subarray(0, 5).toString()).toBe('%PDF-');
});

test('the error of one of several signatures has the path of its field', async () => {
  const failed = sign(undefined, [{ level: 'B-B' }, { level: 'B-B', field: 'witness' }]);
  await expect(failed).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'signatures[1].field', issue: expect.stringContaining('`witness`') }],
  });
  await expect(sign(undefined, [{ level: 'B-B' }, { level: 'B-T' }])).rejects.toMatchObject({
    code: 'UNSUPPORTED_LEVEL',
    details: [{ field: 'signatures[1]' }],
  });
});
