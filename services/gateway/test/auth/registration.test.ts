import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Secret } from '@scriptorium/shared/config';
import { forgetMails, mailsTo } from '@scriptorium/testing/mail';
import { seriesValue } from '@scriptorium/testing/prometheus-text';
import { foldAddress, hashAddress } from '../../src/auth/address.ts';
import { wideNetworkOf } from '../../src/http/network.ts';
import { until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';

let rig: Rig;
beforeAll(async () => {
  // The networks of callers come from the header, as behind a proxy.
  rig = await startRig({
    REGISTRATIONS_PER_HOUR_MAX: '100000',
    TRUST_PROXY_HOPS: '1',
    SECURITY_CONTACT: 'mailto:security@example.com',
  });
});
afterAll(() => rig.close());

const OWN = '192.0.2.1';
const STRANGE = '198.51.100.7';
const freshAddress = () => `user-${randomBytes(6).toString('hex')}@example.com`;
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

async function register(email: string, from: string, url = rig.url): Promise<Response> {
  return fetch(`${url}/v1/auth/register?email=${encodeURIComponent(email)}`, {
    headers: { 'x-forwarded-for': from },
  });
}

/** Registers, and returns the id of the registration and the code from the mail. */
async function codeFor(email: string, from: string): Promise<{ id: string; code: string }> {
  await forgetMails(email);
  const response = await register(email, from);
  expect(await response.json()).toBe('Check your email for verification code.');
  let code: string | undefined;
  const find = async () => {
    const texts = (await mailsTo(email)).map(({ text }) => /code: (\d{6})\b/.exec(text)?.[1]);
    code = texts.find((found) => found !== undefined);
    return code !== undefined;
  };
  expect(await until(find)).toBe(true);
  return { id: response.headers.get('x-registration-id') ?? '', code: code ?? '' };
}

function redeem(email: string, code: string, from: string, registration?: string): Promise<Response> {
  return fetch(`${rig.url}/v1/auth/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ email, code, registration }),
  });
}

describe('a code', () => {
  test('works with only the address from the network that asked, and with the id from any', async () => {
    const email = freshAddress();
    const first = await codeFor(email, OWN);
    expect((await redeem(email, first.code, STRANGE)).status).toBe(400);
    expect((await redeem(email, first.code, OWN)).status).toBe(200);
    const second = await codeFor(email, OWN);
    expect((await redeem(email, second.code, STRANGE, second.id)).status).toBe(200);
    expect((await redeem(email, second.code, OWN, second.id)).status).toBe(400);
  });

  test('cannot be killed or replaced by a stranger', async () => {
    const email = freshAddress();
    const mine = await codeFor(email, OWN);
    const theirs = await codeFor(email, STRANGE);
    for (let i = 0; i < 12; i++) {
      expect((await redeem(email, wrong(mine.code), STRANGE)).status).toBe(400);
      expect((await redeem(email, wrong(mine.code), STRANGE, theirs.id)).status).toBe(400);
    }
    expect((await redeem(email, mine.code, OWN)).status).toBe(200);
  });

  test('survives wrong tries without the id from its own network, if the id is sent', async () => {
    const email = freshAddress();
    const { id, code } = await codeFor(email, OWN);
    for (let i = 0; i < 8; i++) await redeem(email, wrong(code), OWN);
    expect((await redeem(email, code, OWN)).status).toBe(400);
    expect((await redeem(email, code, OWN, id)).status).toBe(200);
  });

  test('is dead after five wrong tries with the id', async () => {
    const email = freshAddress();
    const { id, code } = await codeFor(email, OWN);
    for (let i = 0; i < 5; i++) await redeem(email, wrong(code), STRANGE, id);
    expect((await redeem(email, code, STRANGE, id)).status).toBe(400);
  });

  test('is not valid with the id of another registration or address', async () => {
    const [email, other] = [freshAddress(), freshAddress()];
    const mine = await codeFor(email, OWN);
    const theirs = await codeFor(other, STRANGE);
    expect((await redeem(email, mine.code, OWN, theirs.id)).status).toBe(400);
    const malformed = await redeem(email, mine.code, OWN, '../x');
    expect(await malformed.json()).toMatchObject({ details: [{ field: 'registration' }] });
    expect((await redeem(email, mine.code, OWN, mine.id)).status).toBe(200);
  });
});

describe('mails', () => {
  test('of an address cannot be used up by a stranger', async () => {
    const email = freshAddress();
    for (let i = 0; i < 20; i++) await register(email, STRANGE);
    const id = (await register(email, OWN)).headers.get('x-registration-id') ?? '';
    expect(await until(async () => (await mailsTo(email)).length === 4)).toBe(true);
    const codes = (await mailsTo(email)).map(({ text }) => /code: (\d{6})\b/.exec(text)?.[1] ?? '');
    const answers = [];
    for (const code of codes) answers.push((await redeem(email, code, OWN, id)).status);
    expect(answers.sort()).toEqual([200, 400, 400, 400]);
  });

  test('to one mailbox are bounded over all networks', async () => {
    const email = freshAddress();
    for (let i = 1; i <= 20; i++) await register(email, `203.0.113.${i}`);
    const later = await codeFor(freshAddress(), OWN);
    expect(later.code).toMatch(/^\d{6}$/);
    expect(await mailsTo(email)).toHaveLength(12);
  });

  test('stop for all addresses at the limit of the service, with 503 and a count', async () => {
    const broken = await startRig({
      REGISTRATIONS_PER_HOUR_MAX: '100000',
      TRUST_PROXY_HOPS: '1',
      MAILS_PER_HOUR_MAX: '5',
    });
    const answers = [];
    for (let i = 1; i <= 8; i++) answers.push(await register(freshAddress(), `203.0.113.${i}`, broken.url));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 503, 503, 503]);
    expect(await answers[7]?.json()).toMatchObject({ code: 'OVERLOADED' });
    expect(Number(answers[7]?.headers.get('retry-after'))).toBeGreaterThan(3_000);
    const stopped = seriesValue(await broken.metrics(), 'scriptorium_mails_total', { outcome: 'stopped' });
    expect(stopped).toBe(3);
    await broken.close();
  });
});

test.each(['/v1/auth/register?email=a@example.com', '/v1/auth/verify?email=a@example.com&code=123456'])(
  '%s is refused from a page of another site',
  async (path) => {
    const from = (site: string) => fetch(rig.url + path, { headers: { 'sec-fetch-site': site } });
    const refused = await from('cross-site');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ details: [{ field: 'header sec-fetch-site' }] });
    for (const site of ['same-origin', 'same-site', 'none'])
      expect(await (await from(site)).text()).not.toContain('sec-fetch-site');
  },
);

test('refused keys and codes are logged with hashes that tell origins apart, and with nothing else of them', async () => {
  const lines: Record<string, unknown>[] = [];
  const logging = await startRig({ REGISTRATIONS_PER_HOUR_MAX: '1000', TRUST_PROXY_HOPS: '1' }, lines);
  const call = (path: string, from: string) =>
    fetch(logging.url + path, { headers: { 'x-forwarded-for': from, authorization: 'Bearer scr_wrong' } });
  for (const from of [OWN, OWN, STRANGE]) {
    await call('/v1/auth/keys', from);
    for (const email of ['ada.l@gmail.com', 'adal+x@gmail.com', 'bob@example.com'])
      await call(`/v1/auth/verify?email=${encodeURIComponent(email)}&code=123456`, from);
  }
  const of = (message: string, name: string) =>
    lines.filter((line) => line.message === message).map((line) => line[name]);
  const networks = of('API key refused', 'network');
  expect(networks).toHaveLength(3);
  expect(networks[1]).toBe(networks[0]);
  expect(networks[2]).not.toBe(networks[0]);
  expect(new Set(of('e-mail code refused', 'network'))).toEqual(new Set(networks));
  expect(new Set(of('e-mail code refused', 'mailbox')).size).toBe(2);
  for (const hash of networks) expect(hash).toMatch(/^[0-9a-f]{16}$/);
  expect(JSON.stringify(lines)).not.toMatch(/192\.0\.2|198\.51|gmail|example|123456|scr_wrong/);
  await logging.close();
});

describe('addresses', () => {
  const pepper = new Secret('a pepper of more than thirty-two characters');
  const isOneOwner = (a: string, b: string) => hashAddress(a, pepper).equals(hashAddress(b, pepper));

  test.each([
    ['ada.lovelace@gmail.com', 'adalovelace+x@googlemail.com'],
    ['ADA@gmail.com', 'a.d.a@gmail.com'],
    ['ada_l@proton.me', 'a.d-al+x@proton.me'],
    ['ada@icloud.com', 'Ada+news@icloud.com'],
    ['ada@hotmail.com', 'ada+1@hotmail.com'],
    ['ada@fastmail.com', 'shop@ada.fastmail.com'],
    ['ada@fastmail.fm', 'ada+shop@fastmail.fm'],
  ])('%s and %s are one owner', (a, b) => {
    expect(isOneOwner(a, b)).toBe(true);
    expect(foldAddress(a)).toBe(foldAddress(b));
  });

  test.each([
    ['ada@outlook.com', 'ada@hotmail.com'],
    ['ada.l@outlook.com', 'adal@outlook.com'],
    ['ada.l@icloud.com', 'adal@icloud.com'],
    ['ada.l@fastmail.com', 'adal@fastmail.com'],
    ['ada.l@example.com', 'adal@example.com'],
    ['ada@fastmail.com', 'ada@fastmail.fm'],
    ['ada@gmail.com', 'ada@gmail.com.example'],
    ['ada@x.gmail.com', 'ada@gmail.com'],
  ])('%s and %s are two mailboxes', (a, b) => {
    expect(isOneOwner(a, b)).toBe(false);
    expect(foldAddress(a)).not.toBe(foldAddress(b));
  });

  test.each([
    ['ada@example.com', 'ada+x@example.com'],
    ['ada@example.com', 'ADA@example.com'],
    ['ada@proton.me', 'ada@pm.me'],
    ['ada@icloud.com', 'ada@me.com'],
  ])('%s and %s share limits, but not keys', (a, b) => {
    expect(foldAddress(a)).toBe(foldAddress(b));
    expect(isOneOwner(a, b)).toBe(false);
  });

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2::9', '2001:db8:1::/48'],
    ['nonsense', 'unknown'],
  ])('a client %s asks for mails as %s', (address, network) => {
    expect(wideNetworkOf(address)).toBe(network);
  });
});

describe('who gets a key by mail', () => {
  test.each([
    ['you@example.com', true],
    ['you@Example.COM', true],
    ['you@eu.example.org', true],
    ['you@a.eu.example.org', true],
    ['you@example.org', false],
    ['you@notexample.com', false],
    ['you@eu.example.com', false],
    ['you@example.com.example.net', false],
  ])('only addresses of the domains of the operator: %s', async (email, isAccepted) => {
    const settings = { REGISTRATION: 'domains', REGISTRATION_DOMAINS: 'example.com, *.example.org' };
    const gateway = await startRig(settings);
    const answer = await register(email, OWN, gateway.url);
    expect(answer.status).toBe(isAccepted ? 200 : 403);
    if (!isAccepted)
      expect(await answer.json()).toMatchObject({ code: 'FORBIDDEN', details: [{ field: 'email' }] });
    await gateway.close();
  });

  test('no address, and then there need be no mail server', async () => {
    const gateway = await startRig({ REGISTRATION: 'closed', SMTP_URL: undefined });
    for (const path of ['register?email=you@example.com', 'verify?email=you@example.com&code=123456']) {
      const answer = await fetch(`${gateway.url}/v1/auth/${path}`);
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({
        code: 'FORBIDDEN',
        message: 'This service issues no API keys by mail: ask its operator for one.',
      });
    }
    await gateway.close();
  });

  test.each([
    [{ SMTP_URL: undefined }, 'SMTP_URL'],
    [{ REGISTRATION: 'some' }, 'REGISTRATION'],
    [{ REGISTRATION: 'domains' }, 'REGISTRATION_DOMAINS'],
    [{ REGISTRATION: 'domains', REGISTRATION_DOMAINS: 'exam ple' }, 'REGISTRATION_DOMAINS'],
    [{ REGISTRATION_DOMAINS: 'example.com' }, 'REGISTRATION_DOMAINS'],
  ])('%j is refused at the start', async (settings, name) => {
    await expect(startRig(settings)).rejects.toThrow(name);
  });
});

test('the contact of the operator for vulnerabilities is public', async () => {
  const response = await fetch(`${rig.url}/.well-known/security.txt`);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const [, expires = ''] =
    /^Contact: mailto:security@example\.com\nExpires: (\S+)\nPreferred-Languages: en\n$/.exec(
      await response.text(),
    ) ?? [];
  expect(Date.parse(expires)).toBeGreaterThan(Date.now());
});
