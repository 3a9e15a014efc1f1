import type { RawSigner } from '@scriptorium/pki/keys';
import { blankDocx, blankPdf } from '@scriptorium/signatures/blank-documents';
import { type SignTools, sign } from '@scriptorium/signatures/sign';
import type { Signing } from '@scriptorium/signatures/sign-request';

/** Rounds after which a thread's code is fully compiled. */
const ROUNDS = 15;
const SIGNATURE_BYTES = 256;

function requestWith(key: Signing['key'], hasAuditPages: boolean, timestamp: string): Signing {
  return {
    key,
    level: 'B-B',
    signer: { name: 'Nobody', email: 'nobody@localhost' },
    auditTrail: [{ type: 'submit', timestamp }],
    hasAuditPages,
    allowBrokenSignatures: false,
  };
}

/** A signer that returns dummy signatures: the warm-up does not use the key. */
const idleSigner = (certificates: RawSigner['certificates'], hash: RawSigner['hash']): RawSigner => ({
  certificates,
  algorithm: 'rsa',
  hash,
  sign: async () => Buffer.alloc(SIGNATURE_BYTES, 1),
});

/** A DOCX is only prepared, as for an external key, because its signature value would be verified. */
const requestsWith = (hash: RawSigner['hash']) =>
  [
    { source: blankPdf(), key: { kind: 'profile', profile: '', apiKey: '' } },
    { source: blankDocx(), key: { kind: 'external', certificates: [''], algorithm: 'rsa', hash } },
  ] satisfies { source: Buffer; key: Signing['key'] }[];

/**
 * Signs small documents and discards them, so that the first caller does not wait for the loading of the code or the
 * reading of fonts. The key is not used: `certificates` are those of the signer that most requests will have.
 */
async function signRound(tools: SignTools, { certificates, hash }: RawSigner, round: number): Promise<void> {
  const warming = { ...tools, openKey: async () => idleSigner(certificates, hash) };
  const timestamp = tools.now().toISOString();
  for (const { source, key } of requestsWith(hash)) {
    const signing = requestWith(key, round % 2 === 0, timestamp);
    await sign({ source, signing, images: Buffer.alloc(0), callerKey: undefined }, warming);
  }
}

/**
 * Resolves after the first round, with which everything is loaded. More rounds, after which the code is fully compiled, run while
 * `isIdle`. A signer that was killed must sign again at once, and documents of callers compile the code too.
 */
export async function warmUp(tools: SignTools, service: RawSigner, isIdle: () => boolean): Promise<void> {
  await signRound(tools, service, 0);
  const goOn = async (round: number): Promise<void> => {
    if (round === ROUNDS || !isIdle()) return;
    await signRound(tools, service, round);
    setImmediate(goOn, round + 1);
  };
  setImmediate(goOn, 1);
}
