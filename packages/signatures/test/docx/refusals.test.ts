import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { documentXml, docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { type ZipEntry, zip } from '@scriptorium/testing/fixtures/zip';
import { type DocxOptions, signDocx } from '../../src/opc/sign-docx.ts';
import { documentWithParts, encodedTarget, letter, letterEntries } from './documents.ts';
import { filesOf, judgeByOffice, judgeByXmlsec } from './judges.ts';
import { TestKeys } from './keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'refusals-'));
const signingTime = new Date('2026-03-04T05:06:07Z');
let keys: TestKeys;

beforeAll(() => {
  keys = new TestKeys(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function sign(bytes: Buffer, options: Partial<DocxOptions> = {}) {
  return signDocx(bytes, { signer: keys.signer('rsa'), level: 'B-B', signingTime, ...options });
}

async function signed(): Promise<Map<string, Buffer>> {
  return filesOf((await sign(letter())).bytes);
}

function packed(files: ReadonlyMap<string, Buffer>): Buffer {
  return zip([...files].map(([name, data]) => ({ name, data })));
}

const SIGNATURE = '_xmlsignatures/sig1.xml';

describe('signing a DOCX', () => {
  test.each(['B-LT', 'B-LTA'] as const)(
    'rejects %s and lists the levels that a DOCX supports',
    async (level) => {
      await expect(sign(letter(), { level, timestamper: keys.timestamper() })).rejects.toMatchObject({
        code: 'UNSUPPORTED_LEVEL',
        message: expect.stringContaining('B-B and B-T'),
      });
    },
  );

  test('rejects B-T without an authority', async () => {
    await expect(sign(letter(), { level: 'B-T' })).rejects.toMatchObject({ code: 'UNSUPPORTED_LEVEL' });
  });
});

test('signing rejects a key that does not match the certificate', async () => {
  const { certificates } = keys.signer('P-256', 'ecdsa');
  for (const signer of [
    { ...keys.signer('tsa'), certificates: keys.signer('rsa').certificates },
    { ...keys.signer('rsa'), certificates },
    { ...keys.signer('P-384', 'ecdsa'), certificates },
  ])
    await expect(sign(letter(), { signer })).rejects.toMatchObject({ code: 'SIGNING_KEY_INVALID' });
});

describe('the statement of a signature', () => {
  test('rejects a reason that is too long or contains characters not allowed in XML', async () => {
    for (const reason of ['x'.repeat(256), 'a\u0000b', 'a\ufffe', '\ud800'])
      await expect(sign(letter(), { reason })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'reason', issue: expect.any(String) }],
      });
    await expect(sign(letter(), { identity: { name: 'a\u0001' } })).rejects.toMatchObject({
      details: [{ field: 'signer.name', issue: expect.any(String) }],
    });
  });

  test('cuts a long name to the hundred characters that Office supports', async () => {
    const { bytes } = await sign(letter(), { identity: { name: '😀'.repeat(101) } });
    expect((await filesOf(bytes)).get(SIGNATURE)?.toString()).toContain(
      `<SignatureText>${'😀'.repeat(99)}…<`,
    );
  });
});

describe('the signer of a DOCX', () => {
  const typed = (type: string): ZipEntry[] => packageEntries({ mainXml: documentXml(['x']), mainType: type });

  test('rejects a file that is not a DOCX, and a DOCX without a main part', async () => {
    const files = [Buffer.from('%PDF-1.7'), Buffer.alloc(0), zip([{ name: 'a.txt', data: 'x' }])];
    const mainless = zip(packageEntries().filter(({ name }) => name !== 'word/document.xml'));
    for (const file of [...files, mainless, letter().subarray(0, 500)])
      await expect(sign(file)).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });

  test('rejects a part without a content type, which a signature cannot name', async () => {
    const entries = letterEntries().map((entry) =>
      entry.name === '[Content_Types].xml'
        ? { ...entry, data: String(entry.data).replace('png', 'jpeg') }
        : entry,
    );
    await expect(sign(zip(entries))).rejects.toMatchObject({
      code: 'INVALID_FILE_FORMAT',
      message: expect.stringContaining('/word/media/image1.png'),
    });
  });

  test('rejects two parts with the same name in a signature', async () => {
    const twins = zip(
      packageEntries({
        parts: [
          ...['a b.xml', 'a%20b.xml'].map((name) => ({ name: `word/${name}`, data: '<a/>' })),
          {
            name: 'word/_rels/document.xml.rels',
            data: '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="urn:a" Target="a b.xml"/><Relationship Id="b" Type="urn:a" Target="a%20b.xml"/></Relationships>',
          },
        ],
      }),
    );
    await expect(sign(twins)).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });

  test('signs a document with macros and UTF-16 parts unchanged', async () => {
    const macros = zip([
      ...typed('application/vnd.ms-word.document.macroEnabled.main+xml'),
      {
        name: 'word/_rels/document.xml.rels',
        data: '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="m" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vba.xml"/><Relationship Id="u" Type="urn:u" Target="utf16.xml"/></Relationships>',
      },
      { name: 'word/vba.xml', data: '<macro/>' },
      {
        name: 'word/utf16.xml',
        data: Buffer.from('\ufeff<?xml version="1.0" encoding="UTF-16"?><a>ä</a>', 'utf16le'),
      },
    ]);
    const { bytes, partName } = await sign(macros);
    const [before, after] = [await filesOf(macros), await filesOf(bytes)];
    for (const name of ['word/vba.xml', 'word/utf16.xml']) expect(after.get(name)).toEqual(before.get(name));
    expect(after.get('[Content_Types].xml')?.toString()).toContain('document.macroEnabled.main+xml');
    expect(await judgeByXmlsec(bytes, partName, keys.caPem)).toContain('Manifests References (ok/all): 5/5');
  });

  test('signs a Strict document', async () => {
    const { bytes, partName } = await sign(zip(packageEntries({ strict: true })));
    expect(await judgeByXmlsec(bytes, partName, keys.caPem)).toContain('2/2');
  });

  test('signs parts with unusual names that xmlsec1 and LibreOffice can find', async () => {
    const names = ['word/a b.xml', "word/it's(1)+,;=@~$!.xml", 'word/a#b.xml', 'customXml/ITEM.xml'];
    const { bytes } = await sign(documentWithParts(names, (name) => encodedTarget(name).replace('#', '%23')));
    expect(await judgeByOffice([bytes], keys.caDer)).toEqual([[expect.objectContaining({ isValid: true })]]);
    // LibreOffice does not find other names, whichever program signed.
    const others = ['word/b&c.xml', 'word/ä\u3042.xml', 'word/a[1].xml', 'word/a%20b%C3%A4.xml'];
    const more = await sign(
      documentWithParts([...names.slice(0, 2), ...others], (name) =>
        name.includes('%') ? `/${name}` : encodedTarget(name),
      ),
    );
    expect(more.warnings).toEqual([]);
    expect(await judgeByXmlsec(more.bytes, more.partName, keys.caPem)).toContain('9/9');
  });

  test('rejects more parts and longer names than one signature can cover', async () => {
    const names = Array.from({ length: 4_900 }, (_, n) => `${'あ'.repeat(250)}/${'い'.repeat(60)}${n}.xml`);
    const document = documentWithParts(names, (name) => `/${name}`);
    await expect(sign(document)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
  });

  test('signs 4,900 parts', async () => {
    const names = Array.from({ length: 4_900 }, (_, number) => `customXml/item${number}.xml`);
    const { bytes, partName } = await sign(documentWithParts(names));
    const files = await filesOf(bytes);
    expect(
      files
        .get(partName)
        ?.toString()
        .match(/<Reference URI/g),
    ).toHaveLength(4_903);
    // Earlier signatures are checked before the next is made.
    expect((await sign(bytes)).partName).toBe('_xmlsignatures/sig2.xml');
  });
});

describe('earlier signatures', () => {
  const replace = (from: string | RegExp, to: string) => (files: Map<string, Buffer>) => {
    const xml = files.get(SIGNATURE)?.toString() ?? '';
    const changed = xml.replace(from, to);
    expect(changed).not.toBe(xml);
    files.set(SIGNATURE, Buffer.from(changed));
  };
  const breaks: [what: string, change: (files: Map<string, Buffer>) => void, message: string][] = [
    [
      'a part was changed',
      (files) =>
        files.set(
          'word/document.xml',
          Buffer.from(files.get('word/document.xml')?.toString().replace('Dear', 'Dead') ?? ''),
        ),
      '/word/document.xml',
    ],
    [
      'a link has another target',
      (files) => {
        const name = 'word/_rels/document.xml.rels';
        files.set(name, Buffer.from(files.get(name)?.toString().replace('example.org', 'example.com') ?? ''));
      },
      '/word/_rels/document.xml.rels',
    ],
    [
      'a part has another content type',
      (files) => {
        const name = '[Content_Types].xml';
        files.set(name, Buffer.from(files.get(name)?.toString().replace('image/png', 'image/gif') ?? ''));
      },
      '/word/media/image1.png',
    ],
    ['its reason was changed', replace('<SignatureComments>', '<SignatureComments>not '), 'objects'],
    ['its time was changed', replace(/(<xd:SigningTime>)2026/, '$12025'), 'objects'],
    ['its value was changed', replace(/<SignatureValue>..../, '<SignatureValue>AAAA'), 'value'],
    ['it lacks its value', replace(/<SignatureValue>[^<]*/, '<SignatureValue>'), 'value'],
    [
      'two elements have one id',
      replace('</Signature>', '<Object Id="idPackageObject"></Object></Signature>'),
      'more than one',
    ],
    ['its method is unknown', replace('rsa-sha256', 'hmac-sha256'), 'SignatureMethod'],
    [
      'it has an XSLT transform',
      replace(
        '<Transform Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"',
        '<Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"',
      ),
      'transform',
    ],
    [
      'it has a second SignedInfo',
      replace('<SignatureValue>', '<SignedInfo></SignedInfo><SignatureValue>'),
      'SignedInfo',
    ],
    [
      'it has too many elements',
      replace('</Signature>', `${'<Object/>'.repeat(600_000)}</Signature>`),
      'XML',
    ],
    ['it has a part without a type', replace('?ContentType=image/png', ''), 'objects'],
    ['its part is not a signature', (files) => files.set(SIGNATURE, Buffer.from('<a/>')), 'Signature'],
    ['its part is missing', (files) => files.delete(SIGNATURE), 'missing'],
  ];

  test.each(breaks)('are rejected if %s, unless the caller allows it', async (_, change, message) => {
    const files = await signed();
    change(files);
    await expect(sign(packed(files))).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      message: expect.stringContaining(message),
    });
    const again = await sign(packed(files), { allowBroken: true });
    expect(await judgeByXmlsec(again.bytes, again.partName, keys.caPem)).toContain('8/8');
  });

  test('are not counted for a part disguised as a signature, which the next one covers', async () => {
    const files = await signed();
    const rels = '_xmlsignatures/_rels/origin.sigs.rels';
    const link = '<Relationship Id="x" Type="urn:x" Target="../word/styles.xml"/></Relationships>';
    files.set(rels, Buffer.from(files.get(rels)?.toString().replace('</Relationships>', link) ?? ''));
    const again = await sign(packed(files));
    const xml = (await filesOf(again.bytes)).get(again.partName)?.toString();
    expect(xml).toContain('URI="/word/styles.xml?');
  });

  test('may be absent under an existing origin, which the first signature uses', async () => {
    const files = await signed();
    files.delete(SIGNATURE);
    files.delete('_xmlsignatures/_rels/origin.sigs.rels');
    const again = await sign(packed(files));
    expect(again.partName).toBe(SIGNATURE);
    expect(await judgeByXmlsec(again.bytes, SIGNATURE, keys.caPem)).toContain('8/8');
  });

  test('are rejected above the limit of a hundred', async () => {
    const files = await signed();
    const rels = '_xmlsignatures/_rels/origin.sigs.rels';
    const type = 'http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/signature';
    const leads = Array.from(
      { length: 100 },
      (_, n) => `<Relationship Id="s${n}" Type="${type}" Target="sig1.xml"/>`,
    );
    files.set(
      rels,
      Buffer.from(
        files
          .get(rels)
          ?.toString()
          .replace('</Relationships>', `${leads.join('')}</Relationships>`) ?? '',
      ),
    );
    await expect(sign(packed(files))).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
  });
});

test('the smallest possible document can be signed', async () => {
  const { bytes, partName } = await sign(docxWith(['x']));
  expect(await judgeByXmlsec(bytes, partName, keys.caPem)).toContain('2/2');
});
