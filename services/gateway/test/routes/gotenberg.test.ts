import { inflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { byNumber, FORM_FIELDS } from '../../src/requests/gotenberg-form.ts';
import { docxOf, type MergingRig, pdfOf, startMergingRig } from '../rigs/merging-rig.ts';

const PATH = '/forms/libreoffice/convert';

let on: MergingRig;
beforeAll(async () => {
  on = await startMergingRig();
});
afterEach(() => on.clear());
afterAll(() => on.rig.close());

interface Sending {
  files?: Record<string, Buffer>;
  /** Other parts with files: their name, and the file. */
  others?: [part: string, name: string, bytes: Buffer][];
  fields?: Record<string, string>;
  headers?: Record<string, string>;
}

function send({ files = { 'page.docx': docxOf('1') }, others = [], fields = {}, headers = {} }: Sending) {
  const body = new FormData();
  for (const [name, text] of Object.entries(fields)) body.append(name, text);
  for (const [name, bytes] of Object.entries(files))
    body.append('files', new Blob([new Uint8Array(bytes)]), name);
  for (const [part, name, bytes] of others) body.append(part, new Blob([new Uint8Array(bytes)]), name);
  const authorization = `Bearer ${on.key}`;
  return fetch(`${on.rig.url}${PATH}`, { method: 'POST', headers: { authorization, ...headers }, body });
}

const nameIn = (response: Response) => response.headers.get('content-disposition');

/** The names and contents of a ZIP archive of stored files. */
function filesIn(zip: Buffer): Record<string, string> {
  const files: Record<string, string> = {};
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const [method, size] = [zip.readUInt16LE(at + 8), zip.readUInt32LE(at + 18)];
    const start = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
    const bytes = zip.subarray(start, start + size);
    const name = zip.toString('utf8', at + 30, at + 30 + zip.readUInt16LE(at + 26));
    files[name] = (method === 0 ? bytes : inflateRawSync(bytes)).toString();
    at = start + size;
  }
  return files;
}

describe('a caller of Gotenberg', () => {
  test('gets one document as a PDF, under the name of the header, with the trace of the header', async () => {
    const headers = { 'gotenberg-output-filename': '/tmp/fo\\o.bar', 'gotenberg-trace': 'trace-1' };
    const response = await send({ headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(nameIn(response)).toBe('attachment; filename="o.bar.pdf"');
    expect(response.headers.get('gotenberg-trace')).toBe('trace-1');
    expect(await response.text()).toBe('%PDF-1.7(<1>)');
    const plain = await send({});
    expect(nameIn(plain)).toBe('attachment; filename="page.pdf"');
    expect(plain.headers.get('gotenberg-trace')).toMatch(/^req_/);
    await plain.text();
  });

  test('gets several documents as an archive, in the order of their numbers', async () => {
    const files = { 'p_10.docx': docxOf('10'), 'p_2.docx': docxOf('2'), 'ä.docm': docxOf('a') };
    const response = await send({ files, headers: { 'gotenberg-output-filename': 'foo' } });
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(nameIn(response)).toBe('attachment; filename="foo.zip"');
    expect(Object.entries(filesIn(Buffer.from(await response.arrayBuffer())))).toEqual([
      ['p_2.docx.pdf', '%PDF-1.7(<2>)'],
      ['p_10.docx.pdf', '%PDF-1.7(<10>)'],
      ['ä.docm.pdf', '%PDF-1.7(<a>)'],
    ]);
  });

  test('gets one PDF of all with `merge`, also of PDFs, in the order of their numbers', async () => {
    const files = { '10.docx': docxOf('10'), '2.pdf': pdfOf('2') };
    const response = await send({ files, fields: { merge: 'True' } });
    expect(await response.text()).toBe('%PDF-1.7{<2>+(<10>)}');
    expect(nameIn(response)).toBe('attachment; filename="merged.pdf"');
    expect(on.joins[0]?.parts.map(({ isMade }) => isMade)).toEqual([false, true]);
    on.joins.length = 0;
    const one = await send({ files: { '2.pdf': pdfOf('2') }, fields: { merge: 'true' } });
    expect(await one.text()).toBe('%PDF-1.7{<2>}');
  });

  test('may send the key as the password of basic authentication', async () => {
    const basic = (password: string) => `Basic ${Buffer.from(`any:${password}`).toString('base64')}`;
    expect((await send({ headers: { authorization: basic(on.key) } })).status).toBe(200);
    const refused = await send({ headers: { authorization: basic('bar') } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('content-type')).toBe('text/plain; charset=UTF-8');
    expect(refused.headers.get('www-authenticate')).toContain('Basic realm=');
    expect(await refused.text()).toContain('A valid API key is required');
    const elsewhere = await fetch(`${on.rig.url}/v1/auth/keys`, {
      headers: { authorization: basic(on.key) },
    });
    expect(elsewhere.status).toBe(401);
  });

  test('may send what Gotenberg has by default', async () => {
    const switches = {
      landscape: 'false',
      exportFormFields: '1',
      updateIndexes: 't',
      flatten: '',
      allowCopying: 'T',
    };
    const others = { quality: '90', zoom: '100', metadata: '{}', reduceImageResolution: 'false' };
    const response = await send({ fields: { ...switches, ...others, nativePdfFormats: 'false' } });
    expect(await response.text()).toBe('%PDF-1.7(<1>)');
  });

  test('gets form fields unless it asks for conformance, and the images that it asks for', async () => {
    const asked: [fields: Record<string, string>, conversion: object][] = [
      [{}, { exportFormFields: true, updateFields: 'toc' }],
      [
        { exportFormFields: 'false', quality: '50' },
        { exportFormFields: false, imageQuality: 50 },
      ],
      [{ pdfa: 'PDF/A-2b' }, { exportFormFields: false, pdfa: '2b' }],
      [
        { pdfua: '1', exportFormFields: 'true' },
        { exportFormFields: true, pdfua: true },
      ],
      [{ reduceImageResolution: 'true' }, { maxImageResolution: 300 }],
      [{ reduceImageResolution: 'true', maxImageResolution: '75' }, { maxImageResolution: 75 }],
    ];
    for (const [fields, conversion] of asked) {
      expect((await send({ fields })).status).toBe(200);
      expect(on.conversions.splice(0)).toEqual([expect.objectContaining(conversion)]);
    }
    expect((await send({ fields: { maxImageResolution: '75' } })).status).toBe(200);
    expect(on.conversions[0]?.maxImageResolution).toBeUndefined();
  });

  test('gets every wrong field and every one without an effect by name, as text', async () => {
    const fields = {
      ...{ landscape: 'true', exportFormFields: 'foo', pdfa: 'PDF/A-4', nativePageRanges: '3-2' },
      ...{
        quality: '-1',
        maxImageResolution: '10',
        watermarkSource: 'pdf',
        merge: 'foo',
        downloadFrom: '[{}]',
      },
      ...{ userPassword: '\0', metadata: 'foo', embedsMetadata: '{"a.xml":{}}', nativeWatermarkText: 'a\nb' },
      ...{ facturxDocumentType: 'ORDER', facturxVersion: '2' },
    };
    const response = await send({ files: { 'page.xyz': docxOf('1'), 'page.docx': docxOf('2') }, fields });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=UTF-8');
    const text = await response.text();
    for (const name of [...Object.keys(fields), 'files']) expect(text).toMatch(new RegExp(`^${name} `, 'm'));
    expect(text).toContain('`page.xyz`, whose ending is none of .docx .docm');
  });

  test.each([
    [{ files: {} }, 'files is required'],
    [{ files: { 'a.pdf': pdfOf('1') } }, '`a.pdf`, whose ending is none of'],
    [{ fields: { unknownField: '1' } }, 'unknownField is not a known part'],
    [{ fields: { metadata: '{"Copyright":"A"}' } }, 'metadata.Copyright is not supported: known are Title,'],
    [{ fields: { metadata: '{"Title":["A"]}' } }, 'metadata.Title must be a text'],
    [{ fields: { metadata: `{"Title":"${'a'.repeat(2_000)}"}` } }, 'metadata.Title '],
    [{ fields: { userPassword: 'a', ownerPassword: 'a' } }, 'ownerPassword must differ from `userPassword`'],
    [{ fields: { userPassword: 'a', pdfa: 'PDF/A-2b' } }, 'must be absent with `pdfa=PDF/A-2b`'],
    [{ fields: { allowPrinting: 'false' } }, 'userPassword is required, or `ownerPassword`'],
    [{ fields: { allowPrinting: 'false', userPassword: 'a' } }, 'allowPrinting requires `ownerPassword`'],
    [{ fields: { password: 'a' }, files: { 'a.odt': docxOf('1') } }, 'password requires the ending `.docx`'],
    [
      { fields: { exportNotesInMargin: 'true' }, files: { 'a.xlsx': docxOf('1') } },
      'exportNotesInMargin requires the ending `.docx` or the ending `.docm`',
    ],
    [{ fields: { watermarkSource: 'text' } }, 'watermarkExpression is required'],
    [
      { fields: { watermarkSource: 'text', watermarkExpression: 'A', nativeWatermarkText: 'A' } },
      'nativeWatermarkText is not supported together with `watermarkExpression`',
    ],
    [{ fields: { nativeWatermarkText: 'a\nb' } }, 'nativeWatermarkText must be one line'],
    [{ fields: { facturxConformanceLevel: 'BASIC' } }, 'facturxXml is required'],
    [{ others: [['facturxXml', 'a.xml', Buffer.from('<a/>')]] }, 'facturxConformanceLevel is required'],
    [
      { others: [['embeds', 'factur-x.xml', Buffer.from('<a/>')]] },
      'embeds has a file whose name requires `pdfa=PDF/A-3b`',
    ],
    [
      { others: Array.from({ length: 21 }, (_, at) => ['embeds', `${at}.xml`, Buffer.from('<a/>')]) },
      'embeds has more than 20 files',
    ],
    [
      {
        others: [['embeds', 'a.xml', Buffer.from('<a/>')]],
        fields: { embedsMetadata: '{"a.xml":{"relationship":"Kin"}}' },
      },
      'embedsMetadata must be one of `Source`',
    ],
    [{ others: [['embeds', 'a.xml', Buffer.alloc(0)]] }, 'embeds has `a.xml`, which is empty'],
    [
      { others: [['embeds', 'a.xml', Buffer.from('<a/>')]], fields: { pdfa: 'PDF/A-1b' } },
      'embeds must be absent with `pdfa=PDF/A-1b`',
    ],
    [
      {
        others: [['embeds', 'a.xml', Buffer.from('<a/>')]],
        files: { '1.docx': docxOf('1'), '2.docx': docxOf('2') },
      },
      'embeds requires that the form has one document',
    ],
    [
      { fields: { merge: 'true', userPassword: 'a' }, files: { '1.docx': docxOf('1'), '2.pdf': pdfOf('2') } },
      'userPassword is not supported together with `merge`',
    ],
    [{ others: [['watermark', 'a.png', Buffer.from('PNG')]] }, 'watermark is not supported as a file'],
    [
      { fields: { pdfua: 'true', merge: 'true' }, files: { '1.docx': docxOf('1'), '2.docx': docxOf('2') } },
      'pdfua is not supported together',
    ],
    [{ files: { '1.docx': docxOf('1'), '2.docx': docxOf('bad-convert') } }, '2.docx: It is too long.'],
  ] as [Sending, string][])('gets a reason: %j', async (sending, reason) => {
    const response = await send(sending);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(reason);
  });

  test('may send a field with a file name, which counts as well', async () => {
    const body = new FormData();
    body.append('files', new Blob([new Uint8Array(docxOf('1'))]), 'a.docx');
    body.append('landscape', new Blob(['true'], { type: 'text/plain' }), 'landscape');
    const headers = { authorization: `Bearer ${on.key}` };
    const response = await fetch(`${on.rig.url}${PATH}`, { method: 'POST', headers, body });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('landscape is not supported'),
    ]);
  });

  test('needs a key that may convert, and counts as a conversion', async () => {
    const { key, id } = await on.rig.newKey();
    await on.rig.database.query("UPDATE api_keys SET scopes = '{verify}' WHERE id = $1", [id]);
    const refused = await send({ headers: { authorization: `Bearer ${key}` } });
    expect([refused.status, await refused.text()]).toEqual([403, 'This API key may not use convert.']);
  });
});

test('names are in the order of Gotenberg', () => {
  const names = ['b.docx', '10_a.docx', 'a.docx', 'p_10.docx', '2_b.docx', 'p_2.docx', 'x3', '2_a.docx'];
  const sorted = ['2_a.docx', '2_b.docx', '10_a.docx', 'p_2.docx', 'p_10.docx', 'x3', 'a.docx', 'b.docx'];
  expect([...names].sort(byNumber)).toEqual(sorted);
});

test('every field of the form is known once', () => {
  expect(new Set(FORM_FIELDS).size).toBe(FORM_FIELDS.length);
  expect(FORM_FIELDS.length).toBeGreaterThan(75);
});
