import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Sha256 } from '../src/hash.ts';
import { type DocumentBytes, type TelemetryOptions, trackOpen } from '../src/telemetry.ts';
import { type Collector, startCollector } from './collector.ts';
import { corePart, customPart, docId, docx, property, settingsPart, zip } from './docx.ts';

const CREATED = '2024-01-15T10:30:00Z';
const sha256 = (data: string | Uint8Array) => `sha256:${createHash('sha256').update(data).digest('hex')}`;

let collector: Collector;
beforeAll(async () => {
  collector = await startCollector();
});
afterAll(() => collector.close());

async function eventOf(bytes: DocumentBytes, options: TelemetryOptions = {}) {
  trackOpen(bytes, { ...options, telemetry: { endpoint: collector.endpoint } });
  return JSON.parse((await collector.next()).body).events[0];
}
const idOf = async (bytes: DocumentBytes, options?: TelemetryOptions): Promise<string> =>
  (await eventOf(bytes, options)).documentId;

describe('a document with a GUID and a creation time', () => {
  test('is identified by the two values, regardless of its content', async () => {
    const settings = settingsPart(docId('{1B2C3D4E-0000-4000-8000-00000000000A}'));
    const expected = sha256(`1B2C3D4E-0000-4000-8000-00000000000A|${CREATED}`);
    expect(await idOf(docx(settings, corePart(CREATED)))).toBe(expected);
    expect(
      await idOf(docx(corePart(CREATED), settings, { name: 'word/media/a.png', content: 'edited' })),
    ).toBe(expected);
  });

  test('is recognized by the namespace of docId, not by its prefix', async () => {
    const renamed = docx(settingsPart(docId('{AB}', 'x'), 'x'), corePart(CREATED));
    expect(await idOf(renamed)).toBe(sha256(`AB|${CREATED}`));
    const other = docx(settingsPart(docId('{AB}', 'w14')), corePart(CREATED));
    expect(await idOf(other)).toBe(sha256(other));
  });

  test('uses the GUID of its custom properties only if the settings have none', async () => {
    const custom = customPart(property('Client', 'X', 2) + property('DocumentGuid', 'EXISTING-GUID-123', 3));
    expect(await idOf(docx(settingsPart(), custom, corePart(CREATED)))).toBe(
      sha256(`EXISTING-GUID-123|${CREATED}`),
    );
    expect(await idOf(docx(settingsPart(docId('{AB}')), custom, corePart(CREATED)))).toBe(
      sha256(`AB|${CREATED}`),
    );
  });

  test('has an identifier of earlier accounts with crc32', async () => {
    const custom = customPart(property('DocumentGuid', 'EXISTING-GUID-123', 2));
    expect(await idOf(docx(custom, corePart(CREATED)), { identifier: 'crc32' })).toBe('HASH-A5FD6589');
  });

  test('uses the unchanged text of the creation time', async () => {
    const settings = settingsPart(docId('{AB}'));
    for (const created of ['2024-01-15T10:30:00+01:00', '2024-01-15', 'last &amp; least']) {
      const text = created.replace('&amp;', '&');
      expect(await idOf(docx(settings, corePart(created)))).toBe(sha256(`AB|${text}`));
    }
  });

  test('is identified with core properties under another name, and in UTF-16', async () => {
    const elsewhere = corePart(CREATED, 'package/services/metadata/core-properties/1.psmdcp');
    expect(await idOf(docx(settingsPart(docId('{AB}')), elsewhere))).toBe(sha256(`AB|${CREATED}`));
    const xml = String(corePart(CREATED).content).replace('UTF-8', 'UTF-16');
    const wide = { name: 'docProps/core.xml', content: Buffer.from(`\ufeff${xml}`, 'utf16le') };
    expect(await idOf(docx(settingsPart(docId('{AB}')), wide))).toBe(sha256(`AB|${CREATED}`));
  });
});

describe('a document without', () => {
  test.each([
    ['a GUID', docx(settingsPart(), corePart(CREATED))],
    ['a creation time', docx(settingsPart(docId('{AB}')), corePart())],
    ['core properties', docx(settingsPart(docId('{AB}')))],
    ['a value for its GUID', docx(settingsPart(docId('')), corePart(CREATED))],
    ['parts of an Office document', zip([{ name: 'a.txt', content: 'text' }])],
  ])('%s is identified by its bytes', async (_what, bytes) => {
    expect(await idOf(bytes)).toBe(sha256(bytes));
    const crc = crc32(bytes).toString(16).padStart(8, '0').toUpperCase();
    expect(await idOf(bytes, { identifier: 'crc32' })).toBe(`HASH-${crc}`);
  });
});

describe('the creation time in an event', () => {
  const withTime = (created?: string) => docx(settingsPart(docId('{AB}')), corePart(created));

  test('comes from the properties, unchanged if it is a full time', async () => {
    for (const created of [CREATED, '2024-01-15T10:30:00.5+01:00'])
      expect((await eventOf(withTime(created))).documentCreatedAt).toBe(created);
    expect((await eventOf(withTime('2024-01-15'))).documentCreatedAt).toBe('2024-01-15T00:00:00.000Z');
  });

  test('is the minute of opening without one, like in the export', async () => {
    for (const created of [undefined, 'yesterday', '2024-99-99T00:00:00Z']) {
      const { timestamp, documentCreatedAt } = await eventOf(withTime(created));
      expect(documentCreatedAt).toBe(`${timestamp.slice(0, 16)}:00Z`);
    }
  });
});

test('a document has the same identifier as bytes, as part of a larger buffer, as an ArrayBuffer and as a Blob', async () => {
  const bytes = docx(settingsPart());
  const larger = Buffer.concat([Buffer.alloc(7), bytes, Buffer.alloc(9)]);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const forms = [
    new Uint8Array(bytes),
    larger.subarray(7, 7 + bytes.length),
    new Uint8Array(bytes).buffer,
    new Blob([bytes]),
    shared,
  ];
  for (const form of forms) expect(await idOf(form)).toBe(sha256(bytes));
});

test('hashes are the same without WebCrypto', () => {
  for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 100_003]) {
    const bytes = Buffer.alloc(length, 'A document of some length. ');
    const hash = new Sha256();
    for (let at = 0; at < length; at += 999) hash.update(bytes.subarray(at, at + 999));
    expect(Buffer.from(hash.digest()).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});
