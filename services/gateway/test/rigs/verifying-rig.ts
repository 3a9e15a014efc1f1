import type { VerifyReply } from '@scriptorium/signatures/verify-report';
import type { Rig } from './rig.ts';
import type { VerificationAsked } from './workers.ts';

/** The report of a verifier for a document that was modified after signing. */
export const VERIFY_REPLY: VerifyReply = {
  valid: false,
  reason: 'Signature1: The document was modified after signing “so”.',
  document: { contentType: 'application/pdf', bytes: 19, sha256: 'ab'.repeat(32), pages: 1 },
  verdict: 'invalid',
  integrity: 'changed',
  trust: 'untrusted',
  time: 'absent',
  documentModified: 'no',
  validationTime: '2026-05-01T12:00:00.000Z',
  signatures: [
    {
      id: 'Signature1',
      type: 'approval',
      format: 'PAdES',
      indication: 'TOTAL_FAILED',
      subIndication: 'HASH_FAILURE',
      integrity: 'changed',
      trust: 'untrusted',
      time: 'absent',
      coversWholeDocument: true,
      reasons: [
        {
          code: 'DIGEST_MISMATCH',
          severity: 'error',
          message: 'The document was modified after signing (digest mismatch).',
        },
      ],
      checks: {
        format: 'passed',
        coverage: 'passed',
        digest: 'failed',
        signature: 'passed',
        signingCertificateAttribute: 'passed',
        chain: 'indeterminate',
        revocation: 'notChecked',
        timestamp: 'notChecked',
        policy: 'notChecked',
      },
      isServiceKey: false,
      revision: 1,
      totalRevisions: 1,
      permissions: {},
      modifications: [],
    },
  ],
  auditTrail: { present: false },
};

/** Verifies every document with the same reply, and keeps the last request. */
export function verifyAll(rig: Rig, reply: VerifyReply = VERIFY_REPLY) {
  const asked: { last?: VerificationAsked } = {};
  const stop = rig.verifyWith(async (request) => {
    asked.last = request;
    return reply;
  });
  return { asked, stop };
}
