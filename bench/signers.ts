import { createHash, type KeyObject, sign as signBytes } from 'node:crypto';
import { privateKeySigner, readPem } from '@scriptorium/pki/keys';
import { type SignTools, sign } from '@scriptorium/signatures/sign';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { plainAddPlaceholder } from '@signpdf/placeholder-plain';
import { P12Signer } from '@signpdf/signer-p12';
import { SignPdf } from '@signpdf/signpdf';

/** One way to sign. */
export interface SignContender {
  name: string;
  sign(document: Buffer): Promise<Buffer>;
}

const PASSWORD = 'bench';
const PLACEHOLDER_BYTES = 16_384;

async function toolsOf(identity: Identity): Promise<SignTools> {
  const material = await readPem({ privateKey: identity.keyPem(), certificates: identity.chainPem });
  const signer = await privateKeySigner(material, { now: new Date() });
  return {
    version: 'bench',
    newAuditId: () => 'aud_abcdefghijklmnopqrstuvwxyz',
    now: () => new Date(),
    openKey: async () => signer,
    timestamper: () => undefined,
    validationData: () => Promise.reject(new Error('B-B needs none')),
  };
}

/** A worker's complete call; with an audit trail, including its pages and its file. */
export async function ours(name: string, identity: Identity, hasTrail = false): Promise<SignContender> {
  const tools = await toolsOf(identity);
  const trail = { auditTrail: [{ type: 'submit' as const, timestamp: '2026-05-01T12:00:00Z' }] };
  const signing = {
    key: { kind: 'profile' as const, profile: 'service', apiKey: 'key_ada' },
    level: 'B-B' as const,
    hasAuditPages: true,
    allowBrokenSignatures: false,
    signer: { name: 'Ada Lovelace', email: 'ada@example.com' },
    ...(hasTrail && trail),
  };
  return {
    name,
    async sign(source) {
      const request = { source, signing, images: Buffer.alloc(0), callerKey: undefined };
      return (await sign(request, tools)).bytes;
    },
  };
}

/** The usual way with the packages of signpdf: a placeholder in a plain PDF, and node-forge for the signature. */
export async function signpdf(identity: Identity): Promise<SignContender> {
  const p12 = await identity.p12(PASSWORD, { isLegacy: true });
  return {
    name: '@signpdf, placeholder-plain + signer-p12',
    async sign(pdfBuffer) {
      const prepared = plainAddPlaceholder({
        pdfBuffer,
        reason: 'bench',
        contactInfo: 'bench',
        name: 'Ada Lovelace',
        location: 'here',
        signatureLength: PLACEHOLDER_BYTES,
      });
      return new SignPdf().sign(prepared, new P12Signer(p12, { passphrase: PASSWORD }));
    },
  };
}

/** The minimum of every signature: a digest of the document, and the key's operation. */
export function floor(key: KeyObject): SignContender {
  return {
    name: 'floor: SHA-256 and the key',
    async sign(document) {
      const digest = createHash('sha256').update(document).digest();
      signBytes('sha256', digest, key);
      return document;
    },
  };
}
