import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { buildCertificate, privateKeySigner, type RawSigner } from '@scriptorium/pki/keys';
import { blankDocx, blankPdf } from '@scriptorium/signatures/blank-documents';
import { type SignTools, sign } from '@scriptorium/signatures/sign';
import type { Signing } from '@scriptorium/signatures/sign-request';
import { type VerifyTools, verify } from '@scriptorium/signatures/verify';
import type { Verification } from '@scriptorium/signatures/verify-report';

/** Rounds after which a thread's code is fully compiled. */
const ROUNDS = 15;
const HOUR_MS = 3_600_000;

/** A temporary key, with its certificate and that of an authority created for it. */
function passingSigner(now: Date): RawSigner {
  const authority = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const own = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const common = {
    issuer: 'Warm-up authority',
    organization: 'Scriptorium',
    issuerKey: authority,
    notBefore: new Date(now.getTime() - HOUR_MS),
    notAfter: new Date(now.getTime() + HOUR_MS),
  };
  const certificates = [
    buildCertificate({ ...common, subject: 'Warm-up', publicKey: own.publicKey, isAuthority: false }),
    buildCertificate({
      ...common,
      subject: common.issuer,
      publicKey: authority.publicKey,
      isAuthority: true,
    }),
  ].map((der) => new X509Certificate(der));
  return privateKeySigner({ privateKeys: [own.privateKey], certificates }, { now });
}

/**
 * Verifies small documents of its own, so that the first caller does not wait for the loading of the code. Resolves after the
 * first round. More rounds, after which the code is fully compiled, run while `isIdle`: documents of callers compile the code too.
 */
export async function warmUp(tools: VerifyTools, isIdle: () => boolean): Promise<void> {
  const signer = passingSigner(tools.now());
  const signTools: SignTools = {
    version: '',
    newAuditId: () => '',
    now: tools.now,
    openKey: async () => signer,
    timestamper: () => undefined,
    validationData: async () => ({ certificates: [], ocsps: [], crls: [] }),
  };
  const signing: Signing = {
    key: { kind: 'profile', profile: '', apiKey: '' },
    level: 'B-B',
    signer: { name: 'Nobody', email: 'nobody@localhost' },
    auditTrail: [{ type: 'submit', timestamp: tools.now().toISOString() }],
    hasAuditPages: false,
    allowBrokenSignatures: false,
  };
  const anchors = signer.certificates.slice(-1).map(({ raw }) => raw.toString('base64'));
  const verification: Verification = { trust: { anchors }, revocation: 'embedded' };
  const documents: Buffer[] = [];
  for (const blank of [blankPdf(), blankDocx()]) {
    const request = { source: blank, signing, images: Buffer.alloc(0), callerKey: undefined };
    documents.push((await sign(request, signTools)).bytes);
  }
  const verifyAll = async () => {
    for (const source of documents) await verify({ source, verification }, tools);
  };
  await verifyAll();
  const goOn = async (round: number): Promise<void> => {
    if (round === ROUNDS || !isIdle()) return;
    await verifyAll();
    setImmediate(goOn, round + 1);
  };
  setImmediate(goOn, 1);
}
