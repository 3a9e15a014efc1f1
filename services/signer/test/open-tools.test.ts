import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { ConfigError, loadConfig } from '@scriptorium/shared/config';
import { type FetchConfig, fetchSettings } from '@scriptorium/shared/fetch/settings';
import { sign } from '@scriptorium/signatures/sign';
import type { Signing } from '@scriptorium/signatures/sign-request';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { failureOf } from '@scriptorium/testing/refusal';
import { z } from 'zod';
import { refuseDevelopmentKey, type SignerConfig } from '../src/config.ts';
import { openProfiles, openTools, type SignSettings } from '../src/open-tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'signer-tools-'));
let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(async () => {
  await pki.close();
  rmSync(folder, { recursive: true });
});

function written(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const fetching = (environment: Record<string, string>): FetchConfig =>
  loadConfig(z.object(fetchSettings), environment);

const settingsWith = (change: Partial<SignSettings>): SignSettings => ({
  version: '1.2.3',
  profilesFile: undefined,
  developmentKeyFolder: join(folder, 'development'),
  timestampProfilesFile: undefined,
  fetch: fetching({ FETCH_ALLOW: pki.fetchAllow }),
  ...change,
});

async function signedBy(settings: SignSettings, change: Partial<Signing> = {}) {
  const signing: Signing = {
    key: { kind: 'profile', profile: 'service', apiKey: 'key_ada' },
    level: 'B-T',
    hasAuditPages: false,
    allowBrokenSignatures: false,
    ...change,
  };
  const { tools } = await openTools(settings);
  return sign({ source: plainPdf(), signing, images: Buffer.alloc(0), callerKey: undefined }, tools);
}

describe('time-stamping authorities', () => {
  const authorities = () =>
    written('authorities.json', JSON.stringify({ default: { url: pki.tsaUrl }, other: { url: pki.tsaUrl } }));

  test('are selected by profile, with default for requests that name none', async () => {
    const settings = settingsWith({ timestampProfilesFile: authorities() });
    for (const timestampProfile of [undefined, 'other']) {
      const { reply } = await signedBy(settings, timestampProfile === undefined ? {} : { timestampProfile });
      expect(reply.signature).toMatchObject({ level: 'B-T', timestampTime: expect.stringMatching(/^20/) });
    }
  });

  test.each(['nobody', 'constructor', '__proto__'])(
    'are refused if no profile has the name (%s), and the error names the field',
    async (timestampProfile) => {
      const settings = settingsWith({ timestampProfilesFile: authorities() });
      expect(await failureOf(signedBy(settings, { timestampProfile }))).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'timestamp.profile' }],
      });
    },
  );

  test('stamp a document however long other authorities took before', async () => {
    const asLong = AbortSignal.timeout.bind(AbortSignal);
    const fast = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => asLong(Math.round(ms / 6)));
    try {
      const { tools } = await openTools(settingsWith({ timestampProfilesFile: authorities() }));
      const authority = tools.timestamper(undefined);
      await pause(5_500);
      const stamped = await authority?.timestamp(Buffer.from('a document'));
      expect(stamped?.token.length).toBeGreaterThan(0);
    } finally {
      fast.mockRestore();
    }
  });

  test('that are not configured make the level unsupported, and never lower it', async () => {
    expect(await failureOf(signedBy(settingsWith({})))).toMatchObject({ code: 'UNSUPPORTED_LEVEL' });
  });

  test('that cannot be reached are unavailable', async () => {
    const closed = [fetching({ FETCH: 'off' }), fetching({})];
    for (const fetch of closed) {
      const settings = settingsWith({ timestampProfilesFile: authorities(), fetch });
      expect(await failureOf(signedBy(settings))).toMatchObject({
        code: 'TIMESTAMP_UNAVAILABLE',
      });
    }
  });

  test.each([
    ['that is not valid JSON', '{"default": {"password": "hunter2"'],
    ['with a wrong profile', '{"default": {"url": "ftp://x", "password": "hunter2"}}'],
  ])('in a file %s end the start, and no password is shown', async (_what, content) => {
    const settings = settingsWith({ timestampProfilesFile: written('wrong.json', content) });
    const error = await openTools(settings).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain('TIMESTAMP_PROFILES');
    expect(String(error)).not.toContain('hunter2');
  });
});

describe('the service’s own key', () => {
  test('is the profile of that name, or else the development key', async () => {
    const identity = await pki.issue({ name: 'The Service', keyType: 'p-256' });
    writeFileSync(join(folder, 'service.p12'), await identity.p12('secret'));
    const profilesFile = written(
      'keys.json',
      JSON.stringify({ service: { p12: 'service.p12', password: 'secret' } }),
    );
    const configured = await openProfiles(settingsWith({ profilesFile }));
    expect(configured.isDevelopmentKey).toBe(false);
    expect(configured.service.certificates[0].subject).toContain('The Service');
    const made = await openProfiles(settingsWith({}));
    expect(made.isDevelopmentKey).toBe(true);
    expect(made.service.certificates[0].subject).toContain('do not trust');
  });

  test('must exist', async () => {
    const settings = settingsWith({ developmentKeyFolder: undefined });
    await expect(openProfiles(settings)).rejects.toThrow(ConfigError);
  });

  test.each([
    ['production', false, true],
    ['production', true, false],
    ['development', false, false],
  ] as const)('made for trying out in %s, allowed there %s, ends the start: %s', (mode, allowed, ends) => {
    const config = { NODE_ENV: mode, DEVELOPMENT_KEY_IN_PRODUCTION: allowed } as SignerConfig;
    if (ends) expect(() => refuseDevelopmentKey(config)).toThrow(ConfigError);
    else expect(() => refuseDevelopmentKey(config)).not.toThrow();
  });
});
