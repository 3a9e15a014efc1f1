import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { type AuditRecord, auditJson, readAuditJson } from '../../src/audit/audit-json.ts';
import { auditRecord, checkRecord } from '../../src/audit/audit-record.ts';
import type { AuditEvent } from '../../src/sign-request.ts';
import { origin, recordOf, session, sha256, signing } from './records.ts';

/** Computes a chain by the documentation, independently of our code. Supports ASCII names and whole numbers. */
const PYTHON = `
import hashlib, json, sys
record = json.load(sys.stdin)
h = bytes.fromhex(record["inputSha256"])
for entry in record["entries"]:
    claimed = entry.pop("hash")
    text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    h = hashlib.sha256(h + text.encode("utf-8")).digest()
    print("holds" if h.hex() == claimed else "broken")
print("holds" if h.hex() == record["hash"] else "broken")
`;
const judge = (json: Buffer): string[] =>
  execFileSync('python3', ['-c', PYTHON], { input: json, encoding: 'utf8' }).trim().split('\n');

const copyOf = (record: AuditRecord): AuditRecord => structuredClone(record);

describe('the chain of an audit trail', () => {
  testInWhole('can be recomputed independently from audit.json', () => {
    const data = { text: '署名 \u0001 "quoted" \\ 🖋', list: [1, { b: null, a: false }], empty: {} };
    const record = recordOf({
      auditTrail: [{ type: 'ready', timestamp: session[0]?.timestamp ?? '', data }, ...session],
    });
    expect(judge(auditJson(record))).toEqual(Array(7).fill('holds'));
    const altered = auditJson(record).toString().replace('"percent": 100', '"percent": 99');
    expect(judge(Buffer.from(altered))).toEqual([
      'holds',
      'holds',
      'holds',
      'broken',
      'broken',
      'broken',
      'broken',
    ]);
  });

  test('starts with what was signed by whom, and keeps the given events unchanged', () => {
    const input = Buffer.from('%PDF-1.7 …');
    const record = recordOf({}, input);
    expect(record.id).toMatch(/^aud_/);
    expect(record.inputSha256).toBe(sha256(input));
    const [first, ...events] = record.entries;
    expect(first).toMatchObject({
      type: 'document',
      timestamp: '2026-03-02T10:20:30.456Z',
      data: {
        id: record.id,
        inputSha256: sha256(input),
        signer: { name: 'Ada Lovelace', email: 'ada@example.com', ip: '203.0.113.7' },
        eventId: 'contract-2026-0042',
        metadata: { department: 'Legal', copies: 2 },
        level: 'B-B',
        service: { name: 'scriptorium', version: '0.9.0' },
      },
    });
    expect(events.map(({ hash: _hash, ...event }) => event)).toEqual(session);
    expect(record.hash).toBe(record.entries.at(-1)?.hash);
  });

  test('is unchanged after writing and reading audit.json', () => {
    const record = recordOf({ metadata: JSON.parse('{"__proto__": {"x": 1}, "n": 1e21, "tiny": 5e-324}') });
    const read = readAuditJson(auditJson(record));
    expect(read).toEqual(record);
    expect(read && checkRecord(read)).toBeUndefined();
  });

  test.each<[string, (record: AuditRecord) => void, object]>([
    [
      'an altered event',
      ({ entries }) => Object.assign(entries[2] ?? {}, { data: { percent: 1 } }),
      { index: 2, reason: 'hash' },
    ],
    [
      'an altered time',
      ({ entries }) => Object.assign(entries[4] ?? {}, { timestamp: '2020-01-01T00:00:00Z' }),
      { index: 4, reason: 'hash' },
    ],
    ['a removed event', ({ entries }) => entries.splice(1, 1), { index: 1, reason: 'hash' }],
    ['an event removed at the end', ({ entries }) => entries.pop(), { index: 4, reason: 'end' }],
    [
      'two swapped events',
      ({ entries }) => entries.push(...entries.splice(3, 1)),
      { index: 3, reason: 'hash' },
    ],
    [
      'another document',
      (record) => Object.assign(record, { inputSha256: sha256(Buffer.from('x')) }),
      { index: 0, reason: 'document' },
    ],
    [
      'another id',
      (record) => Object.assign(record, { id: recordOf().id }),
      { index: 0, reason: 'document' },
    ],
    [
      'a second entry about the document',
      ({ entries }) => entries.push({ ...entries[0], type: 'document' } as never),
      { index: 5, reason: 'document' },
    ],
    [
      'an entry that JSON cannot represent',
      ({ entries }) => Object.assign(entries[1] ?? {}, { data: '\ud800' }),
      { index: 1, reason: 'hash' },
    ],
  ])('reports the first broken entry for %s', (_case, alter, expected) => {
    const record = copyOf(recordOf());
    expect(checkRecord(record)).toBeUndefined();
    alter(record);
    expect(checkRecord(record)).toEqual(expected);
  });

  test.each<[string, AuditEvent[] | undefined]>([
    ['no events', undefined],
    ['events without a submit', session.slice(0, 3)],
  ])('is rejected for %s', (_case, auditTrail) => {
    expect(() => recordOf({ auditTrail })).toThrow(
      expect.objectContaining({ code: 'UNPROCESSABLE', message: expect.stringContaining('`submit`') }),
    );
  });

  test('reports events out of order and in the future, and keeps them', () => {
    const at = (timestamp: string): AuditEvent => ({ type: 'submit', timestamp });
    const warnings = (...times: string[]) =>
      auditRecord(signing({ auditTrail: times.map(at) }), origin()).warnings.map(({ code, message }) => [
        code,
        /auditTrail\[\d\]/.exec(message)?.[0],
      ]);
    expect(warnings('2026-03-02T10:00:00Z', '2026-03-02T10:00:00Z', '2026-03-02T10:20:40Z')).toEqual([]);
    expect(warnings('2026-03-02T10:00:00Z', '2026-03-02T09:59:59.999Z')).toEqual([
      ['AUDIT_ORDER', 'auditTrail[1]'],
    ]);
    expect(warnings('2026-03-02T11:00:00+02:00', '2026-03-02T10:00:00')).toEqual([]);
    expect(warnings('2026-03-02T10:22:00Z', '2026-03-02T10:00:00Z')).toEqual([
      ['AUDIT_ORDER', 'auditTrail[1]'],
      ['AUDIT_FUTURE', 'auditTrail[0]'],
    ]);
  });

  test('reports the times of each signer that are out of order and in the future', () => {
    const signer = { name: 'Ada', email: 'a@example.com', sentAt: '2026-03-02T10:00:00Z' };
    const changes = [
      { signer: { ...signer, signedAt: '2026-03-02T10:20:00Z' } },
      { signer: { ...signer, viewedAt: '2026-03-02T09:00:00Z', signedAt: '2026-03-03T10:00:00Z' } },
      {
        signatures: [{ level: 'B-B' as const, signer: { ...signer, viewedAt: '2026-03-02T10:00:00+02:00' } }],
      },
    ];
    const warnings = changes.map((change) =>
      auditRecord(signing(change), origin()).warnings.map(({ code, message }) => `${code} ${message}`),
    );
    expect(warnings).toEqual([
      [],
      [
        expect.stringMatching(/^AUDIT_ORDER signer\.viewedAt /),
        expect.stringMatching(/^AUDIT_FUTURE signer\.signedAt /),
      ],
      [expect.stringMatching(/^AUDIT_ORDER signatures\[0\]\.signer\.viewedAt /)],
    ]);
  });

  test.each<[string, string, Parameters<typeof recordOf>[0]]>([
    [
      'auditTrail[1].data.note',
      'a lone surrogate',
      {
        auditTrail: [
          ...session.slice(3),
          { type: 'scroll', timestamp: '2026-03-02T10:20:30Z', data: { note: '\udc00' } },
        ],
      },
    ],
    [
      'metadata.a[0]',
      'a number outside the range of doubles',
      { metadata: { a: [Number.POSITIVE_INFINITY] } },
    ],
    ['signer.name', 'a lone surrogate', { signer: { name: '\ud83d', email: 'a@example.com' } }],
    [
      'auditTrail[0].timestamp',
      'an invalid time',
      { auditTrail: [{ type: 'submit', timestamp: 'yesterday' }] },
    ],
  ])('is rejected with the field %s for %s', (field, _case, change) => {
    expect(() => recordOf(change)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] }),
    );
  });

  test.each([
    ['invalid JSON', '{'],
    ['JSON of another schema', '{"schema":"other"}'],
    ['a later version', auditJson(recordOf()).toString().replace('"version": 1', '"version": 2')],
    ['unknown members', auditJson(recordOf()).toString().replace('"version": 1', '"version": 1, "x": 1')],
  ])('is not read from %s', (_case, text) => {
    expect(readAuditJson(Buffer.from(text))).toBeUndefined();
  });
});

test('a consistent record that exceeds the limits is not read', () => {
  const record = recordOf({});
  const [entry] = record.entries;
  const many = { ...record, entries: Array(10_001).fill(entry) };
  expect(readAuditJson(auditJson({ ...many, entries: many.entries.slice(1) }))).toBeDefined();
  expect(readAuditJson(auditJson(many))).toBeUndefined();
  const blanks = Buffer.alloc(16 * 1024 * 1024, ' ');
  expect(readAuditJson(Buffer.concat([auditJson(record), blanks]))).toBeUndefined();
});
