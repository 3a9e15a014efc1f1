import { describe, expect, test } from '@jest/globals';
import { signDigestBody } from '../../src/requests/sign-request.ts';
import {
  eventWith,
  external,
  having,
  issuesOf,
  lookWith,
  signerWith,
  submit,
} from '../rigs/sign-requests.ts';

const ONE_LOCK = 'must have exactly one of `all`, `include` and `exclude`';
const JSON_MAX = 'must have at most 65536 bytes of JSON';
const TIME = 'must be an ISO 8601 time with its offset, such as `2026-05-01T12:00:00Z`';

describe('an invalid sign request is rejected with every invalid path:', () => {
  test.each<[string, unknown, string[]]>([
    ['an empty object', {}, ['document: is required', 'signer: is required', 'auditTrail: is required']],
    ['null', null, ['body: must be an object']],
    ['an unknown property', having({ to: 'pdf' }), ['to: is not a known property']],
    [
      'a document without a source',
      having({ document: {} }),
      ['document: must have exactly one of `base64` and `url`'],
    ],
    [
      'a signer without properties',
      having({ signer: {} }),
      ['signer.name: is required', 'signer.email: is required'],
    ],
    ['a signer with a role', signerWith({ role: 'CEO' }), ['signer.role: is not a known property']],
    ['a name of one letter', signerWith({ name: 'A' }), ['signer.name: must have 2 to 255 characters']],
    [
      'a name of 256 letters',
      signerWith({ name: 'A'.repeat(256) }),
      ['signer.name: must have 2 to 255 characters'],
    ],
    [
      'a name with an invalid character',
      signerWith({ name: 'Ada\0' }),
      ['signer.name: holds U+0000 at position 3, a character that XML cannot carry'],
    ],
    [
      'an invalid e-mail address',
      signerWith({ email: 'ada at example.com' }),
      ['signer.email: must be an e-mail address'],
    ],
    [
      'two e-mail addresses',
      signerWith({ email: 'a@example.com,b@example.com' }),
      ['signer.email: must be an e-mail address'],
    ],
    [
      'an e-mail address of 256 characters',
      signerWith({ email: `${'a'.repeat(100)}@${'b'.repeat(155)}` }),
      ['signer.email: must have 3 to 255 characters'],
    ],
    ['an ip that is a number', signerWith({ ip: 1 }), ['signer.ip: must be a string']],
    [
      'a user agent that is too long',
      signerWith({ userAgent: 'x'.repeat(2_049) }),
      ['signer.userAgent: must have 0 to 2048 characters'],
    ],
    ['an empty audit trail', having({ auditTrail: [] }), ['auditTrail: must have at least one entry']],
    ['events that are an object', having({ auditTrail: {} }), ['auditTrail: must be an array']],
    [
      'more than a thousand events, as one issue',
      having({ auditTrail: Array(200_000).fill(0) }),
      ['auditTrail: must have at most 1000 entries'],
    ],
    [
      'an event of an unknown type',
      eventWith({ type: 'sigh' }),
      ['auditTrail[0].type: must be one of `ready`, `scroll`, `field_change` and `submit`'],
    ],
    [
      'an event without a time',
      having({ auditTrail: [{ type: 'submit' }] }),
      ['auditTrail[0].timestamp: is required'],
    ],
    [
      'a time without an offset',
      eventWith({ timestamp: '2026-05-01T12:00:00' }),
      [`auditTrail[0].timestamp: ${TIME}`],
    ],
    [
      'an invalid date',
      eventWith({ timestamp: '2026-02-30T12:00:00Z' }),
      [`auditTrail[0].timestamp: ${TIME}`],
    ],
    [
      'a time of a signer without its offset',
      signerWith({ viewedAt: '2026-05-01T12:00:00' }),
      [`signer.viewedAt: ${TIME}`],
    ],
    ['a time as a number', eventWith({ timestamp: 1_777_636_800 }), [`auditTrail[0].timestamp: ${TIME}`]],
    ['an event with a name', eventWith({ name: 'x' }), ['auditTrail[0].name: is not a known property']],
    ['data over the limit', eventWith({ data: 'x'.repeat(65_535) }), [`auditTrail[0].data: ${JSON_MAX}`]],
    [
      'data with an unpaired surrogate',
      eventWith({ data: { a: ['\ud800'] } }),
      ['auditTrail[0].data: has an unpaired surrogate'],
    ],
    [
      'data with an infinite number',
      eventWith({ data: JSON.parse('[1e999]') }),
      ['auditTrail[0].data: has a number out of range'],
    ],
    [
      'data with the property __proto__',
      eventWith({ data: JSON.parse('{"__proto__":1}') }),
      ['auditTrail[0].data: must not have a property `__proto__`'],
    ],
    [
      'data over the total limit',
      having({ auditTrail: Array(80).fill({ ...submit, data: 'x'.repeat(60_000) }) }),
      ['auditTrail: must have at most 4194304 bytes of JSON in total'],
    ],
    ['metadata over the limit', having({ metadata: { a: 'é'.repeat(33_000) } }), [`metadata: ${JSON_MAX}`]],
    ['metadata that is a list', having({ metadata: [] }), ['metadata: must be an object']],
    [
      'metadata with an unpaired surrogate in a name',
      having({ metadata: { '\udc00': 1 } }),
      ['metadata: has an unpaired surrogate'],
    ],
    ['an empty event id', having({ eventId: '' }), ['eventId: must have 1 to 255 characters']],
    [
      'a certificate switch that is a string',
      having({ certificate: { enabled: 'yes' } }),
      ['certificate.enabled: must be true or false'],
    ],
    [
      'a certificate with an unknown property',
      having({ certificate: { color: 1 } }),
      ['certificate.color: is not a known property'],
    ],
    [
      'an unknown level',
      having({ level: 'B-X' }),
      ['level: must be one of `B-B`, `B-T`, `B-LT` and `B-LTA`'],
    ],
    [
      'an unknown certification',
      having({ certify: 'all' }),
      ['certify: must be one of `noChanges`, `formFilling` and `annotations`'],
    ],
    ['an empty lock', having({ lockFields: {} }), [`lockFields: ${ONE_LOCK}`]],
    ['two locks', having({ lockFields: { all: true, include: ['a'] } }), [`lockFields: ${ONE_LOCK}`]],
    ['a lock with all: false', having({ lockFields: { all: false } }), ['lockFields.all: must be `true`']],
    [
      'a lock without fields',
      having({ lockFields: { include: [] } }),
      ['lockFields.include: must have at least one entry'],
    ],
    [
      'a lock of too many fields',
      having({ lockFields: { exclude: Array(1_001).fill('a') } }),
      ['lockFields.exclude: must have at most 1000 entries'],
    ],
    ['an empty field name', having({ field: '' }), ['field: must have 1 to 255 characters']],
    [
      'an appearance with a rectangle, but without a page',
      having({ appearance: { rectangle: { x: 0, y: 0, width: 9, height: 9 } } }),
      ['appearance.rectangle: is required with `page`, and requires it'],
    ],
    ['page 0', lookWith({ page: 0 }), ['appearance.page: must be at least 1']],
    ['a fractional page number', lookWith({ page: 1.5 }), ['appearance.page: must be an integer']],
    [
      'a rectangle outside of the page and without width',
      lookWith({ rectangle: { x: -1, y: 14_401, width: 0, height: 9 } }),
      [
        'appearance.rectangle.x: must be at least 0',
        'appearance.rectangle.y: must be at most 14400',
        'appearance.rectangle.width: must be at least 1',
      ],
    ],
    [
      'a text that is too long',
      lookWith({ text: 'x'.repeat(2_001) }),
      ['appearance.text: must have 1 to 2000 characters'],
    ],
    ['an image that is a number', lookWith({ image: 1 }), ['appearance.image: must be a string']],
    [
      'an empty reason',
      having({ reason: '', location: '' }),
      ['reason: must have 1 to 1000 characters', 'location: must have 1 to 1000 characters'],
    ],
    ['a time-stamp without a profile', having({ timestamp: {} }), ['timestamp.profile: is required']],
    [
      'a boolean that is a string',
      having({ allowBrokenSignatures: 'true' }),
      ['allowBrokenSignatures: must be true or false'],
    ],
    [
      'several mistakes at once',
      { document: 1, auditTrail: [{ type: 'x' }], key: { profile: 'a' }, x: 1 },
      [
        'document: must be an object',
        'auditTrail[0].type: must be one of `ready`, `scroll`, `field_change` and `submit`',
        'auditTrail[0].timestamp: is required',
        'x: is not a known property',
        'signer: is required',
      ],
    ],
  ])('%s', (_name, body, expected) => {
    expect(issuesOf(body)).toEqual(expected);
  });
});

test.each<[string, object, string[]]>([
  ['no digest', {}, ['digest: is required']],
  [
    'a digest in base64',
    { digest: `${'a'.repeat(43)}=` },
    ['digest: must be 64 hexadecimal digits, as of sha256'],
  ],
  [
    'a digest by another hash',
    { digest: 'a'.repeat(64), hash: 'sha384' },
    ['digest: must be 96 hexadecimal digits, as of sha384'],
  ],
  ['half a digest', { digest: 'a'.repeat(63) }, ['digest: must be 64 hexadecimal digits, as of sha256']],
  ['an external key', { digest: 'a'.repeat(64), key: { external } }, ['key.external: is not for a digest']],
])('a request to sign a digest is rejected for %s', (_case, body, issues) => {
  expect(issuesOf(body, signDigestBody)).toEqual(issues);
});
