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
  ['is cut off', () => zip(good).subarray(0, -30)],
  ['has bytes before it', () => Buffer.concat([Buffer.from('MZ'), zip(good)])],
  ['has bytes behind it', () => Buffer.concat([zip(good), Buffer.from('PK')])],
  ['is all end records', () => Buffer.from(times('PK\x05\x06', 40_000))],
  [
    'has more entries than are read',
    () =>
      zip([
        ...good,
        ...Array.from({ length: 5001 }, (_, n) => ({ name: `word/${n}.xml`, content: '', stored: true })),
      ]),
  ],
  [
    'counts more entries than it has',
    () => altered((bytes) => bytes.writeUInt32LE(0x0fff0fff, bytes.length - 14)),
  ],
  [
    'has its directory beyond its end',
    () => altered((bytes) => bytes.writeUInt32LE(0xfffffff0, bytes.length - 6)),
  ],
  ['is said to be ZIP64', () => altered((bytes) => bytes.fill(0xff, bytes.length - 14, bytes.length - 2))],
  ['has two files of one name', () => zip([...good, { name: 'WORD/settings.xml', content: settingsText }])],
  ['has two files in one place', () => zip([...good, { name: 'x', content: '', claimedOffset: 0 }])],
  [
    'has files that overlap',
    () =>
      altered((bytes) =>
        bytes.writeUInt32LE(
          bytes.lastIndexOf('PK\x03\x04') - 40,
          bytes.indexOf('word/settings.xml', bytes.indexOf('PK\x01\x02')) - 4,
        ),
      ),
  ],
  ['is encrypted', () => settings(settingsText, { flags: 1 })],
  ['says less than it unpacks to', () => settings(settingsText, { claimedSize: 10 })],
  ['says more than it unpacks to', () => settings(settingsText, { claimedSize: 100_000 })],
  ['has settings of more than a megabyte', () => settings(settingsText + times(' ', 2 ** 20))],
  ['is a bomb that admits it', () => settings(Buffer.alloc(2 ** 28))],
  ['is a bomb that does not', () => settings(Buffer.alloc(2 ** 28), { claimedSize: 1000 })],
  [
    'has a DOCTYPE',
    () => settings(`<!DOCTYPE w [<!ENTITY a "b">]>${settingsText.replace(/^<\?.*?\?>/, '')}`),
  ],
  ['has settings that end early', () => settings(settingsText.slice(0, -5))],
  ['has settings that are no text', () => settings(Buffer.from([0x3c, 0xff, 0xff, 0x3e]))],
  ['has elements in elements without end', () => inSettings(times('<a>', 20_000) + times('</a>', 20_000))],
  ['has elements without number', () => inSettings(times('<a/>', 60_000))],
  ['has a tag that never ends', () => settings(`<w${times(' a', 300_000)}`)],
  ['has quotes that never end', () => settings(`<w a="${times("' b='", 150_000)}`)],
  [
    'has namespaces on every level',
    () => settings(`<w ${times('xmlns:a="b" ', 40_000)}>${times('<a:a xmlns:c="d">', 400)}`),
  ],
  ['has entities that are no characters', () => inSettings('<a>&#x7fffff;</a>')],
];

describe('a file that', () => {
  test.each(files)('%s is named by its bytes, and exported as it is', async (_what, make) => {
    const bytes = make();
    trackOpen(bytes, { telemetry: { endpoint: collector.endpoint } });
    const [event] = JSON.parse((await collector.next()).body).events;
    expect(event.documentId).toBe(sha256(bytes));
    expect(Buffer.compare(await prepareExport(bytes), bytes)).toBe(0);
  });

  test('has names of properties of JavaScript for prefixes is read as any other', async () => {
    const bytes = settings(
      settingsText.replaceAll('w15', '__proto__').replace('<w:zoom', '<constructor toString="1"/><w:zoom'),
    );
    trackOpen(bytes, { telemetry: { endpoint: collector.endpoint } });
    const [event] = JSON.parse((await collector.next()).body).events;
    expect(event.documentId).toBe(sha256(`AB|${CREATED}`));
  });

  test('points its properties out of the package is exported as it is', async () => {
    const parts = docxParts([customPart(property('A', 'B', 2))]).map((part) =>
      part.name === '_rels/.rels'
        ? { ...part, content: String(part.content).replace('docProps/custom.xml', '../../custom.xml') }
        : part,
    );
    const bytes = zip(parts);
    expect(Buffer.compare(await prepareExport(bytes), bytes)).toBe(0);
  });
});

describe('the editor is not disturbed by', () => {
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
    ['a switch that throws', () => ({ telemetry: throwing('enabled') })],
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
    ['an endpoint that is none', () => ({ telemetry: { endpoint: 'http://[' } })],
    [
      'a license key that is no header',
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
  ])('%s, and nothing is sent', async (_what, options) => {
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
    ['no bytes at all', new Uint8Array()],
    ['a promise', Promise.resolve(new Uint8Array(3))],
    ['a Blob that cannot be read', { arrayBuffer: () => Promise.reject(new Error('gone')) }],
  ])('%s in the place of a document, and nothing is sent', async (_what, bytes) => {
    const before = collector.requests.length;
    const document = trackOpen(bytes as DocumentBytes, { telemetry: { endpoint: collector.endpoint } });
    expect((await document.identity).guid).toHaveLength(36);
    trackOpen(docx(), { telemetry: { endpoint: collector.endpoint } });
    await collector.next();
    expect(collector.requests).toHaveLength(before + 1);
  });

  test('a buffer that it transfers too early: no wrong document is counted', async () => {
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

  test('a buffer that it transfers before the page is idle: no wrong document is counted', async () => {
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

  test('a collector that never answers: the file is let go', async () => {
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
    for (let turn = 0; turn < 100 && file.deref() !== undefined; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      collectGarbage();
    }
    expect(file.deref()).toBeUndefined();
    await silent.close();
  });

  test.each([
    ['metadata that refers to itself', circular],
    ['metadata that throws', throwing('a')],
    ['metadata without end', { text: 'x'.repeat(9000) }],
    ['metadata of many small things', { list: Array.from({ length: 1001 }, () => 0) }],
    ['metadata that is no object', ['a']],
    ['metadata that JSON lacks', { big: 1n }],
  ])('%s, and the event goes without it', async (_what, metadata) => {
    trackOpen(docx(), {
      telemetry: { endpoint: collector.endpoint, metadata: metadata as Record<string, unknown> },
    });
    const body = JSON.parse((await collector.next()).body);
    expect(body.events).toHaveLength(1);
    expect(body).not.toHaveProperty('metadata');
  });
});
