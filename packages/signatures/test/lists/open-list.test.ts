import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Certificate, readCertificate } from '@scriptorium/pki/certificates';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { type ListContent, type ListForgery, trustedList } from '@scriptorium/testing/pki/trusted-list';
import { randomNumbers } from '@scriptorium/testing/random';
import { TrustedListError } from '../../src/lists/list-error.ts';
import { LIST_BYTES_MAX, openList } from '../../src/lists/open-list.ts';

let pki: Pki;
let operator: Identity;
let stranger: Identity;
let content: ListContent;
beforeAll(async () => {
  pki = await createPki();
  operator = await pki.issue({ name: 'Operator of the list' });
  stranger = await pki.issue({ name: 'Somebody else' });
  const since = new Date('2020-01-01T00:00:00Z');
  content = { services: [{ identities: [pki.intermediate], states: [{ since }] }] };
});
afterAll(() => pki.close());

const DAY_MS = 24 * 3_600_000;
const certificates = (...identities: Identity[]): Certificate[] =>
  identities.map(({ der }) => readCertificate(der));

function opened(bytes: Buffer, now = new Date(), signers = certificates(operator)): string {
  try {
    const { list } = openList(bytes, { signers, now });
    return list.services
      .map(({ name, states }) => `${name}: ${states.map(({ status }) => status)}`)
      .join('; ');
  } catch (error) {
    if (!(error instanceof TrustedListError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

const forged = (forgery: ListForgery): string => opened(trustedList(content, operator, forgery));
const replaced = (from: string | RegExp, to: string) => (xml: string) => {
  const changed = xml.replace(from, to);
  if (changed === xml) throw new Error(`there is no ${from}`);
  return changed;
};
const ROOT = '<TrustServiceStatusList';
const ENVELOPED =
  '<d:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"></d:Transform>';
const WHOLE = /<d:Reference URI="">.*?<\/d:Reference>/;
const PROPERTIES = /<d:Reference URI="#properties">.*?<\/d:Reference>/;
const XPATH = '<d:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"></d:Transform>';
const EXCLUSIVE = '<d:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"></d:Transform>';

describe('a trusted list', () => {
  test('is read if the key signed it that may', () => {
    expect(opened(trustedList(content, operator))).toBe('Test Service: granted');
  });

  test('is read with comments, which no signature of a list covers, as its signed text', () => {
    const split = forged({ list: replaced('granted', 'gran<!-- -->ted') });
    expect(split).toBe('Test Service: granted');
    expect(forged({ list: replaced('granted', 'gran<!--ted-->x') })).toMatch(/^LIST_SIGNATURE_INVALID/);
  });

  test('of another signer is refused, also one that the same authority certified', () => {
    expect(opened(trustedList(content, stranger))).toMatch(/^LIST_SIGNER_UNKNOWN/);
  });

  test('whose signer was not valid when it is read is refused', async () => {
    const expired = await pki.issue({
      name: 'Former operator',
      notBefore: new Date(Date.now() - 2 * DAY_MS),
      notAfter: new Date(Date.now() - DAY_MS),
    });
    const bytes = trustedList({ ...content, issued: new Date(Date.now() - 1.5 * DAY_MS) }, expired);
    const signers = certificates(expired);
    expect(opened(bytes, new Date(), signers)).toMatch(/^LIST_SIGNATURE_INVALID/);
    expect(openList(bytes, { signers, now: new Date(), isPast: true }).list.territory).toBe('BE');
  });

  test('from the future is refused', () => {
    const issued = new Date(Date.now() + 3 * DAY_MS);
    expect(opened(trustedList({ ...content, issued }, operator))).toMatch(/^LIST_FROM_THE_FUTURE/);
  });

  test('that is too large is refused before it is read', () => {
    expect(opened(Buffer.alloc(LIST_BYTES_MAX + 1, ' '))).toMatch(/^LIST_TOO_LARGE/);
  });

  test.each<[string, (xml: string) => string]>([
    ['with a DOCTYPE', (xml) => `<!DOCTYPE TrustServiceStatusList>${xml}`],
    ['with an entity', replaced('Test Provider', '&provider;')],
    ['that is not XML', () => 'TrustServiceStatusList</TrustServiceStatusList>'],
    ['of another kind', (xml) => xml.replaceAll('TrustServiceStatusList', 'List')],
    ['with two schemes', replaced('</SchemeInformation>', '$&<SchemeInformation></SchemeInformation>')],
    ['without a time', replaced(/<ListIssueDateTime>[^<]*/, '<ListIssueDateTime>today')],
    ['of version 4', replaced('<TSLVersionIdentifier>5', '<TSLVersionIdentifier>4')],
    ['in too deep elements', replaced('<TSPServices>', `${'<a>'.repeat(300)}${'</a>'.repeat(300)}$&`)],
  ])('%s is refused', (_what, before) => {
    expect(forged({ before })).toMatch(/^LIST_UNREADABLE/);
  });

  test.each<[string, ListForgery, string]>([
    ['changed after signing', { list: replaced('granted', 'withdrawn') }, 'changed after signing'],
    ['without its signature', { signature: () => '' }, 'exactly one signature'],
    ['with two signatures', { signature: (xml) => xml + xml }, 'exactly one signature'],
    [
      'with changed signed properties',
      { signature: replaced('<x:Cert>', '$&<x:a></x:a>') },
      'properties were',
    ],
    ['with a comment in its signature', { signature: replaced('<d:KeyInfo>', '$&<!-- -->') }, 'a comment'],
    [
      'with an object beside its properties',
      { signature: replaced('<d:Object>', '<d:Object>a</d:Object>$&') },
      'objects',
    ],
    [
      'with an Id that occurs twice',
      { signature: replaced('<d:KeyInfo>', '<d:KeyInfo Id="properties">') },
      'same Id',
    ],
    [
      'whose root has the Id of its properties',
      { before: replaced(ROOT, `${ROOT} Id="properties"`) },
      'same Id',
    ],
    ['that its signature does not cover', { signedInfo: replaced(WHOLE, '') }, 'exactly once'],
    ['that its signature covers twice', { signedInfo: replaced(WHOLE, '$&$&') }, 'exactly once'],
    [
      'of which a part is signed',
      {
        before: replaced('<TSPServices>', '<TSPServices Id="a">'),
        signedInfo: replaced('URI=""', 'URI="#a"'),
      },
      'something other',
    ],
    ['whose properties are not signed', { signedInfo: replaced(PROPERTIES, '') }, 'does not cover'],
    ['whose signature is not enveloped', { signedInfo: replaced(ENVELOPED, '') }, 'transforms'],
    [
      'with transforms in another order',
      { signedInfo: replaced(ENVELOPED + EXCLUSIVE, EXCLUSIVE + ENVELOPED) },
      'transforms',
    ],
    ['with an XPath transform', { signedInfo: replaced(EXCLUSIVE, `$&${XPATH}`) }, 'transforms'],
    [
      'with parameters of a transform',
      { signedInfo: replaced(EXCLUSIVE, EXCLUSIVE.replace('></', '><d:a></d:a></')) },
      'transforms',
    ],
    ['with SHA-1', { signedInfo: replaced('2001/04/xmlenc#sha256', '2000/09/xmldsig#sha1') }, 'SHA-1'],
    ['with a MAC', { signedInfo: replaced('more#ecdsa-sha256', 'more#hmac-sha256') }, 'SignatureMethod'],
  ])('%s is refused', (_what, forgery, why) => {
    expect(forged(forgery)).toMatch(/^LIST_SIGNATURE_INVALID/);
    expect(forged(forgery)).toContain(why);
  });

  test('that is damaged anywhere is refused, or says the same', () => {
    const bytes = trustedList(content, operator);
    const random = randomNumbers(7);
    const read = new Set<string>();
    for (let round = 0; round < 300; round++) {
      const damaged = Buffer.from(bytes);
      for (let edits = 1 + (round % 3); edits > 0; edits--) damaged[random(bytes.length)] = 32 + random(95);
      read.add(
        opened(damaged).replace(/^(LIST_(?:UNREADABLE|SIGNATURE_INVALID|SIGNER_UNKNOWN)).*/s, 'refused'),
      );
    }
    read.delete('Test Service: granted');
    expect([...read]).toEqual(['refused']);
  });

  test('inside another root is refused: the root is what must be signed', () => {
    const [open = '', rest = ''] = trustedList(content, operator).toString().split('?>\n');
    const own = ROOT.concat(' xmlns="http://uri.etsi.org/02231/v2#">');
    const signed = rest.replace(ROOT, `${ROOT} Id="signed"`);
    const scheme = /<SchemeInformation>.*<\/SchemeInformation>/.exec(rest)?.[0] ?? '';
    const around = `${open}?>${own}${scheme}<Extra>${signed}</Extra></TrustServiceStatusList>`;
    expect(opened(Buffer.from(around))).toMatch(/^LIST_SIGNATURE_INVALID/);
    const signature = /<d:Signature .*<\/d:Signature>/.exec(rest)?.[0] ?? '';
    const moved = `${open}?>${own}${scheme}<Extra>${signed.replace(signature, '')}</Extra>${signature}</TrustServiceStatusList>`;
    expect(opened(Buffer.from(moved))).toMatch(/^LIST_SIGNATURE_INVALID/);
  });
});
