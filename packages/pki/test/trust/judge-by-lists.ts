import type { Identity } from '@scriptorium/testing/pki/identity';
import { CrlSigners } from '../../src/revocation/crl-signers.ts';
import { EmbeddedRevocation } from '../../src/revocation/embedded-revocation.ts';
import { judgeRevocation } from '../../src/revocation/judge-revocation.ts';
import { readCertificate } from '../../src/x509/certificate.ts';
import { PathEffort } from '../../src/x509/validate-path.ts';

/** Returns the codes of the faults of one certificate by these lists; `keys` may have signed them. */
export async function judgeByLists(
  crls: Buffer[],
  subject: Identity,
  keys: readonly Identity[],
): Promise<string[]> {
  const path = subject.chain.map(readCertificate);
  const pool = [...path, ...keys.map(({ der }) => readCertificate(der))];
  const signers = new CrlSigners({ pool, effort: new PathEffort() });
  const embedded = new EmbeddedRevocation();
  const faults = await judgeRevocation(path, {
    embedded: (question) => embedded.statusesOf(question, { ocsps: [], crls }, signers),
    provenTime: undefined,
    validationTime: new Date(),
  });
  return faults.filter(({ message }) => message.includes(subject.name)).map(({ code }) => code);
}
