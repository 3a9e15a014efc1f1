import { createHash, generateKeyPairSync } from 'node:crypto';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { boolean, integer, octetString, sequence } from '@scriptorium/testing/pki/der';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { digestAlgorithm } from '@scriptorium/testing/pki/keys';
import { memberAt, readAsn1 } from '@scriptorium/testing/pki/read';
import { answerTimestamp } from '@scriptorium/testing/pki/time-stamp';
import { prepareDocumentTimestamp } from '../../../src/pades/prepare-signature.ts';
import { embedSignature } from '../../../src/pades/prepared.ts';
import { readPdf } from '../../../src/pades/read-pdf.ts';
import type { Attack, AttackClass } from '../attack.ts';
import type { Lab } from '../lab.ts';
import { type CmsFaults, faultyCms } from './cms.ts';
import { replaced } from './edit.ts';
import { signedOddly } from './odd-signing.ts';

const WEAK = ['WEAK_ALGORITHM', 'ALGORITHM_UNSUPPORTED'] as const;

const withCms = (
  name: string,
  faults: (lab: Lab, signed: Buffer) => Promise<CmsFaults> | CmsFaults,
  codes: Attack['codes'],
  more: Partial<Attack> = {},
): Attack => ({
  name,
  codes,
  make: (lab) =>
    signedOddly(lab, plainPdf(), {
      cms: async (signed) => faultyCms(signed, await faults(lab, signed)),
    }),
  ...more,
});

/** Returns a time-stamp token by any signer over these bytes. */
function tokenBy(signer: Identity, stamped: Buffer): Buffer {
  const imprint = sequence(
    digestAlgorithm('sha256'),
    octetString(createHash('sha256').update(stamped).digest()),
  );
  const request = sequence(integer(1), imprint, boolean(true));
  return memberAt(readAsn1(answerTimestamp(request, { signer, stranger: signer })), 1).der;
}

async function stampedBy(pdf: Buffer, token: (stamped: Buffer) => Buffer | Promise<Buffer>): Promise<Buffer> {
  const prepared = prepareDocumentTimestamp(readPdf(pdf), 16_384);
  const [, length, second] = prepared.byteRange;
  const stamped = Buffer.concat([prepared.bytes.subarray(0, length), prepared.bytes.subarray(second)]);
  return embedSignature(prepared, await token(stamped));
}

export const falseCms: AttackClass = {
  name: 'False signature values',
  source: 'RFC 5652; RFC 5035; ETSI EN 319 122-1',
  attacks: [
    withCms(
      'the signature is by a different key than that of the named certificate',
      ({ ada, bob }) => ({ signer: bob, named: ada, ess: ada }),
      ['SIGNATURE_INVALID'],
    ),
    withCms(
      'the certificate has the same name but another key',
      async ({ ada, pki }) => {
        const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        const forged = await pki.issue({ name: ada.name, keyPair: { privateKey, publicKey } });
        return { signer: forged, ess: ada };
      },
      ['SIGNING_CERTIFICATE_MISMATCH'],
    ),
    withCms(
      'the certificate has the same key but is not the signed one',
      async ({ ada, pki }) => ({
        signer: ada,
        named: await pki.issue({ name: 'Ada the Director', keyPair: ada }),
      }),
      ['SIGNING_CERTIFICATE_MISMATCH'],
    ),
    withCms(
      'the signed attributes do not name the certificate',
      ({ ada }) => ({ signer: ada, ess: 'none' }),
      ['SIGNING_CERTIFICATE_REQUIRED'],
    ),
    withCms(
      'the signer certificate is missing',
      ({ ada, pki }) => ({ signer: ada, certificates: [pki.intermediate.der, pki.root.der] }),
      ['SIGNER_CERTIFICATE_MISSING'],
    ),
    withCms('there are no certificates', ({ ada }) => ({ signer: ada, certificates: [] }), [
      'SIGNER_CERTIFICATE_MISSING',
    ]),
    withCms(
      'the CMS contains and signs another text',
      ({ ada }) => ({ signer: ada, encapsulated: Buffer.from('Agreement') }),
      ['CONTENT_ENCAPSULATED'],
    ),
    withCms(
      'the CMS contains the signed bytes',
      ({ ada }, signed) => ({ signer: ada, encapsulated: signed.subarray(0, 1_000) }),
      ['CONTENT_ENCAPSULATED'],
    ),
    withCms(
      'the CMS contains and signs empty content',
      ({ ada }) => ({ signer: ada, encapsulated: Buffer.alloc(0) }),
      ['CONTENT_ENCAPSULATED'],
    ),
    withCms(
      'the digest is that of another document',
      ({ ada }) => ({ signer: ada, digest: createHash('sha256').update('other').digest() }),
      ['DIGEST_MISMATCH'],
    ),
    withCms('the digest is empty', ({ ada }) => ({ signer: ada, digest: Buffer.alloc(0) }), [
      'DIGEST_MISMATCH',
      'CMS_INVALID',
    ]),
    withCms(
      'the signature value is empty',
      ({ ada }) => ({ signer: ada, signatureValue: () => Buffer.alloc(0) }),
      ['SIGNATURE_INVALID', 'CMS_INVALID'],
    ),
    withCms(
      'the signature value is an ECDSA signature of zeros',
      ({ ada }) => ({ signer: ada, signatureValue: () => Buffer.from('3006020100020100', 'hex') }),
      ['SIGNATURE_INVALID'],
    ),
    withCms(
      'the RSA signature has one bit changed',
      ({ bob }) => ({
        signer: bob,
        signatureValue: (right) => Buffer.concat([right.subarray(0, -1), Buffer.of((right.at(-1) ?? 0) ^ 1)]),
      }),
      ['SIGNATURE_INVALID'],
    ),
    withCms('there are no signers', ({ ada }) => ({ signer: ada, signerInfos: () => [] }), ['CMS_INVALID']),
    withCms('there are two signers', ({ ada }) => ({ signer: ada, signerInfos: (right) => [right, right] }), [
      'CMS_INVALID',
    ]),
    withCms('there are no signed attributes', ({ ada }) => ({ signer: ada, hasAttributes: false }), [
      'SIGNING_CERTIFICATE_REQUIRED',
      'CMS_INVALID',
    ]),
    withCms(
      'the signed attributes contain two digests, one of them correct',
      ({ ada }) => ({ signer: ada, digests: (right) => [right, Buffer.alloc(32)] }),
      ['CMS_INVALID'],
    ),
    withCms(
      'one signed attribute contains two digests, one of them correct',
      ({ ada }) => ({ signer: ada, digests: (right) => [right, Buffer.alloc(32)], isOneAttribute: true }),
      ['CMS_INVALID'],
    ),
    {
      name: 'other bytes follow the CMS',
      codes: ['CMS_INVALID', 'CONTENTS_INVALID'],
      make: (lab) =>
        signedOddly(lab, plainPdf(), {
          cms: async (signed) =>
            Buffer.concat([await faultyCms(signed, { signer: lab.ada }), Buffer.from('more')]),
        }),
    },
    withCms('the digest is by SHA-1', ({ bob }) => ({ signer: bob, hash: 'sha1' }), WEAK, {
      verdict: 'indeterminate',
    }),
    withCms('the digest is by MD5', ({ bob }) => ({ signer: bob, hash: 'md5' }), WEAK, {
      verdict: 'indeterminate',
    }),
    withCms(
      'the key is RSA of 1,024 bits',
      async ({ pki }) => ({ signer: await pki.issue({ name: 'Ada', keyType: 'rsa-1024' }) }),
      WEAK,
      { verdict: 'indeterminate' },
    ),
    {
      name: 'the value is that of another document by the same signer',
      codes: ['DIGEST_MISMATCH'],
      async make(lab) {
        let other: Buffer = Buffer.alloc(0);
        await signedOddly(lab, plainPdf(), {
          reason: 'Disagreed',
          cms: async (signed) => {
            other = await faultyCms(signed, { signer: lab.ada });
            return other;
          },
        });
        return signedOddly(lab, plainPdf(), { cms: () => other });
      },
    },
    {
      name: 'a CAdES signature is relabeled as a format that need not name its certificate',
      codes: ['DIGEST_MISMATCH'],
      make: async (lab) =>
        replaced(await lab.sign(plainPdf()), '/ETSI.CAdES.detached', '/adbe.pkcs7.detached'),
    },
  ],
};

export const falseTime: AttackClass = {
  name: 'False time-stamps',
  source: 'RFC 3161; ETSI EN 319 122-1, 5.3; ETSI EN 319 142-1, 5.4',
  attacks: [
    withCms(
      'the time-stamp is over another signature',
      (lab) => ({ signer: lab.ada, token: () => lab.token(Buffer.from('another signature')) }),
      ['TIMESTAMP_INVALID'],
      { verdict: 'indeterminate' },
    ),
    withCms(
      'the time-stamp is by a document signing certificate',
      ({ ada, bob }) => ({ signer: ada, token: (value) => tokenBy(bob, value) }),
      ['TIMESTAMP_INVALID'],
      { verdict: 'indeterminate' },
    ),
    withCms(
      'the time-stamp is not a token',
      ({ ada }) => ({ signer: ada, token: () => sequence(integer(1)) }),
      ['TIMESTAMP_INVALID', 'CMS_INVALID'],
      { verdict: 'indeterminate' },
    ),
    {
      name: 'the document time-stamp covers another document',
      codes: ['DIGEST_MISMATCH', 'TIMESTAMP_INVALID'],
      make: async (lab) =>
        stampedBy(await lab.sign(plainPdf()), () => lab.token(Buffer.from('another document'))),
    },
    {
      name: 'there is only a document time-stamp, by a document signing certificate',
      codes: ['TIMESTAMP_INVALID', 'CHAIN_INVALID'],
      make: (lab) => stampedBy(plainPdf(), (stamped) => tokenBy(lab.bob, stamped)),
    },
    {
      name: 'the document time-stamp is a signature',
      codes: ['CMS_INVALID', 'TIMESTAMP_INVALID'],
      make: async (lab) =>
        stampedBy(await lab.sign(plainPdf()), (stamped) => faultyCms(stamped, { signer: lab.ada })),
    },
  ],
};
