import { createHash } from 'node:crypto';
import { opensslAccepts } from '@scriptorium/testing/judges/cms';
import type { Openssl } from '@scriptorium/testing/openssl-authority';
import { signedData } from '../src/cms/signed-data.ts';
import type { RawSigner } from '../src/keys/raw-signer.ts';

/** Whether OpenSSL, trusting only `authority`, accepts a CMS signature made by `signer` as a valid CAdES signature. */
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
