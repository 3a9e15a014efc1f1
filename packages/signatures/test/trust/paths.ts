import {
  type Certificate,
  type PathOptions,
  readCertificate,
  validatePath,
} from '@scriptorium/pki/certificates';
import type { Identity, IssueRequest } from '@scriptorium/testing/pki/identity';
import type { Pki } from '@scriptorium/testing/pki/pki';

export const read = (...identities: Identity[]): Certificate[] =>
  identities.map(({ der }) => readCertificate(der));

/** Validates the path of a signer whose issuers come with the document; the root is the trust anchor. */
export function judgePath(pki: Pki, leaf: Identity, change: Partial<PathOptions> = {}) {
  const [signer] = read(leaf) as [Certificate];
  const pool = leaf.chain.slice(1, -1).map(readCertificate);
  const anchors = read(pki.root);
  const found = validatePath(signer, { pool, anchors, time: new Date(), usage: 'signing', ...change });
  return {
    ...found,
    codes: found.faults.map(({ code }) => code),
    names: found.path.map(({ x509 }) => /CN=(.*)/.exec(x509.subject)?.[1]),
    messages: found.faults.map(({ message }) => message).join(' '),
  };
}

/** Issues a signer below an authority with these properties. */
export async function signerBelow(
  pki: Pki,
  authority: Partial<IssueRequest>,
  leaf: Partial<IssueRequest> = {},
): Promise<Identity> {
  const issuer = await pki.issue({ name: 'Bounded Issuer', issuer: pki.root, ca: {}, ...authority });
  return pki.issue({ name: 'Charles Babbage', issuer, ...leaf });
}
