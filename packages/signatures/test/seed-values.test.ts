import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formBodies } from '@scriptorium/testing/fixtures/pdf/documents';
import type { PrepareOptions } from '../src/pades/prepare-signature.ts';
import { prepared } from './signing.ts';

const certificate = new X509Certificate(readFileSync(new URL('readers/files/root.pem', import.meta.url)));
const hex = `<${certificate.raw.toString('hex')}>`;

/** Prepares a signature at level B-B with SHA-256 in a field with these seed values; returns the refused fields. */
async function refused(seed: string, options: Partial<PrepareOptions> = {}): Promise<string[]> {
  const pdf = classicPdf(formBodies(`/SV<</Type/SV${seed}>>`));
  const seeded = { hash: 'sha256', level: 'B-B', certificates: [certificate] } as const;
  try {
    await prepared(pdf, { field: 'Signature', seeded, ...options });
    return [];
  } catch (error) {
    const { code, details } = error as { code: string; details: { field: string }[] };
    expect(code).toBe('VALIDATION_ERROR');
    return details.map(({ field }) => field);
  }
}

const level = (name: 'B-T' | 'B-LT') => ({
  seeded: { hash: 'sha256', level: name, certificates: [certificate] },
});

// Without the default, Jest takes the third parameter for a callback, and waits for it.
test.each<[seed: string, fields: string[], options?: Partial<PrepareOptions>]>([
  ['/Ff 1/Filter/Other', ['field']],
  ['/Ff 1/Filter/Adobe.PPKLite', []],
  ['/Ff 2/SubFilter[/adbe.pkcs7.detached]', ['field']],
  ['/Ff 2/SubFilter[/adbe.pkcs7.detached/ETSI.CAdES.detached]', []],
  ['/Ff 0/SubFilter[/adbe.pkcs7.detached]', []],
  ['/Ff 64/DigestMethod[(SHA512)]', ['key']],
  ['/Ff 64/DigestMethod[(SHA512)(SHA256)]', []],
  ['/Ff 8/Reasons[(Approved)(Read)]', ['reason']],
  ['/Ff 8/Reasons[(Approved)(Read)]', ['reason'], { reason: 'Other' }],
  ['/Ff 8/Reasons[(Approved)(Read)]', [], { reason: 'Read' }],
  ['/Ff 8/Reasons[(.)]', ['reason'], { reason: 'Read' }],
  ['/Ff 8/Reasons[(.)]', []],
  ['/Reasons[(Approved)]', [], { reason: 'Other' }],
  ['/Ff 128', ['field']],
  ['/MDP<</P 0>>', ['certify'], { certify: 'formFilling' }],
  ['/MDP<</P 2>>', ['certify']],
  ['/MDP<</P 2>>', [], { certify: 'formFilling' }],
  ['/TimeStamp<</Ff 1/URL(http://tsa.example)>>', ['level']],
  ['/TimeStamp<</Ff 1/URL(http://tsa.example)>>', [], level('B-T')],
  ['/Ff 32/AddRevInfo true', ['level'], level('B-T')],
  ['/Ff 32/AddRevInfo true', [], level('B-LT')],
  ['/Cert<</Ff 1/Subject[<00>]>>', ['key']],
  [`/Cert<</Ff 1/Subject[${hex}]>>`, []],
  ['/Cert<</Ff 2/Issuer[<00>]>>', ['key']],
  [`/Cert<</Ff 2/Issuer[<00>${hex}]>>`, []],
  ['/Cert<</Ff 4/OID[(1.2.3)]>>', ['field']],
  ['/Ff 10/SubFilter[/adbe.x509.rsa_sha1]/Reasons[(A)]', ['field', 'reason']],
])('the seed values %s refuse %j', async (seed, fields, options = {}) => {
  expect(await refused(seed, options)).toEqual(fields);
});
