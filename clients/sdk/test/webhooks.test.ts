import { expect, test } from '@jest/globals';
import { readWebhook } from '../src/client.ts';

/** The vector that the libraries of Standard Webhooks share. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"test": 2432232314}';
const AT = 1_614_265_330;
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

const headers = (changes: object = {}): Record<string, string> => ({
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': String(AT),
  'webhook-signature': SIGNATURE,
  ...changes,
});

test('reads a webhook that was signed, by any of its signatures', async () => {
  const content = { test: 2432232314 };
  expect(await readWebhook(SECRET, headers(), BODY, (AT + 299) * 1_000)).toEqual(content);
  const two = new Headers(headers({ 'webhook-signature': `v1,bm9wZQ== v1a,bm9wZQ== ${SIGNATURE}` }));
  const bytes = new TextEncoder().encode(BODY);
  expect(await readWebhook(SECRET.replace('whsec_', ''), two, bytes, AT * 1_000)).toEqual(content);
});

test.each([
  ['a changed body', headers(), '{"test": 2432232315}', AT],
  ['another id', headers({ 'webhook-id': 'msg_other' }), BODY, AT],
  ['another time', headers({ 'webhook-timestamp': String(AT + 1) }), BODY, AT],
  ['no time', headers({ 'webhook-timestamp': '' }), BODY, AT],
  ['a time that is not a number', headers({ 'webhook-timestamp': '²' }), BODY, AT],
  ['no signature', headers({ 'webhook-signature': '' }), BODY, AT],
  ['another version', headers({ 'webhook-signature': SIGNATURE.replace('v1,', 'v2,') }), BODY, AT],
  ['a signature that is not base64', headers({ 'webhook-signature': 'v1,é' }), BODY, AT],
  ['an old time', headers(), BODY, AT + 301],
  ['a time to come', headers(), BODY, AT - 301],
  ['no headers', {}, BODY, AT],
])('refuses a webhook with %s', async (_, sent, body, now) => {
  await expect(readWebhook(SECRET, sent, body, now * 1_000)).rejects.toThrow('The webhook');
});

test('refuses a webhook of another secret', async () => {
  await expect(readWebhook(`whsec_${'A'.repeat(32)}`, headers(), BODY, AT * 1_000)).rejects.toThrow(
    'not signed',
  );
});
