import { expect, test } from '@jest/globals';
import { invoiceOf } from '@scriptorium/testing/fixtures/invoice';
import { readInvoice } from '../../src/threads/invoice.ts';

const read = (bytes: Buffer, more: object = {}) =>
  readInvoice({ name: 'Factur-X.xml', bytes, field: 'attach[0]', ...more });

const EN16931 = 'urn:cen.eu:en16931:2017';
const KOSIT = `${EN16931}#compliant#urn:xeinkauf.de:kosit`;
const XOEV = `${EN16931}#compliant#urn:xoev-de:kosit:standard`;

test.each([
  ['urn:factur-x.eu:1p0:minimum', 'MINIMUM', '1.0'],
  ['urn:zugferd.de:2p0:minimum', 'MINIMUM', '1.0'],
  ['urn:factur-x.eu:1p0:basicwl', 'BASIC WL', '1.0'],
  ['urn:zugferd.de:2p0:basicwl', 'BASIC WL', '1.0'],
  [`${EN16931}#compliant#urn:factur-x.eu:1p0:basic`, 'BASIC', '1.0'],
  [`${EN16931}#compliant#urn:zugferd.de:2p0:basic`, 'BASIC', '1.0'],
  [EN16931, 'EN 16931', '1.0'],
  [`${EN16931}#conformant#urn:factur-x.eu:1p0:extended`, 'EXTENDED', '1.0'],
  [`${EN16931}#conformant#urn:zugferd.de:2p0:extended`, 'EXTENDED', '1.0'],
  [`${EN16931}#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr`, 'EXTENDED', '1.0'],
  [`${XOEV}:xrechnung_1.2`, 'XRECHNUNG', '1.2'],
  [`${XOEV}:xrechnung_2.3`, 'XRECHNUNG', '2.3'],
  [`${XOEV}:xrechnung_2.2#conformant#urn:xoev-de:kosit:extension:xrechnung_2.2`, 'XRECHNUNG', '2.2'],
  [`${KOSIT}:xrechnung_3.0`, 'XRECHNUNG', '3.0'],
  [`${KOSIT}:xrechnung_3.0#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0`, 'XRECHNUNG', '3.0'],
  [`${KOSIT}:xrechnung_3.0#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9`, 'XRECHNUNG', '3.0'],
])('an invoice with the guideline %s has the profile %s', (guideline, level, version) => {
  const { properties, relationship } = read(invoiceOf(guideline));
  expect(properties).toEqual({ fileName: 'factur-x.xml', level, version });
  expect(relationship).toBe(level === 'MINIMUM' || level === 'BASIC WL' ? 'Data' : 'Alternative');
});

const minimum = invoiceOf('urn:factur-x.eu:1p0:minimum');

test.each([
  ['that is not XML', Buffer.from('%PDF-1.7'), {}, 'attach[0]', 'not well-formed'],
  [
    'with entities',
    Buffer.from('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
    {},
    'attach[0]',
    'not well-formed',
  ],
  ['of another kind', Buffer.from('<Invoice xmlns="urn:oasis:ubl"/>'), {}, 'attach[0]', 'its root'],
  [
    'whose profile is that of an order',
    invoiceOf('urn:order-x.eu:1p0:basic'),
    {},
    'attach[0]',
    'no known profile',
  ],
  [
    'of which the pages are no alternative',
    minimum,
    { relationship: 'Alternative' },
    'attach[0].relationship',
    'must be `Data`',
  ],
  [
    'of another profile than the caller says',
    minimum,
    { level: 'BASIC' },
    'attach[0].level',
    'must be the profile in the XML: `MINIMUM`',
  ],
])('an invoice %s is refused', (_name, bytes, more, field, issue) => {
  expect(() => read(bytes, more)).toThrow(
    expect.objectContaining({ details: [{ field, issue: expect.stringContaining(issue) }] }),
  );
});
