import { expect, test } from '@jest/globals';
import { JOB_SECRETS, SERVICE_NAMES, type ServiceName } from '@scriptorium/contracts/services';
import { ConfigError, loadConfig } from '@scriptorium/shared/config';
import { z } from 'zod';
import { SERVICE_SETTINGS } from '../../settings.ts';

const secretOf = (digit: string): string => digit.repeat(64);

/** Settings with which every service starts in production. */
const VALID: Record<string, string> = {
  REDIS_URL: 'redis://localhost',
  DATABASE_URL: 'postgres://localhost/scriptorium',
  SMTP_URL: 'smtp://localhost',
  CODE_PEPPER: secretOf('a'),
  SIGNER_SECRET: secretOf('b'),
  VERIFIER_SECRET: secretOf('c'),
  ...Object.fromEntries(Object.values(JOB_SECRETS).map((name, at) => [name, secretOf(String(at + 1))])),
};

/** Returns the mistakes of a service that has these settings instead. */
function mistakesOf(service: ServiceName, changed: Record<string, string>): string[] {
  const schema: z.ZodObject = SERVICE_SETTINGS[service];
  try {
    loadConfig(schema, { ...VALID, ...changed });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}

test.each(SERVICE_NAMES)('the %s starts with valid settings', (service) => {
  expect(mistakesOf(service, {})).toEqual([]);
});

test.each(SERVICE_NAMES)(
  'the %s refuses numbers out of bounds, and texts for choices, by name',
  (service) => {
    const refused: string[] = [];
    for (const [name, setting] of Object.entries<z.ZodType>(SERVICE_SETTINGS[service].shape)) {
      const { type, minimum, maximum } = z.toJSONSchema(setting, { io: 'output', unrepresentable: 'any' });
      const { enum: choices } = z.toJSONSchema(setting, { io: 'input', unrepresentable: 'any' });
      const traced: Record<string, string> = name.startsWith('OTEL_') ? { OTEL_TRACES_EXPORTER: 'otlp' } : {};
      const wrong = [
        ...(type === 'number' && maximum !== undefined ? ['-1', 'x', '1.5', `${maximum + 1}`] : []),
        ...(type === 'number' && (minimum ?? 0) > 0 ? [`${Number(minimum) - 1}`] : []),
        ...(choices === undefined ? [] : ['x y']),
      ];
      for (const value of wrong) {
        expect([name, value, mistakesOf(service, { ...traced, [name]: value })]).toEqual([
          ...[name, value],
          [expect.stringMatching(new RegExp(`^${name}: .`))],
        ]);
        refused.push(value);
      }
    }
    expect(refused.length).toBeGreaterThan(8);
  },
);

test.each<[service: ServiceName, name: string, value: string, words: string]>([
  ['gateway', 'HOST', 'http://localhost', 'must be an address or the name of a host'],
  ['gateway', 'HOST', 'a b', 'must be an address'],
  ['signer', 'INTERNAL_HOST', 'localhost:80 ', 'must be an address'],
  ['gateway', 'REDIS_URL', 'localhost:6379', 'must start with redis://'],
  ['gateway', 'REDIS_URL', 'redis://', 'have a host'],
  ['converter', 'REDIS_URL', 'redis://localhost:port', 'have a host'],
  ['converter', 'REDIS_BLOB_URL', 'http://localhost', 'must start with redis://'],
  ['gateway', 'DATABASE_URL', 'mysql://localhost', 'must be a URL that starts with postgres://'],
  ['telemetry', 'DATABASE_URL', 'postgres://', 'with a host'],
  ['gateway', 'SMTP_URL', 'localhost:25', 'must be a URL that starts with smtp://'],
  ['gateway', 'SMTP_URL', 'smtp://', 'with a host'],
  ['gateway', 'CODE_PEPPER', 'short', 'must have at least 32 characters'],
  ['gateway', 'CODE_PEPPER', secretOf('b'), 'must differ from the other secrets'],
  ['gateway', 'SIGNER_SECRET', 'short', 'must be 32 bytes or more'],
  ['gateway', 'SIGNER_SECRET', `${secretOf('b')},${secretOf('5')},${secretOf('6')}`, 'or two of them'],
  ['gateway', 'SIGNER_JOB_SECRET', secretOf('1'), 'must differ from CONVERTER_JOB_SECRET'],
  ['verifier', 'VERIFIER_SECRET', secretOf('!'), 'must be 32 bytes or more'],
  ['gateway', 'REGISTRATION_DOMAINS', 'example.com', 'goes with REGISTRATION=domains'],
  ['gateway', 'API_KEY_PREFIX', 'SCR', 'must have the form scr_'],
  ['gateway', 'PUBLIC_URL', 'docs.example.com', 'must be http://'],
  ['gateway', 'PUBLIC_URL', 'javascript:alert(1)', 'must be http://'],
  ['gateway', 'MAILBOX_URL', 'javascript:alert(1)', 'must be http://'],
  ['gateway', 'MAIL_FROM', 'Scriptorium', 'must be an address'],
  ['gateway', 'MAIL_FROM', 'A\nBcc: b@example.com <a@example.com>', 'must be an address'],
  ['gateway', 'SECURITY_CONTACT', 'security@example.com', 'must be mailto:'],
  ['gateway', 'FETCH_ALLOW', '10.0.0.0/33', 'entry 1 must be a host'],
  ['verifier', 'FETCH_DENY', 'a b', 'entry 1 must be a host'],
  ['converter', 'FONTS', 'fonts', 'must be the absolute path of a folder'],
  ['converter', 'FONTS', '/etc/passwd', 'must be the absolute path of a folder'],
])('the %s refuses %s=%j', (service, name, value, words) => {
  const mistakes = mistakesOf(service, { [name]: value });
  expect(mistakes).toEqual([expect.stringContaining(`${name}: `)]);
  expect(mistakes[0]).toContain(words);
});
