import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { HashAlgorithm, SignatureAlgorithm } from '@scriptorium/pki/keys';
import { testInWhole } from '@scriptorium/testing/extent';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { shownTexts } from '@scriptorium/testing/office';
import { type DocxOptions, signDocx } from '../../src/opc/sign-docx.ts';
import { letter, letterEntries } from './documents.ts';
import { filesOf, judgeByJdk, judgeByOffice, judgeByXmlsec } from './judges.ts';
import { TestKeys } from './keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'sign-docx-'));
const signingTime = new Date('2026-03-04T05:06:07.890Z');
let keys: TestKeys;

beforeAll(() => {
  keys = new TestKeys(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function sign(bytes: Buffer, options: Partial<DocxOptions> = {}) {
  return signDocx(bytes, { signer: keys.signer('rsa'), level: 'B-B', signingTime, ...options });
}

async function signatureXml(docx: Buffer, partName = '_xmlsignatures/sig1.xml'): Promise<string> {
  return (await filesOf(docx)).get(partName)?.toString() ?? '';
}

async function rewritten(docx: Buffer, change: (files: Map<string, Buffer>) => void): Promise<Buffer> {
  const files = await filesOf(docx);
  change(files);
  return zip([...files].map(([name, data]) => ({ name, data })));
}

type Kind = [key: string, algorithm: SignatureAlgorithm, hash: HashAlgorithm];

describe('a signed document', () => {
  testInWhole('is valid for xmlsec1 and the JDK with each key type', async () => {
    const kinds: Kind[] = [
      ['rsa', 'rsa', 'sha256'],
      ['rsa', 'rsa', 'sha384'],
      ['rsa', 'rsa', 'sha512'],
      ['P-256', 'ecdsa', 'sha256'],
      ['P-384', 'ecdsa', 'sha384'],
      ['P-521', 'ecdsa', 'sha512'],
    ];
    const signed = await Promise.all(
      kinds.map(([key, algorithm, hash]) => sign(letter(), { signer: keys.signer(key, algorithm, hash) })),
    );
    for (const { bytes, partName } of signed) {
      const opinion = await judgeByXmlsec(bytes, partName, keys.caPem);
      expect(opinion).toContain('SignedInfo References (ok/all): 3/3');
      // Five parts, and the relationships of the package, the main part and the header.
      expect(opinion).toContain('Manifests References (ok/all): 8/8');
    }
    const opinions = await judgeByJdk(await Promise.all(signed.map(({ bytes }) => signatureXml(bytes))));
    expect(opinions).toEqual(
      kinds.map(() => ({
        isValid: true,
        references: Array(3).fill({ isValid: true, digested: expect.any(String) }),
      })),
    );
  });

  testInWhole('is valid for the JDK with RSA-PSS, which xmlsec1 supports only from 1.3', async () => {
    const hashes: HashAlgorithm[] = ['sha256', 'sha384', 'sha512'];
    const signed = await Promise.all(
      hashes.map((hash) => sign(letter(), { signer: keys.signer('rsa', 'rsa-pss', hash) })),
    );
    const opinions = await judgeByJdk(await Promise.all(signed.map(({ bytes }) => signatureXml(bytes))));
    expect(opinions.map(({ isValid }) => isValid)).toEqual([true, true, true]);
  });

  testInWhole('is valid for LibreOffice, with a certificate that chains to its authority', async () => {
    const rsa = await sign(letter());
    const ecdsa = await sign(rsa.bytes, { signer: keys.signer('P-256', 'ecdsa') });
    const stamped = await sign(letter(), { level: 'B-T', timestamper: keys.timestamper() });
    const audited = await sign(letter(), { auditTrail: '{"id":"1"}' });
    const documents = [rsa.bytes, ecdsa.bytes, stamped.bytes, audited.bytes];
    const byRsa = { isValid: true, isTrusted: true, signer: expect.stringContaining('CN=rsa signer') };
    const byEcdsa = { ...byRsa, signer: expect.stringContaining('CN=P-256 signer') };
    expect(await judgeByOffice(documents, keys.caDer)).toEqual([[byRsa], [byRsa, byEcdsa], [byRsa], [byRsa]]);
    expect(await shownTexts([audited.bytes])).toEqual([expect.stringContaining('Dear Ada')]);
  });

  testInWhole('is broken for LibreOffice after a change of any part or relationship', async () => {
    const { bytes } = await sign(letter(), { auditTrail: '{"id":"1"}' });
    const names = [...(await filesOf(bytes)).keys()].filter(
      (name) => !/^_xmlsignatures|^\[Content/.test(name),
    );
    expect(names).toHaveLength(9);
    const change = (name: string, data: Buffer) =>
      name.endsWith('.rels')
        ? Buffer.from(data.toString().replace(/Id="[^"]*" Type="[^"]*\/(?=[^"]*" Target="[^_])/, '$&x'))
        : Buffer.concat([data, Buffer.from(' ')]);
    const changed = await Promise.all(
      names.map((name) =>
        rewritten(bytes, (files) => files.set(name, change(name, files.get(name) ?? Buffer.alloc(0)))),
      ),
    );
    const opinions = await judgeByOffice(changed, keys.caDer);
    expect(names.filter((_, number) => opinions[number]?.[0]?.isValid !== false)).toEqual([]);
  });

  test('covers each file of its archive except the content types and the signatures', async () => {
    const { bytes, partName } = await sign(letter());
    const xml = await signatureXml(bytes, partName);
    const covered = [...xml.matchAll(/<Reference URI="\/([^?"]*)\?ContentType=[^"]+"/g)].map(
      ([, name]) => name,
    );
    const names = [...(await filesOf(bytes)).keys()];
    const others = ['[Content_Types].xml', '_xmlsignatures/origin.sigs', '_xmlsignatures/sig1.xml'];
    expect(new Set([...covered, ...others, '_xmlsignatures/_rels/origin.sigs.rels'])).toEqual(new Set(names));
  });

  test('names parts with the content types in the package', async () => {
    const types = (text: string) => text.replace('image/png', 'Image/PNG').replace('png"', 'PNG"');
    const entries = letterEntries().map((entry) =>
      entry.name === '[Content_Types].xml' ? { ...entry, data: types(String(entry.data)) } : entry,
    );
    const xml = await signatureXml((await sign(zip(entries))).bytes);
    expect(xml).toContain('URI="/word/media/image1.png?ContentType=Image/PNG"');
  });

  test('keeps the bytes of its parts but not the white space in its relationships', async () => {
    const before = await filesOf(letter());
    const after = await filesOf((await sign(letter())).bytes);
    for (const [name, data] of before) {
      if (name === '[Content_Types].xml') continue;
      if (name.endsWith('.rels')) expect(after.get(name)?.toString()).not.toMatch(/>\s+<(?!Relationships)/);
      else expect(after.get(name)).toEqual(data);
    }
  });

  testInWhole('states signer, reason and time, also if they look like XML', async () => {
    const reason = '</SignatureComments><x a="1">&amp; ]]> \u2028';
    const { bytes, partName } = await sign(letter(), { reason, identity: { name: 'Ada & <Co> 😀' } });
    const xml = await signatureXml(bytes);
    expect(xml).toContain(
      '<SignatureComments>&lt;/SignatureComments&gt;&lt;x a="1"&gt;&amp;amp; ]]&gt; \u2028</SignatureComments>',
    );
    expect(xml).toContain('<SignatureText>Ada &amp; &lt;Co&gt; 😀</SignatureText>');
    expect(xml).toContain('<mdssi:Value>2026-03-04T05:06:07Z</mdssi:Value>');
    expect(xml).toContain('<xd:SigningTime>2026-03-04T05:06:07Z</xd:SigningTime>');
    expect(await judgeByXmlsec(bytes, partName, keys.caPem)).toContain('8/8');
    const [opinion] = await judgeByJdk([xml]);
    expect(opinion?.isValid).toBe(true);
  });

  test('names the certificate by digest, issuer and serial number', async () => {
    const [certificate] = keys.signer('rsa').certificates;
    const xml = await signatureXml((await sign(letter())).bytes);
    const digest = createHash('sha256').update(certificate.raw).digest('base64');
    expect(xml.split(`<DigestValue>${digest}</DigestValue>`)).toHaveLength(3);
    expect(xml).toContain('<X509IssuerName>CN=Test CA,O=Müller / Söhne\\, \\"Ltd.\\",C=DE</X509IssuerName>');
    expect(xml).toContain(`<X509SerialNumber>${BigInt(`0x${certificate.serialNumber}`)}</X509SerialNumber>`);
    const [, serial = ''] = /<xd:IssuerSerialV2>([^<]*)</.exec(xml) ?? [];
    const der = Buffer.from(serial, 'base64');
    // The authority's own certificate contains the name; the serial number ends the structure.
    // A random serial number has any length of up to 20 bytes, and one more where its first bit is 1 (X.690, 8.3).
    const hex = certificate.serialNumber.padStart(
      certificate.serialNumber.length + (certificate.serialNumber.length % 2),
      '0',
    );
    const number = Buffer.from(/^[89a-f]/i.test(hex) ? `00${hex}` : hex, 'hex');
    expect(der.subarray(-number.length)).toEqual(number);
    const issuer = der.subarray(der.indexOf(Buffer.from([0xa4])) + 2, -number.length - 2);
    expect(keys.signer('rsa').certificates[1]?.raw.includes(issuer)).toBe(true);
  });

  test('has a time-stamp over its value if the level requires one', async () => {
    const signed = await sign(letter(), { level: 'B-T', timestamper: keys.timestamper() });
    expect(signed.timestampTime).toEqual(new Date('2026-03-04T05:06:07Z'));
    const xml = await signatureXml(signed.bytes);
    const [, token = ''] = /<xd:EncapsulatedTimeStamp>([^<]*)</.exec(xml) ?? [];
    const value = signed.signatureValue.toString('base64');
    const canonical = `<SignatureValue xmlns="http://www.w3.org/2000/09/xmldsig#">${value}</SignatureValue>`;
    keys.checkToken(Buffer.from(token, 'base64'), canonical);
    expect(() => keys.checkToken(Buffer.from(token, 'base64'), `${canonical} `)).toThrow();
    expect(await judgeByXmlsec(signed.bytes, signed.partName, keys.caPem)).toContain('8/8');
  });
});

describe('a document signed again', () => {
  test('keeps its content, and each signature is valid', async () => {
    const first = await sign(letter());
    const second = await sign(first.bytes, { signer: keys.signer('P-256', 'ecdsa') });
    const third = await sign(second.bytes, { signer: keys.signer('P-384', 'ecdsa', 'sha384') });
    expect([first, second, third].map(({ partName }) => partName)).toEqual(
      [1, 2, 3].map((number) => `_xmlsignatures/sig${number}.xml`),
    );
    const [before, after] = [await filesOf(first.bytes), await filesOf(third.bytes)];
    const changed = [...before]
      .filter(([name, data]) => !after.get(name)?.equals(data))
      .map(([name]) => name);
    expect(changed.sort()).toEqual(['[Content_Types].xml', '_xmlsignatures/_rels/origin.sigs.rels']);
    for (const { partName } of [first, second, third])
      expect(await judgeByXmlsec(third.bytes, partName, keys.caPem)).toContain('8/8');
  });

  test('keeps stray files, because an earlier signature may cover them', async () => {
    const { bytes } = await sign(letter());
    const stray = await rewritten(bytes, (files) => files.set('word/stray.xml', Buffer.from('<a/>')));
    const again = await sign(stray);
    expect((await filesOf(again.bytes)).get('word/stray.xml')?.toString()).toBe('<a/>');
    expect(await signatureXml(again.bytes, again.partName)).toContain('URI="/word/stray.xml?');
    expect(again.warnings).toEqual([]);
  });

  test('does not receive an audit trail', async () => {
    const { bytes } = await sign(letter());
    const again = await sign(bytes, { auditTrail: '{}' });
    expect(again.hasAuditTrail).toBe(false);
    expect((await filesOf(again.bytes)).has('scriptorium/audit.json')).toBe(false);
  });
});

test('signing adds the audit trail as a signed part that the package refers to', async () => {
  const { bytes, hasAuditTrail } = await sign(letter(), { auditTrail: '{"id":"ä"}' });
  const files = await filesOf(bytes);
  expect(hasAuditTrail).toBe(true);
  expect(files.get('scriptorium/audit.json')?.toString()).toBe('{"id":"ä"}');
  expect(files.get('_rels/.rels')?.toString()).toContain(
    'Type="urn:scriptorium:audit-trail" Target="scriptorium/audit.json"',
  );
  expect(await signatureXml(bytes)).toContain('URI="/scriptorium/audit.json?ContentType=application/json"');
  expect(await judgeByXmlsec(bytes, '_xmlsignatures/sig1.xml', keys.caPem)).toContain('9/9');
});

test('signing removes stray files from an unsigned document, with a warning', async () => {
  const stray = zip([...letterEntries(), { name: '.DS_Store', data: 'x' }]);
  const { bytes, warnings } = await sign(stray);
  expect(warnings).toEqual([{ code: 'FILES_LEFT_OUT', message: expect.stringContaining('.DS_Store') }]);
  expect((await filesOf(bytes)).has('.DS_Store')).toBe(false);
});

test('signing covers a link with an ampersand by the standard, and warns about LibreOffice', async () => {
  const linked = zip(
    letterEntries().map(({ name, data }) => ({
      name,
      data: String(data).replace('?a=1', '?a=1&amp;b=&lt;2>'),
    })),
  );
  const { bytes, warnings } = await sign(linked);
  expect(warnings.map(({ code }) => code)).toEqual(['LIBREOFFICE_LINKS']);
  const xml = await signatureXml(bytes);
  const transformed = [
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">',
    '<Relationship Id="link" Target="https://example.org/?a=1&amp;b=&lt;2>#%C3%A4" TargetMode="External" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"></Relationship>',
    '<Relationship Id="rId10" Target="header1.xml" TargetMode="Internal" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/header"></Relationship>',
    '<Relationship Id="rId2" Target="styles.xml" TargetMode="Internal" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"></Relationship>',
    '</Relationships>',
  ];
  const [, reference = ''] = /URI="\/word\/_rels\/document.xml.rels\?(.*?)<\/Reference>/.exec(xml) ?? [];
  expect(reference).toContain(
    `<DigestValue>${createHash('sha256').update(transformed.join('')).digest('base64')}</DigestValue>`,
  );
});
