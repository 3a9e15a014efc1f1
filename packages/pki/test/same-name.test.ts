import { describe, expect, test } from '@jest/globals';
import { der, oid, sequence, setOf } from '../src/asn1/der.ts';
import { isSameName } from '../src/x509/same-name.ts';

const [UTF8, PRINTABLE, TELETEX, IA5, BMP, OCTETS] = [12, 19, 20, 22, 30, 4];
const [NUMERIC, VISIBLE, UNIVERSAL] = [18, 26, 28];
const COMMON_NAME = '2.5.4.3';

const part = (tag: number, text: string | Buffer, type = COMMON_NAME): Buffer => {
  const bytes = typeof text === 'string' ? Buffer.from(text, tag === TELETEX ? 'latin1' : 'utf8') : text;
  return sequence(oid(type), der(tag, bytes));
};
const name = (...parts: Buffer[]): Buffer => sequence(...parts.map((each) => setOf(each)));
const utf8 = (text: string): Buffer => name(part(UTF8, text));

describe('two names are the same', () => {
  test.each<[string, Buffer, Buffer]>([
    ['in another case', utf8('Zoë MÜLLER'), utf8('ZOË müller')],
    ['with other white space', utf8('  Ada \t Lovelace '), utf8('Ada Lovelace')],
    ['in another string type', name(part(PRINTABLE, 'Ada')), utf8('Ada')],
    ['as UTF-16', name(part(BMP, Buffer.from('00410064006f', 'hex'))), utf8('Ado')],
    ['as UTF-32', name(part(UNIVERSAL, Buffer.from('000000410001f600', 'hex'))), utf8('a😀')],
    ['as NumericString', name(part(NUMERIC, '12 34')), utf8('12 34')],
    ['as VisibleString', name(part(VISIBLE, 'Ada')), utf8('ada')],
    ['as Teletex', name(part(TELETEX, 'Zoë')), utf8('Zoë')],
    ['with an accent composed or apart', utf8('Zoe\u0308'), utf8('Zo\u00eb')],
    ['with a Greek end of word', utf8('ΟΔΟΣ'), utf8('οδος')],
    ['with an invisible character', utf8('A\u00adda'), utf8('Ada')],
    [
      'in another order within one part',
      sequence(setOf(part(UTF8, 'a'), part(UTF8, 'b', '2.5.4.10'))),
      sequence(setOf(part(UTF8, 'B', '2.5.4.10'), part(UTF8, 'A'))),
    ],
  ])('%s', (_, one, other) => {
    expect(isSameName(one, other)).toBe(true);
    expect(isSameName(other, one)).toBe(true);
  });
});

describe('two names differ', () => {
  test.each<[string, Buffer, Buffer]>([
    ['in UTF-32 that is cut off', name(part(UNIVERSAL, Buffer.from('0000004100', 'hex'))), utf8('A')],
    ['in UTF-32 beyond Unicode', name(part(UNIVERSAL, Buffer.from('00110000', 'hex'))), utf8('A')],
    ['in a letter', utf8('Ada'), utf8('Ado')],
    ['in a space inside a word', utf8('Ada'), utf8('A da')],
    ['in an accent', utf8('Zoë'), utf8('Zoe')],
    ['in a dotless i', utf8('Kadı'), utf8('Kadi')],
    ['in a letter of another script', utf8('Аda'), utf8('Ada')],
    [
      'in the order of their parts',
      name(part(UTF8, 'a'), part(UTF8, 'b')),
      name(part(UTF8, 'b'), part(UTF8, 'a')),
    ],
    ['in the type of an attribute', utf8('Ada'), name(part(UTF8, 'Ada', '2.5.4.10'))],
    ['in one part more', name(part(UTF8, 'Ada'), part(UTF8, 'x')), utf8('Ada')],
    ['as bytes and as the text of these bytes', name(part(OCTETS, 'Ada')), utf8('0403416461')],
    [
      'in bytes that are not UTF-8',
      name(part(UTF8, Buffer.of(0x41, 0xff))),
      name(part(UTF8, Buffer.of(0x41, 0xfe))),
    ],
    ['in bytes that are not ASCII', name(part(IA5, Buffer.of(0xe4))), name(part(IA5, Buffer.of(0xc4)))],
    ['in characters for private use', utf8('\ue000a'), utf8('\ue000A')],
    ['unreadable', Buffer.of(0x30, 0x01, 0x05), Buffer.of(0x30, 0x01, 0x06)],
  ])('%s', (_, one, other) => {
    expect(isSameName(one, other)).toBe(false);
    expect(isSameName(one, Buffer.from(one))).toBe(true);
  });
});
