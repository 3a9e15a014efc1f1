import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DocumentBytes, prepareExport, type TelemetryOptions, trackOpen } from '../src/telemetry.ts';
import { type Collector, startCollector } from './collector.ts';
import {
  corePart,
  customPart,
  docId,
  docx,
  docxParts,
  property,
  settingsPart,
  type ZipPart,
  zip,
} from './docx.ts';

const CREATED = '2024-01-15T10:30:00Z';
const good: ZipPart[] = docxParts([settingsPart(docId('{AB}')), corePart(CREATED)]);
const sha256 = (data: Uint8Array | string) => `sha256:${createHash('sha256').update(data).digest('hex')}`;

let collector: Collector;
beforeAll(async () => {
  collector = await startCollector();
});
afterAll(() => collector.close());

const settings = (content: string | Buffer, more: Partial<ZipPart> = {}) =>
  zip(good.map((part) => (part.name === 'word/settings.xml' ? { ...part, content, ...more } : part)));
const settingsText = String(settingsPart(docId('{AB}')).content);
const inSettings = (inside: string) => settings(settingsText.replace('<w:zoom', `${inside}<w:zoom`));
const altered = (change: (bytes: Buffer) => void) => {
  const bytes = zip(good);
  change(bytes);
  return bytes;
};
const times = (text: string, count: number) => text.repeat(count);

const files: [string, () => Buffer][] = [
  ['is truncated', () => zip(good).subarray(0, -30)],
  ['has bytes before it', () => Buffer.concat([Buffer.from('MZ'), zip(good)])],
  ['has bytes after it', () => Buffer.concat([zip(good), Buffer.from('PK')])],
  ['consists of end records', () => Buffer.from(times('PK\x05\x06', 40_000))],
  [
    'has too many entries',
    () =>
      zip([
        ...good,
        ...Array.from({ length: 5001 }, (_, n) => ({ name: `word/${n}.xml`, content: '', stored: true })),
      ]),
  ],
  [
    'claims more entries than it has',
    () => altered((bytes) => bytes.writeUInt32LE(0x0fff0fff, bytes.length - 14)),
  ],
  [
    'has its directory after its end',
    () => altered((bytes) => bytes.writeUInt32LE(0xfffffff0, bytes.length - 6)),
  ],
  ['claims to be ZIP64', () => altered((bytes) => bytes.fill(0xff, bytes.length - 14, bytes.length - 2))],
  [
    'has two entries with the same name',
    () => zip([...good, { name: 'WORD/settings.xml', content: settingsText }]),
  ],
  ['has two entries at the same offset', () => zip([...good, { name: 'x', content: '', claimedOffset: 0 }])],
  [
    'has overlapping entries',
    () =>
      altered((bytes) =>
        bytes.writeUInt32LE(
          bytes.lastIndexOf('PK\x03\x04') - 40,
          bytes.indexOf('word/settings.xml', bytes.indexOf('PK\x01\x02')) - 4,
        ),
      ),
  ],
  ['is encrypted', () => settings(settingsText, { flags: 1 })],
  ['claims less than its unpacked size', () => settings(settingsText, { claimedSize: 10 })],
  ['claims more than its unpacked size', () => settings(settingsText, { claimedSize: 100_000 })],
  ['has settings of more than a megabyte', () => settings(settingsText + times(' ', 2 ** 20))],
  ['is a zip bomb with its true size', () => settings(Buffer.alloc(2 ** 28))],
  ['is a zip bomb with a false size', () => settings(Buffer.alloc(2 ** 28), { claimedSize: 1000 })],
  [
    'has a DOCTYPE',
    () => settings(`<!DOCTYPE w [<!ENTITY a "b">]>${settingsText.replace(/^<\?.*?\?>/, '')}`),
  ],
  ['has settings that end early', () => settings(settingsText.slice(0, -5))],
  ['has settings that are not text', () => settings(Buffer.from([0x3c, 0xff, 0xff, 0x3e]))],
  ['has too many nested elements', () => inSettings(times('<a>', 20_000) + times('</a>', 20_000))],
  ['has too many elements', () => inSettings(times('<a/>', 60_000))],
  ['has an unterminated tag', () => settings(`<w${times(' a', 300_000)}`)],
  ['has unterminated quotes', () => settings(`<w a="${times("' b='", 150_000)}`)],
  [
    'has namespaces on every level',
    () => settings(`<w ${times('xmlns:a="b" ', 40_000)}>${times('<a:a xmlns:c="d">', 400)}`),
  ],
  ['has references to invalid characters', () => inSettings('<a>&#x7fffff;</a>')],
];

describe('a file that', () => {
  test.each(files)('%s is identified by its bytes and exported unchanged', async (_what, make) => {
    const bytes = make();
    trackOpen(bytes, { telemetry: { endpoint: collector.endpoint } });
    const [event] = JSON.parse((await collector.next()).body).events;
    expect(event.documentId).toBe(sha256(bytes));
    expect(Buffer.compare(await prepareExport(bytes), bytes)).toBe(0);
  });

  test('has prefixes that are JavaScript property names is read normally', async () => {
    const bytes = settings(
      settingsText.replaceAll('w15', '__proto__').replace('<w:zoom', '<constructor toString="1"/><w:zoom'),
    );
    trackOpen(bytes, { telemetry: { endpoint: collector.endpoint } });
    const [event] = JSON.parse((await collector.next()).body).events;
    expect(event.documentId).toBe(sha256(`AB|${CREATED}`));
  });

  test('has properties outside of the package is exported unchanged', async () => {
    const parts = docxParts([customPart(property('A', 'B', 2))]).map((part) =>
      part.name === '_rels/.rels'
        ? { ...part, content: String(part.content).replace('docProps/custom.xml', '../../custom.xml') }
        : part,
    );
    const bytes = zip(parts);
    expect(Buffer.compare(await prepareExport(bytes), bytes)).toBe(0);
  });
});

describe('the editor is not affected by', () => {
  const throwing = (name: string) =>
    Object.defineProperty({}, name, {
      enumerable: true,
      get: () => {
        throw new Error('hostile');
      },
    });
  const circular: Record<string, unknown> = {};
  circular.self = circular;

  test.each([
    ['an option that throws', () => throwing('licenseKey')],
    ['telemetry options that throw', () => throwing('telemetry')],
    ['an enabled option that throws', () => ({ telemetry: throwing('enabled') })],
    [
      'an endpoint that throws',
      () => ({
        telemetry: {
          endpoint: {
            toString: () => {
              throw new Error('hostile');
            },
          },
        },
      }),
    ],
    ['an invalid endpoint', () => ({ telemetry: { endpoint: 'http://[' } })],
    [
      'a license key that is not a valid header',
      () => ({ licenseKey: 'a\r\nCookie: b', telemetry: { endpoint: collector.endpoint } }),
    ],
    [
      'a proxy',
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error('hostile');
            },
          },
        ),
    ],
    ['options that are null', () => null],
  ])('%s, and no request is sent', async (_what, options) => {
    const before = collector.requests.length;
    const document = trackOpen(docx(), options() as TelemetryOptions);
    expect((await document.identity).guid).toHaveLength(36);
    trackOpen(docx(), { telemetry: { endpoint: collector.endpoint } });
    await collector.next();
    expect(collector.requests).toHaveLength(before + 1);
  });

  test.each([
    ['nothing', undefined],
    ['a text', 'document.docx'],
    ['a number', 2 ** 40],
    ['an empty array', new Uint8Array()],
    ['a promise', Promise.resolve(new Uint8Array(3))],
    ['a Blob that cannot be read', { arrayBuffer: () => Promise.reject(new Error('gone')) }],
  ])('%s instead of a document, and no request is sent', async (_what, bytes) => {
    const before = collector.requests.length;
    const document = trackOpen(bytes as DocumentBytes, { telemetry: { endpoint: collector.endpoint } });
    expect((await document.identity).guid).toHaveLength(36);
    trackOpen(docx(), { telemetry: { endpoint: collector.endpoint } });
    await collector.next();
    expect(collector.requests).toHaveLength(before + 1);
  });

  test('a buffer that it transfers too early, which is not counted', async () => {
    const before = collector.requests.length;
    const bytes = new Uint8Array(docx());
    const document = trackOpen(bytes, { telemetry: { endpoint: collector.endpoint } });
    structuredClone(bytes, { transfer: [bytes.buffer] });
    expect((await document.identity).guid).toHaveLength(36);
    trackOpen(docx(), { telemetry: { endpoint: collector.endpoint } });
    const [event] = JSON.parse((await collector.next()).body).events;
    expect(event.documentId).toBe(sha256(docx()));
    expect(collector.requests).toHaveLength(before + 1);
  });

  test('a buffer that it transfers before the page is idle, which is not counted', async () => {
    const before = collector.requests.length;
    const page = globalThis as { requestIdleCallback?: (run: () => void) => void };
    const idle = new Promise<() => void>((resolve) => {
      page.requestIdleCallback = resolve;
    });
    const bytes = new Uint8Array(docx());
    trackOpen(bytes, { telemetry: { endpoint: collector.endpoint } });
    const goOn = await idle;
    delete page.requestIdleCallback;
    structuredClone(bytes, { transfer: [bytes.buffer] });
    goOn();
    trackOpen(docx(), { telemetry: { endpoint: collector.endpoint } });
    const [event] = JSON.parse((await collector.next()).body).events;
    expect(event.documentId).toBe(sha256(docx()));
    expect(collector.requests).toHaveLength(before + 1);
  });

  test('a collector that never responds, and the file is released', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const silent = await startCollector('is silent');
    const open = (): WeakRef<ArrayBuffer> => {
      const bytes = new Uint8Array(1_000_000);
      trackOpen(bytes, { telemetry: { endpoint: silent.endpoint } });
      return new WeakRef(bytes.buffer);
    };
    const file = open();
    await silent.next();
    for (let turn = 0; turn < 2_000 && file.deref() !== undefined; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      collectGarbage();
    }
    expect(file.deref()).toBeUndefined();
    await silent.close();
  });

  test.each([
    ['metadata with a circular reference', circular],
    ['metadata that throws', throwing('a')],
    ['metadata that is too large', { text: 'x'.repeat(9000) }],
    ['metadata with too many values', { list: Array.from({ length: 1001 }, () => 0) }],
    ['metadata that is not an object', ['a']],
    ['metadata that JSON does not support', { big: 1n }],
  ])('%s, and the event goes without it', async (_what, metadata) => {
    trackOpen(docx(), {
      telemetry: { endpoint: collector.endpoint, metadata: metadata as Record<string, unknown> },
    });
    const body = JSON.parse((await collector.next()).body);
    expect(body.events).toHaveLength(1);
    expect(body).not.toHaveProperty('metadata');
  });
});
