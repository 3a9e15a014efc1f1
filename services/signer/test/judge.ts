import { createHash } from 'node:crypto';
import { signedData } from '@scriptorium/pki/cms';
import type { RawSigner } from '@scriptorium/pki/keys';
import { opensslAccepts } from '@scriptorium/testing/judges/cms';
import type { Openssl } from '@scriptorium/testing/openssl-authority';

/** Whether OpenSSL, with only `authority` trusted, accepts a CMS signature of `signer` as CAdES. */
export async function signsDocuments(
  signer: RawSigner,
  openssl: Openssl,
  authority?: string,
): Promise<boolean> {
  const content = Buffer.from('A contract of one line.\n');
  const digest = createHash(signer.hash).update(content).digest();
  const { cms } = await signedData({ digest, signer });
  return opensslAccepts(openssl, content, cms, authority);
}
