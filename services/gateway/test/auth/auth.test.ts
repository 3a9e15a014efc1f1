import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { forgetMails, mailsTo, readMail } from '@scriptorium/testing/mail';
import { type Rig, startRig } from '../rigs/rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ REGISTRATIONS_PER_HOUR_MAX: '100000' });
});
afterAll(() => rig.close());

const freshAddress = () => `user-${randomBytes(6).toString('hex')}@example.com`;
const register = (email: string) => fetch(`${rig.url}/v1/auth/register?email=${encodeURIComponent(email)}`);
const verify = (email: string, code: string) =>
  fetch(`${rig.url}/v1/auth/verify?email=${encodeURIComponent(email)}&code=${code}`);
const codeIn = (text: string): string => /code: (\d{6})\b/.exec(text)?.[1] ?? 'no code';
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

async function codeFor(email: string): Promise<string> {
  await forgetMails(email);
  await register(email);
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const codes = (await mailsTo(email))
      .map((mail) => codeIn(mail.text))
      .filter((code) => code !== 'no code');
    if (codes[0] !== undefined) return codes[0];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('no code arrived');
}

async function keyFor(email: string): Promise<string> {
  return (await (await verify(email, await codeFor(email))).json()) as string;
}

const listKeys = (key: string) =>
  fetch(`${rig.url}/v1/auth/keys`, { headers: { authorization: `Bearer ${key}` } });

describe('registration', () => {
  test('mails only a code to exactly the given address', async () => {
    const email = freshAddress();
    const response = await register(email);
    expect(response.status).toBe(200);
    expect(await response.json()).toBe('Check your email for verification code.');
    const mail = await readMail(email);
    expect(mail.to).toEqual([email]);
    expect(codeIn(mail.text)).toMatch(/^\d{6}$/);
    expect(mail.headers['auto-submitted']).toBe('auto-generated');
    expect(mail.text).not.toMatch(/https?:/);
  });

  test('returns the same answer but sends no mail after three mails in an hour, regardless of tags and letter case', async () => {
    const email = freshAddress();
    const [local, domain] = email.split('@');
    const forms = [
      email,
      `${local}+a@${domain}`,
      `${local?.toUpperCase()}@${domain}`,
      `${local}+b@${domain}`,
      email,
    ];
    for (const form of forms)
      expect(await (await register(form)).json()).toBe('Check your email for verification code.');
    // A later mail to another address shows that the earlier ones have been processed.
    const later = freshAddress();
    await register(later);
    await readMail(later);
    const mails = await Promise.all([...new Set(forms)].map((form) => mailsTo(form)));
    expect(new Set(mails.flat().map((mail) => mail.id)).size).toBe(3);
  });

  test.each([
    'nobody',
    'a@b',
    'a@b.c@d.example',
    'a..b@example.com',
    '"a b"@example.com',
    'a@example.com,b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    '<a@example.com>',
    'ä@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(250)}.com`,
    '',
  ])('rejects the address %j', async (email) => {
    const response = await register(email);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'query.email' }],
    });
  });

  test('rejects a repeated and an unknown parameter', async () => {
    const twice = await fetch(`${rig.url}/v1/auth/register?email=a@example.com&email=b@example.com`);
    expect(twice.status).toBe(400);
    const unknown = await fetch(`${rig.url}/v1/auth/register?email=a@example.com&debug=1`);
    expect(await unknown.json()).toMatchObject({
      details: [{ field: 'query.debug', issue: 'is not a known property' }],
    });
  });

  test('is not triggered by HEAD, a prefetch or an embedded image', async () => {
    const url = `${rig.url}/v1/auth/register?email=${freshAddress()}`;
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(405);
    expect((await fetch(url, { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(400);
  });
});

describe('verification', () => {
  test('redeems the code for a valid key, without caching, and notifies the owner by mail', async () => {
    const email = freshAddress();
    const code = await codeFor(email);
    await forgetMails(email);
    const response = await verify(email, code);
    const key = (await response.json()) as string;
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(key).toMatch(/^scr_[0-9A-Za-z]{39}$/);
    expect((await listKeys(key)).status).toBe(200);
    const notice = await readMail(email);
    expect(notice.subject).toBe('A Scriptorium API key was issued');
    expect(notice.text).not.toContain(key);
  });

  test('accepts the code by POST too', async () => {
    const email = freshAddress();
    const response = await fetch(`${rig.url}/v1/auth/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, code: await codeFor(email) }),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatch(/^scr_/);
  });

  test('accepts a code once', async () => {
    const email = freshAddress();
    const code = await codeFor(email);
    const answers = await Promise.all([1, 2, 3, 4].map(() => verify(email, code)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400, 400]);
  });

  test('accepts only the newest code', async () => {
    const email = freshAddress();
    const first = await codeFor(email);
    const second = await codeFor(email);
    if (first !== second) expect((await verify(email, first)).status).toBe(400);
    expect((await verify(email, second)).status).toBe(200);
  });

  test('invalidates a code after five wrong attempts', async () => {
    const email = freshAddress();
    const code = await codeFor(email);
    for (let attempt = 0; attempt < 5; attempt++) {
      const refused = await verify(email, wrong(code));
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ code: 'EMAIL_CODE_INVALID' });
    }
    expect((await verify(email, code)).status).toBe(400);
  });

  test('gives the same answer for a wrong code and for an address without a code', async () => {
    const email = freshAddress();
    const code = await codeFor(email);
    const text = async (response: Response) => ({ ...((await response.json()) as object), requestId: '' });
    expect(await text(await verify(email, wrong(code)))).toEqual(
      await text(await verify(freshAddress(), code)),
    );
  });

  test('names the field of a malformed code', async () => {
    const response = await verify(freshAddress(), 'abc');
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'query.code' }],
    });
  });
});

describe('keys', () => {
  test('are listed by id without their secrets, for one address only', async () => {
    const email = freshAddress();
    const first = await keyFor(email);
    const second = await keyFor(email);
    await keyFor(freshAddress());
    const { keys } = (await (await listKeys(second)).json()) as {
      keys: { last4: string; current: boolean }[];
    };
    expect(keys.map((key) => key.last4)).toEqual([first.slice(-4), second.slice(-4)]);
    expect(keys.map((key) => key.current)).toEqual([false, true]);
    expect(JSON.stringify(keys)).not.toContain(second);
  });

  test('stop working at once when revoked', async () => {
    const key = await keyFor(freshAddress());
    const { keys } = (await (await listKeys(key)).json()) as { keys: { id: string }[] };
    const revoked = await fetch(`${rig.url}/v1/auth/keys/${keys[0]?.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(revoked.status).toBe(204);
    expect((await listKeys(key)).status).toBe(401);
  });

  test("cannot be revoked with another address's key", async () => {
    const mine = await rig.newKey();
    const other = await rig.newKey();
    const refused = await fetch(`${rig.url}/v1/auth/keys/${mine.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${other.key}` },
    });
    expect(refused.status).toBe(404);
    expect((await listKeys(mine.key)).status).toBe(200);
  });

  test.each([
    ['no key', undefined],
    ['another scheme', 'Basic c2NyOg=='],
    ['no scheme', 'scr_0000'],
    ['a malformed key', 'Bearer scr_short'],
    ['an empty key', 'Bearer '],
    ['a key with a wrong checksum', `Bearer scr_${'0'.repeat(39)}`],
    ['an unknown key', 'Bearer scr_0000000000000000000000000000000000Z9lW4m'],
    ['a very long header', `Bearer ${'a'.repeat(4000)}`],
  ])('are required, with the same answer for %s', async (_name, authorization) => {
    const response = await fetch(`${rig.url}/v1/auth/keys`, {
      headers: authorization ? { authorization } : {},
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toEqual({
      code: 'AUTHENTICATION_ERROR',
      error: 'Unauthorized',
      message: 'A valid API key is required: Authorization: Bearer <API_KEY>.',
      requestId: response.headers.get('x-request-id'),
    });
  });

  test('are accepted with the scheme in any letter case', async () => {
    const { key } = await rig.newKey();
    const response = await fetch(`${rig.url}/v1/auth/keys`, { headers: { authorization: `bearer ${key}` } });
    expect(response.status).toBe(200);
  });
});
