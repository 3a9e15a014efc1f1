import { createHash } from 'node:crypto';
import type { Openssl } from '@scriptorium/testing/openssl-authority';
import { signedData } from '../src/cms/signed-data.ts';
import type { RawSigner } from '../src/keys/raw-signer.ts';

/** Whether OpenSSL, trusting `authority` alone, takes a CMS signature that `signer` makes for a good CAdES one. */
export async function signsDocuments(
  signer: RawSigner,
  openssl: Openssl,
  authority = 'root.crt',
): Promise<boolean> {
  const content = Buffer.from('A contract of one line.\n');
  const digest = createHash(signer.hash).update(content).digest();
  const { cms } = await signedData({ digest, signer });
  openssl.write('judged.der', cms);
  openssl.write('judged.bin', content);
  return openssl.try(
    ...[
      'cms',
      '-verify',
      '-binary',
      '-inform',
      'DER',
      '-cades',
      '-in',
      'judged.der',
      '-content',
      'judged.bin',
    ],
    ...['-CAfile', authority, '-purpose', 'any'],
  ).isGood;
}
