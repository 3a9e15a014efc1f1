import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { prepareDocx } from '../../src/opc/prepare-docx.ts';
import { completeDocx, signDocx } from '../../src/opc/sign-docx.ts';
import { letter } from './documents.ts';
import { filesOf, judgeByJdk, judgeByOffice, judgeByXmlsec } from './judges.ts';
import { TestKeys } from './keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'two-steps-'));
const signingTime = new Date('2026-03-04T05:06:07Z');
let keys: TestKeys;

beforeAll(() => {
  keys = new TestKeys(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function prepare(bytes = letter(), key = 'P-384') {
  const { certificates, algorithm, hash } = keys.signer(key, 'ecdsa', 'sha384');
  return prepareDocx(bytes, { certificates, algorithm, hash }, { signingTime, reason: 'agreed' });
}

function signElsewhere(toBeSigned: Buffer, key = 'P-384'): Promise<Buffer> {
  return keys.signer(key, 'ecdsa', 'sha384').sign(toBeSigned);
}

testInWhole('an external value completes a prepared document, which is then valid', async () => {
  const prepared = await prepare();
  const { bytes, partName, signatureValue } = await completeDocx(
    prepared.bytes,
    await signElsewhere(prepared.toBeSigned),
    { level: 'B-B' },
  );
  expect(partName).toBe(prepared.partName);
  expect(signatureValue).toHaveLength(96);
  expect(await judgeByXmlsec(bytes, partName, keys.caPem)).toContain('8/8');
  const xml = (await filesOf(bytes)).get(partName) ?? '';
  const [opinion] = await judgeByJdk([xml]);
  expect(opinion?.isValid).toBe(true);
});

testInWhole('the bytes to sign equal the canonical SignedInfo of the JDK', async () => {
  const prepared = await prepare();
  const signed = await signDocx(letter(), {
    signer: keys.signer('P-384', 'ecdsa', 'sha384'),
    level: 'B-B',
    signingTime,
    reason: 'agreed',
  });
  const xml = (await filesOf(signed.bytes)).get(signed.partName)?.toString() ?? '';
  const [opinion] = await judgeByJdk([xml]);
  expect(opinion?.isValid).toBe(true);
  const hash = (text: string) => createHash('sha384').update(text).digest('base64');
  for (const { digested } of opinion?.references ?? [])
    expect(prepared.toBeSigned.toString()).toContain(`<DigestValue>${hash(digested)}</DigestValue>`);
});

test('the second step adds the time-stamp', async () => {
  const prepared = await prepare();
  const value = await signElsewhere(prepared.toBeSigned);
  const { timestampTime } = await completeDocx(prepared.bytes, value, {
    level: 'B-T',
    timestamper: keys.timestamper(),
  });
  expect(timestampTime).toEqual(new Date('2026-03-04T05:06:07Z'));
});

testInWhole('a second signer can also sign in two steps', async () => {
  const first = await signDocx(letter(), { signer: keys.signer('rsa'), level: 'B-B', signingTime });
  const prepared = await prepare(first.bytes, 'P-256');
  const value = await signElsewhere(prepared.toBeSigned, 'P-256');
  const { bytes } = await completeDocx(prepared.bytes, value, { level: 'B-B' });
  const [opinions] = await judgeByOffice([bytes], keys.caDer);
  expect(opinions?.map(({ signer }) => signer)).toEqual([
    'CN=rsa signer,O=Signers',
    'CN=P-256 signer,O=Signers',
  ]);
  expect(opinions?.[0]?.isValid).toBe(true);
  expect(await judgeByXmlsec(bytes, first.partName, keys.caPem)).toContain('8/8');
  expect(await judgeByXmlsec(bytes, prepared.partName, keys.caPem)).toContain('8/8');
});

test('the second step rejects a value of another key, of other bytes, or without a signature', async () => {
  const prepared = await prepare();
  const wrong = [
    await signElsewhere(prepared.toBeSigned, 'P-256'),
    await signElsewhere(Buffer.from('other')),
    Buffer.from('3003020101', 'hex'),
    Buffer.alloc(0),
    Buffer.alloc(96, 1),
    Buffer.concat([await signElsewhere(prepared.toBeSigned), Buffer.from('0')]),
  ];
  for (const value of wrong)
    await expect(completeDocx(prepared.bytes, value, { level: 'B-B' })).rejects.toMatchObject({
      code: 'SIGNING_KEY_INVALID',
    });
});

test('the second step rejects a document changed between the steps', async () => {
  const prepared = await prepare();
  const files = await filesOf(prepared.bytes);
  files.set(
    'word/styles.xml',
    Buffer.concat([files.get('word/styles.xml') ?? Buffer.alloc(0), Buffer.from(' ')]),
  );
  const changed = zip([...files].map(([name, data]) => ({ name, data })));
  const value = await signElsewhere(prepared.toBeSigned);
  await expect(completeDocx(changed, value, { level: 'B-B' })).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    message: expect.stringContaining('/word/styles.xml'),
  });
});

test('the second step requires a prepared document, and a prepared one cannot be signed again', async () => {
  const prepared = await prepare();
  const value = await signElsewhere(prepared.toBeSigned);
  const completed = await completeDocx(prepared.bytes, value, { level: 'B-B' });
  for (const bytes of [letter(), completed.bytes])
    await expect(completeDocx(bytes, value, { level: 'B-B' })).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
    });
  await expect(prepare(prepared.bytes)).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
});
