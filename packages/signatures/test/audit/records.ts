import { createHash, randomInt } from 'node:crypto';
import type { AuditRecord } from '../../src/audit/audit-json.ts';
import { type AuditOrigin, auditRecord } from '../../src/audit/audit-record.ts';
import type { AuditEvent, Signing } from '../../src/sign-request.ts';

export const NOW = new Date('2026-03-02T10:20:30.456Z');

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A session in which a person opened, read, filled and submitted a contract in the minutes before `NOW`. */
export const session: AuditEvent[] = [
  { type: 'ready', timestamp: '2026-03-02T10:15:00.000Z', data: { pages: 12 } },
  { type: 'scroll', timestamp: '2026-03-02T10:16:41.120Z', data: { percent: 100 } },
  {
    type: 'field_change',
    timestamp: '2026-03-02T10:18:02.003Z',
    data: { field: 'consent', value: true, previous: null },
  },
  { type: 'submit', timestamp: '2026-03-02T10:20:29.999Z' },
];

export function signing(change: Partial<Signing> = {}): Signing {
  return {
    key: { kind: 'profile', profile: 'service', apiKey: 'key_ada' },
    level: 'B-B',
    signer: {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      ip: '203.0.113.7',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:135.0) Gecko/20100101 Firefox/135.0',
    },
    auditTrail: session,
    eventId: 'contract-2026-0042',
    metadata: { department: 'Legal', copies: 2 },
    hasAuditPages: true,
    allowBrokenSignatures: false,
    ...change,
  };
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const auditId = (): string =>
  `aud_${Array.from({ length: 26 }, () => BASE32[randomInt(BASE32.length)]).join('')}`;

export function origin(input: Uint8Array = Buffer.from('a document')): AuditOrigin {
  return { id: auditId(), inputSha256: sha256(input), now: NOW, version: '0.9.0' };
}

export function recordOf(change: Partial<Signing> = {}, input?: Uint8Array): AuditRecord {
  return auditRecord(signing(change), origin(input)).record;
}
