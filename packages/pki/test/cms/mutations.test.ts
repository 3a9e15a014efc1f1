import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { few, testInWhole } from '@scriptorium/testing/extent';
import type { Identity } from '@scriptorium/testing/pki/identity';
import type { KeyType } from '@scriptorium/testing/pki/keys';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { readSignedData } from '../../src/cms/read-signed-data.ts';
import { readCertificate } from '../../src/x509/certificate.ts';
import { streamed } from '../streamed-ber.ts';
import { buildCms, INTACT, read } from './build-cms.ts';

let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

/** Returns the position of these bytes in a CMS. */
function spanOf(cms: Buffer, bytes: Buffer): [start: number, end: number] {
  const start = cms.indexOf(bytes);
  if (start === -1) throw new Error('the bytes are missing');
  return [start, start + bytes.length];
}

/** Returns the protected ranges: signed attributes, signature value, and the key of the signer. */
function sealedSpans(cms: Buffer, signer: Identity): [number, number][] {
  const { signer: info } = readSignedData(cms);
  const attributes = info.signed?.encodings[0]?.subarray(1) ?? Buffer.alloc(0);
  const [start, end] = spanOf(cms, attributes);
  return [[start - 1, end], spanOf(cms, info.signature), spanOf(cms, readCertificate(signer.der).keyBits)];
}

const flipped = (cms: Buffer, index: number, bits: number): Buffer => {
  const changed = Buffer.from(cms);
  changed[index] = (changed[index] ?? 0) ^ bits;
  return changed;
};

const isIntact = (cms: Buffer): boolean => {
  const { core, faults } = read(cms);
  for (const { message } of faults) expect(message).toMatch(/^[\P{C}]{10,250}$/u);
  return core?.digestHolds === true && core.signatureHolds;
};

describe('a signature with any byte changed', () => {
  test.each<KeyType>(few(['p-256', 'rsa-2048', 'rsa-pss', 'ed25519'], 1))(
    'by a key of type %s is invalid if the byte is protected, and is read without a crash',
    async (keyType) => {
      const signer = await pki.issue({ name: 'Ada', keyType });
      const hash = keyType === 'ed25519' ? { hash: 'sha512' as const } : {};
      const cms = buildCms({ signer, certificates: [signer.der], ...hash });
      expect(read(cms)).toMatchObject({ core: INTACT, faults: [] });
      const spans = sealedSpans(cms, signer);
      const unnoticed: number[] = [];
      for (let index = 0; index < cms.length; index++) {
        const isSealed = spans.some(([start, end]) => start <= index && index < end);
        for (const bits of [0x01, 0x20, 0xff])
          if (isIntact(flipped(cms, index, bits)) && isSealed) unnoticed.push(index);
      }
      expect(unnoticed).toEqual([]);
    },
    60_000,
  );

  testInWhole(
    'in streamed BER is read without a crash',
    async () => {
      const signer = await pki.issue({ name: 'Ada' });
      const cms = streamed(buildCms({ signer, certificates: [signer.der] }));
      expect(isIntact(cms)).toBe(true);
      for (let index = 0; index < cms.length; index++)
        for (const bits of [0x01, 0x20, 0x80]) isIntact(flipped(cms, index, bits));
    },
    60_000,
  );
});

test('a signature truncated anywhere is not a CMS', async () => {
  const signer = await pki.issue({ name: 'Ada' });
  const cms = buildCms({ signer, certificates: [signer.der] });
  for (const written of [cms, streamed(cms)])
    for (let length = 0; length < written.length; length++)
      expect(read(written.subarray(0, length)).faults).toMatchObject([{ code: 'CMS_INVALID' }]);
});
