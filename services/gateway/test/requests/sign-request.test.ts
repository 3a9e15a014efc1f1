import { describe, expect, test } from '@jest/globals';
import { validate } from '@scriptorium/shared/http/validation';
import { requireSubmit } from '../../src/requests/audit-trail.ts';
import { signRequestBody } from '../../src/requests/sign-request.ts';
import {
  document,
  eventWith,
  external,
  having,
  issuesOf,
  p12,
  plain,
  rectangle,
  signer,
  signerWith,
  signingFor,
  submit,
} from '../rigs/sign-requests.ts';

describe('a sign request is accepted', () => {
  test('in the form of the original clients, with the key of the service', () => {
    const auditTrail = [
      { type: 'ready', timestamp: '2026-05-01T11:00:00.123456Z' },
      { type: 'scroll', timestamp: '2026-05-01T13:00:00+02:00', data: null },
      { type: 'field_change', timestamp: '2026-05-01T11:00:02Z', data: { a: [1, 'é', false, {}] } },
      submit,
    ];
    const body = {
      document,
      signer: { ...signer, ip: '::1', userAgent: 'curl/8' },
      auditTrail,
      eventId: 'order-1',
      metadata: { a: { constructor: [] } },
      certificate: {},
    };
    expect(signingFor(body)).toEqual({
      key: { kind: 'profile', profile: 'service', apiKey: 'key_ada' },
      level: 'B-B',
      signer: body.signer,
      auditTrail,
      eventId: 'order-1',
      metadata: body.metadata,
      hasAuditPages: true,
      allowBrokenSignatures: false,
    });
  });

  test('with all options', () => {
    const body = having({
      key: { profile: 'notary' },
      level: 'B-LTA',
      certify: 'formFilling',
      lockFields: { include: ['a', 'b'] },
      field: 'Signature1',
      appearance: { page: 2, rectangle, text: 'Signed\nby Ada' },
      reason: 'I agree',
      location: 'Łódź',
      timestamp: { profile: 'tsa' },
      allowBrokenSignatures: true,
      certificate: { enabled: false, documentName: 'Lease' },
    });
    expect(signingFor(body)).toEqual({
      key: { kind: 'profile', profile: 'notary', apiKey: 'key_ada' },
      level: 'B-LTA',
      signer,
      auditTrail: [submit],
      documentName: 'Lease',
      hasAuditPages: false,
      certify: 'formFilling',
      lockFields: { action: 'include', fields: ['a', 'b'] },
      field: 'Signature1',
      appearance: { page: 2, rectangle, text: 'Signed\nby Ada' },
      reason: 'I agree',
      location: 'Łódź',
      timestampProfile: 'tsa',
      allowBrokenSignatures: true,
    });
  });

  test.each([
    [{ all: true }, { action: 'all' }],
    [{ include: ['a'] }, { action: 'include', fields: ['a'] }],
    [{ exclude: ['a'] }, { action: 'exclude', fields: ['a'] }],
  ])('with the lock %p', (lockFields, lock) => {
    expect(signingFor(having({ lockFields })).lockFields).toEqual(lock);
  });

  test.each([
    'ada@example.com',
    'ada+test@localhost',
    'Ädä@exämple.com',
    "o'neil@x.io",
    `${'a'.repeat(64)}@b.c`,
  ])('with the e-mail address %s', (email) => {
    expect(signingFor(signerWith({ email })).signer?.email).toBe(email);
  });

  test.each([
    ['name', 'Li'],
    ['name', '李'.repeat(255)],
    ['ip', ''],
    ['ip', '203.0.113.7, 10.0.0.1'],
    ['userAgent', ''],
  ])('with a signer whose %s is %p', (name, value) => {
    expect(signingFor(signerWith({ [name]: value })).signer).toEqual({ ...signer, [name]: value });
  });

  test('with a thousand events, and with data of the maximum size', () => {
    const { auditTrail } = signingFor(having({ auditTrail: Array(1_000).fill(submit) }));
    expect(auditTrail).toHaveLength(1_000);
    expect(signingFor(eventWith({ data: 'x'.repeat(65_534) })).auditTrail).toHaveLength(1);
  });
});

test('an audit trail without a `submit` is valid, but rejected with 422', () => {
  const { auditTrail } = validate(signRequestBody, eventWith({ type: 'scroll' }));
  expect(() => requireSubmit(auditTrail)).toThrow(
    expect.objectContaining({
      code: 'UNPROCESSABLE',
      status: 422,
      details: [{ field: 'auditTrail', issue: 'must have an event of type `submit`' }],
    }),
  );
  expect(() => requireSubmit(validate(signRequestBody, plain).auditTrail)).not.toThrow();
});

describe('several signatures', () => {
  const several = (...signatures: object[]) => having({ signatures });

  test('take from the request what they lack', () => {
    const body = having({
      level: 'B-T',
      reason: 'I agree',
      key: { profile: 'notary' },
      signatures: [
        { field: 'landlord', certify: 'formFilling', appearance: {} },
        {
          field: 'tenant',
          signer: { ...signer, name: 'Grace' },
          key: { p12 },
          level: 'B-B',
          reason: 'Me too',
        },
      ],
    });
    const { key, signatures } = signingFor(body);
    expect(key).toMatchObject({ profile: 'notary' });
    expect(signatures).toEqual([
      { field: 'landlord', signer, level: 'B-T', reason: 'I agree', certify: 'formFilling', appearance: {} },
      {
        field: 'tenant',
        signer: { ...signer, name: 'Grace' },
        level: 'B-B',
        reason: 'Me too',
        key: { kind: 'sealed', box: JSON.stringify({ kind: 'p12', ...p12 }) },
      },
    ]);
  });

  test.each([
    [
      several({ field: 'a' }, { field: 'b' }, { field: 'a' }),
      'signatures[2].field: is the field of `signatures[0]`',
    ],
    [several({}, { certify: 'noChanges' }), 'signatures[1].certify: is only for the first signature'],
    [
      several({ key: { external } }),
      'signatures[0].key.external: is not for one of several signatures: sign in a call of its own',
    ],
    [several({ certify: 'noChanges' }, {}), 'signatures[0].certify: permits no further signature'],
    [
      several({ lockFields: { all: true } }, { field: 'b' }),
      'signatures[0].lockFields: locks the field of `signatures[1]`',
    ],
    [having({ field: 'a', signatures: [{}] }), 'field: belongs in `signatures`'],
    [having({ key: { external }, signatures: [{}] }), 'key.external: is not for several signatures'],
    [several(), 'signatures: must have at least one entry'],
    [
      several({ appearance: { page: 1 } }),
      'signatures[0].appearance.rectangle: is required with `page`, and requires it',
    ],
    [{ document, key: { p12 }, signatures: [{ key: { profile: 'notary' } }] }, 'signer: is required'],
  ])('with a mistake are refused by its path: %j', (body, issue) => {
    expect(issuesOf(body)).toContain(issue);
  });
});
