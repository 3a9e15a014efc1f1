import type { SignReply } from '@scriptorium/signatures/sign-request';
import type { Rig } from './rig.ts';
import type { SigningAsked } from './workers.ts';

export const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
export const PDF_TYPE = 'application/pdf';
export const pdf = Buffer.from('%PDF-1.7 a contract');
export const docx = Buffer.from('PK\x03\x04 a contract');
export const inBase64 = (bytes: Buffer) => ({ base64: bytes.toString('base64') });

/** The reply of a signer for an ordinary signature. */
export const SIGN_REPLY: SignReply = {
  signature: {
    id: 'ab'.repeat(32),
    fieldName: 'Signature1',
    level: 'B-B',
    digestAlgorithm: 'SHA-256',
    signatureAlgorithm: 'ECDSA',
    signingTime: '2026-05-01T12:00:01Z',
    certificate: {
      subject: 'CN="Ada", O=Größe',
      issuer: 'CN=Test',
      serialNumber: '01',
      notAfter: '2030-01-01T00:00:00Z',
      sha256: 'cd'.repeat(32),
    },
    byteRange: [0, 10, 20, 30],
  },
  auditTrail: {
    id: 'aud_1',
    hash: 'ef'.repeat(32),
    entries: [
      { type: 'submit', timestamp: '2026-05-01T12:00:00Z', data: { a: '“”' }, hash: '00'.repeat(32) },
    ],
    inputSha256: '11'.repeat(32),
    documentSha256: '22'.repeat(32),
    embedded: true,
  },
  warnings: [{ code: 'DEVELOPMENT_KEY', message: 'Nobody should rely on it.' }],
};

/** Whether it comes true. The time only ends what hangs. */
export async function until(condition: () => Promise<boolean> | boolean, ms = 60_000): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

/** Signs every document by appending a text, and keeps the last request. */
export function signAll(rig: Rig, reply: SignReply = SIGN_REPLY) {
  const asked: { last?: SigningAsked } = {};
  const stop = rig.signWith(async (request) => {
    asked.last = request;
    const isPdf = request.source.toString().startsWith('%PDF');
    return {
      bytes: Buffer.concat([request.source, Buffer.from(' signed')]),
      contentType: isPdf ? PDF_TYPE : DOCX_TYPE,
      reply,
    };
  });
  return { asked, stop };
}
