import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { berToDer } from '../src/asn1/ber.ts';
import {
  bitString,
  context,
  der,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  setOf,
  TAG,
  time,
  utf8String,
} from '../src/asn1/der.ts';
import {
  DerError,
  readBitString,
  readChildren,
  readDer,
  readInteger,
  readNumber,
  readOid,
  readSequence,
} from '../src/asn1/der-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'der-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns what OpenSSL reads, a line for each value. */
function parsed(bytes: Buffer): string[] {
  writeFileSync(join(folder, 'value.der'), bytes);
  const { stdout } = spawnSync('openssl', ['asn1parse', '-inform', 'DER', '-in', join(folder, 'value.der')]);
  return stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replace(/^.*(prim|cons): +/, '')
        .replace(/ +/g, ' ')
        .trim(),
    );
}

describe('the DER writer', () => {
  test('writes values that OpenSSL reads', () => {
    expect(
      parsed(
        sequence(
          integer(0),
          integer(127),
          integer(128),
          integer(65_537),
          integer(Number.MAX_SAFE_INTEGER),
          integer(Buffer.from('00ff', 'hex')),
          integer(Buffer.alloc(0)),
          oid('1.2.840.113549.1.9.16.2.47'),
          oid('2.999.3'),
          oid('0.9.2342.19200300.100.1.1'),
          nullValue(),
          utf8String('Zoë'),
          octetString(Buffer.from('a')),
          bitString(Buffer.of(0xf0)),
          time(new Date('2049-12-31T23:59:59.999Z')),
          time(new Date('2050-01-01T00:00:00Z')),
          context(1, integer(5)),
        ),
      ),
    ).toEqual([
      'SEQUENCE',
      'INTEGER :00',
      'INTEGER :7F',
      'INTEGER :80',
      'INTEGER :010001',
      'INTEGER :1FFFFFFFFFFFFF',
      'INTEGER :FF',
      'INTEGER :00',
      'OBJECT :id-smime-aa-signingCertificateV2',
      'OBJECT :2.999.3',
      'OBJECT :userId',
      'NULL',
      'UTF8STRING :Zoë',
      'OCTET STRING :a',
      'BIT STRING',
      'UTCTIME :491231235959Z',
      'GENERALIZEDTIME :20500101000000Z',
      'cont [ 1 ]',
      'INTEGER :05',
    ]);
  });

  test.each([0, 1, 127, 128, 255, 256, 65_535, 65_536, 16_777_216])(
    'writes the shortest length for %i octets',
    (count) => {
      const bytes = octetString(Buffer.alloc(count));
      const { content } = readDer(bytes, TAG.octetString);
      expect(content.length).toBe(count);
      expect(berToDer(bytes).equals(bytes)).toBe(true);
    },
  );

  test('sorts sets by the encodings of their elements', () => {
    expect(setOf(octetString(Buffer.of(1, 2)), integer(9), integer(3)).toString('hex')).toBe(
      '310a02010302010904020102',
    );
  });

  test('throws an internal error for an integer below zero or above the exact range', () => {
    expect(() => integer(-1)).toThrow(RangeError);
    expect(() => integer(2 ** 53)).toThrow(RangeError);
  });
});

describe('the DER reader', () => {
  test('reads object identifiers of any size', () => {
    for (const dotted of ['1.2.840.113549', '2.999.3', '0.0', '2.5.4.3', '1.39.5'])
      expect(readOid(readDer(oid(dotted)))).toBe(dotted);
    const uuid = '06136983f8f0e1c3878e9cb8f0e1c3878e9cb8f0e10f';
    expect(readOid(readDer(Buffer.from(uuid, 'hex').fill(20, 1, 2)))).toMatch(/^2\.25\.\d{30,}$/);
  });

  test.each([
    ['an indefinite length', '30800000'],
    ['a length longer than necessary', '30810100'],
    ['a length with a leading zero', '3082000100'],
    ['a length of five octets', '30850000000001'],
    ['a length beyond the end', '300501'],
    ['an end within a length', '3082'],
    ['only an identifier', '30'],
    ['nothing', ''],
    ['bytes after the value', '05000500'],
    ['a tag number above 30', '3f8101'],
  ])('rejects %s', (_, hex) => {
    expect(() => readDer(Buffer.from(hex, 'hex'))).toThrow(DerError);
  });

  test.each<[string, string, (bytes: Buffer) => unknown]>([
    ['an integer with padding', '02020001', (bytes) => readInteger(readDer(bytes))],
    ['a negative integer with padding', '0202ff80', (bytes) => readInteger(readDer(bytes))],
    ['an integer without octets', '0200', (bytes) => readInteger(readDer(bytes))],
    ['a negative number', '0201ff', (bytes) => readNumber(readDer(bytes))],
    ['a number of six octets', '0206010000000000', (bytes) => readNumber(readDer(bytes))],
    ['an object identifier with padding', '06022a80', (bytes) => readOid(readDer(bytes))],
    ['an object identifier with a padded component', '06038001', (bytes) => readOid(readDer(bytes))],
    ['an object identifier without octets', '0600', (bytes) => readOid(readDer(bytes))],
    ['a bit string with nine unused bits', '03020900', (bytes) => readBitString(readDer(bytes))],
    ['unused bits of an empty bit string', '030101', (bytes) => readBitString(readDer(bytes))],
    ['a child beyond its parent', '3003020200', (bytes) => readSequence(readDer(bytes))],
    ['a set instead of a sequence', '3100', (bytes) => readSequence(readDer(bytes))],
    ['children of a primitive value', '0400', (bytes) => readChildren(readDer(bytes))],
  ])('rejects %s', (_, hex, read) => {
    expect(() => read(Buffer.from(hex, 'hex'))).toThrow(DerError);
  });

  test('rejects more values than the limit', () => {
    const many = sequence(...Array.from({ length: 10_001 }, nullValue));
    expect(() => readSequence(readDer(many))).toThrow(DerError);
  });

  test('rejects an object identifier that would take minutes to read', () => {
    const endless = Buffer.alloc(1_000_000, 0xff);
    endless[endless.length - 1] = 1;
    expect(() => readOid(readDer(der(TAG.oid, endless)))).toThrow(DerError);
  });
});

describe('the BER reader', () => {
  test('converts indefinite lengths and constructed strings at any depth', () => {
    const ber = Buffer.from('3080a0802480040161040162000000000201050000', 'hex');
    expect(berToDer(ber)).toEqual(sequence(context(0, octetString(Buffer.from('ab'))), integer(5)));
  });

  test('shortens lengths that are longer than necessary', () => {
    expect(berToDer(Buffer.from('308400000003020105', 'hex'))).toEqual(sequence(integer(5)));
  });

  test.each([
    ['an indefinite length without an end', '3080020105'],
    ['an indefinite length of a primitive value', '04800000'],
    ['a constructed string with a number in it', '24800201050000'],
    ['a piece that exceeds its string', '24030405010203'],
    ['bytes after the value', '3080000000'],
    ['a length of five octets', '30850000000001'],
  ])('rejects %s', (_, hex) => {
    expect(() => berToDer(Buffer.from(hex, 'hex'))).toThrow(DerError);
  });

  test('rejects more values than the limit', () => {
    const many = der(TAG.sequence, Buffer.alloc(1_000_000, nullValue()));
    expect(() => berToDer(many)).toThrow(DerError);
  });

  test('survives endlessly nested values', () => {
    expect(() => berToDer(Buffer.alloc(1_000_000, Buffer.of(0x30, 0x80)))).toThrow(DerError);
    let nested = der(TAG.null);
    for (let depth = 0; depth < 40; depth++) nested = sequence(nested);
    expect(() => berToDer(nested)).toThrow(DerError);
  });
});
