import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { convertJob } from '@scriptorium/contracts/jobs/convert';
import { open } from '@scriptorium/sealing/sealed-box';
import { Secret } from '@scriptorium/shared/config';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import type { z } from 'zod';
import { JOB_SETTINGS, type Rig, startRig } from '../rigs/rig.ts';

const PASSWORD = 'Käse-7f3a9c1b';
const document = { base64: docxWith(['text']).toString('base64') };
const file = { name: 'a.txt', base64: 'YQ==' };
const invoice = { name: 'Factur-X.xml', base64: 'PGEvPg==' };

let rig: Rig;
let key: string;
let redis: Buffer = Buffer.alloc(0);
let input: z.output<typeof convertJob.input> | undefined;
let requestId = '';

beforeAll(async () => {
  rig = await startRig();
  ({ key } = await rig.newKey());
  await rig.convertWith(async (_bytes, context, _options, asked) => {
    ({ requestId } = context);
    input = asked;
    redis = await rig.everythingInRedis();
    return Buffer.from('%PDF-1.7');
  });
});
afterAll(() => rig.close());

const convert = (body: object, query = 'from=docx') =>
  rig.postJson(key, `/v1/convert?${query}`, { document, ...body });

describe('the passwords of a conversion', () => {
  test('reach the converter alone, sealed, and are never in Redis', async () => {
    const encrypt = { password: PASSWORD, ownerPassword: `${PASSWORD}-owner`, permissions: ['print'] };
    const response = await convert({ encrypt, password: `${PASSWORD}-in`, watermark: 'Draft' });
    expect(response.status).toBe(200);
    const secret = new Secret(JOB_SETTINGS.CONVERTER_JOB_SECRET ?? '');
    expect(JSON.parse(open(secret, requestId, input?.passwordBox ?? '').toString())).toEqual({
      document: `${PASSWORD}-in`,
      user: PASSWORD,
      owner: `${PASSWORD}-owner`,
    });
    expect(redis.length).toBeGreaterThan(100);
    expect(redis.includes('7f3a9c1b')).toBe(false);
    expect(redis.includes('Draft')).toBe(false);
  });

  test('are not in the refusal of a request', async () => {
    const response = await convert({ encrypt: { password: PASSWORD, ownerPassword: PASSWORD } });
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('7f3a9c1b');
  });

  test('are also in the part `request` of a form', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(docxWith(['text']))]), 'letter.docx');
    form.append('request', JSON.stringify({ encrypt: { password: PASSWORD } }));
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${rig.url}/v1/convert?from=docx`, { method: 'POST', headers, body: form });
    expect(response.status).toBe(200);
    expect(input).toMatchObject({ passwordBox: expect.any(String), finishing: expect.anything() });
  });
});

test.each<[string, string, object, string?]>([
  ['encrypt', 'must be absent with `pdfa=2b`', { encrypt: { password: 'a' } }, 'from=docx&pdfa=2b'],
  ['encrypt', 'requires `to=pdf`', { encrypt: { password: 'a' } }, 'from=docx&to=odt'],
  ['encrypt.password', 'is required, or', { encrypt: {} }],
  ['encrypt.password', 'must not be empty', { encrypt: { password: '' } }],
  ['encrypt.password', 'must have at most 127 bytes', { encrypt: { password: 'ä'.repeat(64) } }],
  ['encrypt.password', 'no control characters', { encrypt: { password: 'a\u0000' } }],
  ['encrypt.password', 'visible characters', { encrypt: { password: '\u00a0' } }],
  ['encrypt.ownerPassword', 'must differ', { encrypt: { password: 'a', ownerPassword: 'a' } }],
  ['encrypt.permissions', 'requires `ownerPassword`', { encrypt: { password: 'a', permissions: [] } }],
  ['encrypt.permissions[0]', '', { encrypt: { ownerPassword: 'a', permissions: ['all'] } }],
  ['password', 'requires `from=docx` or `from=docm`', { password: 'a' }, 'from=rtf'],
  ['watermark', 'must have 1 to 100', { watermark: '' }],
  ['watermark', 'must have 1 to 100', { watermark: 'a'.repeat(101) }],
  ['watermark', 'one line', { watermark: 'a\nb' }],
  ['watermark', 'visible', { watermark: '\u200b \u00ad' }],
  ['watermark', 'requires `to=pdf`', { watermark: 'a' }, 'from=docx&to=png'],
  ['metadata.title', 'must have 0 to 1000', { metadata: { title: 'a'.repeat(1_001) } }],
  ['metadata.title', '', { metadata: { title: 7 } }],
  ['metadata.producer', 'is not a known property', { metadata: { producer: 'me' } }],
  ['attach', 'must have at least one', { attach: [] }],
  ['attach', 'must have at most 20', { attach: Array.from({ length: 21 }, () => file) }],
  ['attach', 'must be absent with `pdfa=1b`', { attach: [file] }, 'from=docx&pdfa=1b'],
  ['attach', 'must be absent with `pdfa=2b`', { attach: [file] }, 'from=docx&pdfa=2b'],
  ['attach[0].name', 'requires `pdfa=3b`', { attach: [invoice] }],
  ['attach[0].name', 'without a folder', { attach: [{ ...file, name: '../a.txt' }] }],
  ['attach[1].name', 'is that of another file', { attach: [file, { ...file, name: 'A.TXT' }] }],
  ['attach[0].contentType', 'must be a media type', { attach: [{ ...file, contentType: 'text' }] }],
  ['attach[0].base64', '', { attach: [{ name: 'a', base64: '%' }] }],
  ['attach[0]', 'exactly one of', { attach: [{ name: 'a' }] }],
])('an impossible %s is refused by its name: it %s', async (...[field, issue, body, query]) => {
  const response = await convert(body, query);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field, issue: expect.stringContaining(issue) }],
  });
});

test('an attachment that is empty is refused by its name', async () => {
  const response = await convert({ attach: [{ name: 'a', base64: '' }] });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ details: [{ field: 'attach[0]' }] });
});
