import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fetcherTo, never } from '@scriptorium/testing/pki/fetching';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { DerError } from '../../src/asn1/der-reader.ts';
import { accessPlaces, crlPlaces } from '../../src/revocation/authority-access.ts';
import { checkCrl } from '../../src/revocation/crl.ts';
import { askOcsp, checkOcspAnswer, type Question } from '../../src/revocation/ocsp.ts';
import { UnusableAnswerError } from '../../src/revocation/revocation.ts';
import { readCertificate } from '../../src/x509/certificate.ts';
import { readTime } from '../../src/x509/time.ts';

let pki: Pki;
let leaf: Identity;
let question: Question;
beforeAll(async () => {
  pki = await createPki();
  leaf = await pki.issue({ name: 'Charles Babbage' });
  pki.revoke(leaf);
  question = { certificate: readCertificate(leaf.der), issuer: readCertificate(pki.intermediate.der) };
});
afterAll(() => pki.close());

/** Yields each single-byte change in two ways, and each truncation. */
function* mutations(bytes: Buffer): Generator<Buffer> {
  for (let index = 0; index < bytes.length; index++) {
    for (const bits of [0x01, 0x80]) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ bits;
      yield changed;
    }
    yield bytes.subarray(0, index);
  }
}

/** Returns the status in a response, or undefined if it is rejected. Throws for any other kind of error. */
function statusOf(check: () => { status: string }): string | undefined {
  try {
    return check().status;
  } catch (error) {
    if (error instanceof UnusableAnswerError || error instanceof DerError) return undefined;
    throw error;
  }
}

describe('a response changed anywhere never makes a revoked certificate good', () => {
  test('for OCSP', async () => {
    const [url = ''] = accessPlaces(question.certificate, 'ocsp');
    const { der, status } = await askOcsp(url, question, { fetcher: fetcherTo(pki), signal: never() });
    expect(status).toBe('revoked');
    for (const changed of mutations(der))
      expect([undefined, 'revoked']).toContain(
        statusOf(() => checkOcspAnswer(changed, question, new Date())),
      );
  });

  test('for a CRL', () => {
    const list = pki.crlOf(pki.intermediate);
    expect(statusOf(() => checkCrl(list, question, new Date()))).toBe('revoked');
    for (const changed of mutations(list))
      expect([undefined, 'revoked']).toContain(statusOf(() => checkCrl(changed, question, new Date())));
  });
});

test('a certificate changed anywhere is either read or rejected as invalid', () => {
  for (const changed of mutations(leaf.der)) {
    try {
      const certificate = readCertificate(changed);
      accessPlaces(certificate, 'ocsp');
      crlPlaces(certificate);
    } catch (error) {
      expect(error).toBeInstanceOf(DerError);
    }
  }
});

describe('a time', () => {
  const time = (tag: number, text: string) => {
    const content = Buffer.from(text);
    return readTime({ tag, content, bytes: content });
  };

  test.each([
    [0x17, '491231235959Z', '2049-12-31T23:59:59.000Z'],
    [0x17, '500101000000Z', '1950-01-01T00:00:00.000Z'],
    [0x18, '20261121153100Z', '2026-11-21T15:31:00.000Z'],
    [0x18, '20261121153100.5Z', '2026-11-21T15:31:00.500Z'],
    [0x18, '20240229000000.123456Z', '2024-02-29T00:00:00.123Z'],
  ])('of tag %i, %s, is %s', (tag, text, iso) => {
    expect(time(tag, text).toISOString()).toBe(iso);
  });

  test.each([
    [0x17, '4912312359Z'],
    [0x17, '491231235959+0100'],
    [0x18, '20261131000000Z'],
    [0x18, '20260229000000Z'],
    [0x18, '20261121240000Z'],
    [0x18, '20261121153100'],
    [0x18, '20261121153100,5Z'],
    [0x04, '20261121153100Z'],
  ])('of tag %i, %s, is invalid', (tag, text) => {
    expect(() => time(tag, text)).toThrow(DerError);
  });
});
