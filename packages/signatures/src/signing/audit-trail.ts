import { createHash } from 'node:crypto';
import type { AuditRecord } from '../audit/audit-json.ts';
import { auditRecord } from '../audit/audit-record.ts';
import type { AuditReply, Signing, SignWarning } from '../sign-request.ts';
import type { SignTools } from './sign-tools.ts';

/** The audit trail of a request. */
export interface AuditTrail {
  record: AuditRecord;
  warnings: SignWarning[];
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Returns undefined if the request has no audit trail. Throws UNPROCESSABLE and VALIDATION_ERROR as `auditRecord` does. */
export function trailOf(
  source: Buffer,
  signing: Signing,
  tools: SignTools,
  pageCount?: number,
): AuditTrail | undefined {
  if (signing.auditTrail === undefined) return undefined;
  const { version } = tools;
  const origin = {
    id: tools.newAuditId(),
    inputSha256: sha256(source),
    now: tools.now(),
    version,
    pageCount,
  };
  return auditRecord(signing, origin);
}

/** Describes the audit trail in the reply. */
export function describeTrail({ record }: AuditTrail, signed: Buffer, embedded: boolean): AuditReply {
  const { id, hash, entries, inputSha256 } = record;
  return { id, hash, entries, inputSha256, documentSha256: sha256(signed), embedded };
}

/** Warns that a document could not take the audit trail: it was signed before, or its permissions do not allow additions. */
export const DETACHED: SignWarning = {
  code: 'AUDIT_DETACHED',
  message:
    'Nothing can be added to the document, because it was already signed or its permissions do not allow it. The audit trail is only in this response.',
};
