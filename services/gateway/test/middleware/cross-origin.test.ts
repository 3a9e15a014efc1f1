import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { origins } from '../../src/settings/lists.ts';
import { type Rig, startRig } from '../rigs/rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ CORS_ORIGINS: 'https://app.example.com, http://127.0.0.1:5173' });
});
afterAll(() => rig.close());

describe('pages of other sites', () => {
  const call = (method: string, path: string, origin: string) =>
    fetch(rig.url + path, {
      method,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
  const headersOf = ({ status, headers }: Response) => [
    status,
    ...['allow-origin', 'allow-headers'].map((name) => headers.get(`access-control-${name}`)),
  ];

  test('may call an operation, and read its errors, if the operator permits them', async () => {
    const origin = 'http://127.0.0.1:5173';
    expect(headersOf(await call('OPTIONS', '/v1/convert', origin))).toEqual([204, origin, 'authorization']);
    expect(headersOf(await call('OPTIONS', '/v1/auth/keys/key_x', origin))).toEqual([
      204,
      origin,
      'authorization',
    ]);
    const refused = await call('POST', '/v1/convert', origin);
    expect(headersOf(refused)).toEqual([401, origin, null]);
    expect(refused.headers.get('access-control-expose-headers')).toBe('*');
    expect(refused.headers.get('access-control-allow-credentials')).toBeNull();
    expect(refused.headers.get('vary')).toContain('Origin');
  });

  test.each([
    ['OPTIONS', '/v1/convert', 'https://evil.example.com', 405],
    ['OPTIONS', '/v1/convert', 'null', 405],
    ['POST', '/v1/convert', 'https://app.example.com.evil.example', 401],
    ['OPTIONS', '/v1/auth/register', 'https://app.example.com', 405],
    ['OPTIONS', '/v1/auth/verify', 'https://app.example.com', 405],
    ['OPTIONS', '/v1/auth/trial', 'https://app.example.com', 405],
    ['GET', '/docs', 'https://app.example.com', 200],
  ])('get no permission for %s %s from %s', async (method, path, origin, status) => {
    expect(headersOf(await call(method, path, origin))).toEqual([status, null, null]);
  });
});

test.each(['*', 'https://app.example.com/', 'app.example.com', 'null', ''])(
  'CORS_ORIGINS does not take %j: it is not an origin',
  (text) => {
    expect(origins().safeParse(text).success).toBe(false);
  },
);
