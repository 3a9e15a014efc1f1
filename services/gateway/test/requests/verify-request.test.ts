import { describe, expect, test } from '@jest/globals';
import { selfSigned } from '@scriptorium/testing/fixtures/self-signed';
import { anchored, having, issuesOf, trusting, verificationFor } from '../rigs/verify-requests.ts';

const { cert, key: privateKey } = selfSigned('ca.example');
const other = selfSigned('other.example').cert;
const inDer = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '');
const DATE = 'must be a date, such as `2016-01-01`';
const TIME = 'must be an ISO 8601 time with its offset, such as `2026-05-01T12:00:00Z`';
const YEARS = 'must be in the years 1970 to 9999';
const CERTIFICATE = 'must be a certificate in PEM, or as DER in base64';

describe('a verify request is accepted', () => {
  test.each([
    ['with only a document', {}],
    ['with an empty trust', { trust: {} }],
  ])('%s, and uses the default profile and the embedded revocation data', (_name, more) => {
    expect(verificationFor(more)).toEqual({ trust: { anchors: [] }, revocation: 'embedded' });
  });

  test('with all options: anchors and profile add up, and the time is in UTC', () => {
    const more = {
      trust: { anchors: [cert + other, `\n${inDer(other)}\n`], profile: 'service' },
      validationTime: '2026-05-01T14:00:00.5+02:00',
      revocation: 'online',
      pictures: true,
    };
    expect(verificationFor(more)).toEqual({
      trust: { anchors: [inDer(cert), inDer(other), inDer(other)], profile: 'service' },
      validationTime: '2026-05-01T12:00:00.500Z',
      revocation: 'online',
      pictures: true,
    });
  });

  test('with fifty anchors', () => {
    const anchors = Array(50).fill(cert);
    expect(verificationFor({ trust: { anchors } }).trust.anchors).toHaveLength(50);
  });

  test.each([
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2024-02-29T00:00:00-12:00', '2024-02-29T12:00:00.000Z'],
  ])('with the time %s', (validationTime, inUtc) => {
    expect(verificationFor({ validationTime }).validationTime).toBe(inUtc);
  });
});

/** A valid certificate with a very long host name: slightly more than `bytes` of DER. */
const heavy = (bytes: number) => inDer(selfSigned('x'.repeat(bytes / 3)).cert);

describe('an invalid verify request is rejected with every invalid path:', () => {
  test.each<[string, unknown, string[]]>([
    ['an empty object', {}, ['document: is required']],
    ['an array', [], ['body: must be an object']],
    ['an unknown property', having({ level: 'B-B' }), ['level: is not a known property']],
    ['a trust that is a string', trusting('service'), ['trust: must be an object']],
    [
      'a trust with an unknown property',
      trusting({ anchor: cert }),
      ['trust.anchor: is not a known property'],
    ],
    ['an empty profile', trusting({ profile: '' }), ['trust.profile: must not be empty']],
    [
      'a profile of 101 letters',
      trusting({ profile: 'x'.repeat(101) }),
      ['trust.profile: must have at most 100 characters'],
    ],
    ['an empty list of anchors', anchored(), ['trust.anchors: must have at least one entry']],
    ['anchors that are a string', trusting({ anchors: cert }), ['trust.anchors: must be an array']],
    [
      'an anchor that is not a certificate, such as a key, without quoting it',
      anchored(cert, 'AAAA', cert + privateKey, cert, privateKey, ''),
      [1, 2, 4, 5].map((at) => `trust.anchors[${at}]: ${CERTIFICATE}`),
    ],
    ['an anchor that is a number', anchored(cert, 3), ['trust.anchors[1]: must be a string']],
    [
      'an anchor that is too long',
      anchored(cert, cert, cert, 'A'.repeat(65_540)),
      ['trust.anchors[3]: must have at most 65536 characters'],
    ],
    ['51 anchors', anchored(...Array(51).fill(cert)), ['trust.anchors: must have at most 50 entries']],
    [
      '51 anchors in two texts',
      anchored(cert.repeat(50), cert),
      ['trust.anchors: must have at most 50 certificates'],
    ],
    [
      'anchors over the total limit',
      anchored(...Array(7).fill(heavy(39_000))),
      ['trust.anchors: must have at most 262144 bytes in total'],
    ],
    [
      'a time without an offset',
      having({ validationTime: '2026-05-01T12:00:00' }),
      [`validationTime: ${TIME}`],
    ],
    ['a date without a time', having({ validationTime: '2026-05-01' }), [`validationTime: ${TIME}`]],
    ['an invalid date', having({ validationTime: '2026-02-30T12:00:00Z' }), [`validationTime: ${TIME}`]],
    ['a time as a number', having({ validationTime: 1_777_636_800 }), [`validationTime: ${TIME}`]],
    ['a time as null', having({ validationTime: null }), [`validationTime: ${TIME}`]],
    ['a time before 1970', having({ validationTime: '1969-12-31T23:59:59Z' }), [`validationTime: ${YEARS}`]],
    [
      'a time after 9999',
      having({ validationTime: '9999-12-31T23:59:59-00:01' }),
      [`validationTime: ${YEARS}`],
    ],
    [
      'a time instead of a date',
      having({ acceptSha1Before: '2016-01-01T00:00:00Z' }),
      [`acceptSha1Before: ${DATE}`],
    ],
    ['a date that does not exist', having({ acceptSha1Before: '2016-02-30' }), [`acceptSha1Before: ${DATE}`]],
    [
      'an unknown revocation mode',
      having({ revocation: 'always' }),
      ['revocation: must be one of `none`, `embedded` and `online`'],
    ],
    [
      'several mistakes at once',
      { document: {}, trust: { anchors: ['x'], profile: 1 }, revocation: true },
      [
        'document: must have exactly one of `base64` and `url`',
        `trust.anchors[0]: ${CERTIFICATE}`,
        'trust.profile: must be a string',
        'revocation: must be one of `none`, `embedded` and `online`',
      ],
    ],
  ])('%s', (_name, body, expected) => {
    expect(issuesOf(body).sort()).toEqual(expected.sort());
  });
});
