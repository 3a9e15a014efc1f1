import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newDocument, prepareExport, trackOpen } from '../src/telemetry.ts';
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
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const sha256 = (data: string) => `sha256:${createHash('sha256').update(data).digest('hex')}`;

let collector: Collector;
let folder: string;
beforeAll(async () => {
  collector = await startCollector();
  folder = mkdtempSync(join(tmpdir(), 'export-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await collector.close();
});

/** Reads the text and the compressed bytes of each part with the zipfile module of Python, which checks every checksum. */
function unpack(bytes: Uint8Array): Record<string, { text: string; packed: string; method: number }> {
  const file = join(folder, 'export.docx');
  writeFileSync(file, bytes);
  const script = `
import json, struct, sys, zipfile
raw = open(sys.argv[1], 'rb').read()
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
found = {}
for entry in archive.infolist():
    assert entry.filename not in found
    start = entry.header_offset + 30 + sum(struct.unpack('<HH', raw[entry.header_offset + 26:entry.header_offset + 30]))
    found[entry.filename] = {'text': archive.read(entry).decode('latin1'), 'method': entry.compress_type,
                             'packed': raw[entry.header_offset:start + entry.compress_size].hex()}
print(json.dumps(found))`;
  return JSON.parse(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }));
}

async function reopened(bytes: Uint8Array) {
  const document = trackOpen(bytes, { telemetry: { endpoint: collector.endpoint } });
  const [event] = JSON.parse((await collector.next()).body).events;
  return { ...(await document.identity), documentId: event.documentId };
}

const core = (parts: ReturnType<typeof unpack>) => parts['docProps/core.xml']?.text ?? '';

function core0(): string {
  return '<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" />';
}

describe('a file without GUID and creation time', () => {
  const cases: [string, Buffer<ArrayBuffer>][] = [
    ['without core and custom properties', docx(settingsPart())],
    ['with core and custom properties without the values', docx(settingsPart(), corePart(), customPart())],
    ['with other custom properties', docx(corePart(), customPart(property('Client', 'X', 2)))],
    ['with empty values', docx(corePart(''), customPart(property('DocumentGuid', '', 7)))],
    ['with empty elements', docx(customPart(), { name: 'docProps/core.xml', content: core0() })],
    ['with core properties under another name', docx(corePart(undefined, 'package/1.psmdcp'))],
    ['with a comment after its directory', zip(docxParts([corePart()]), 'made by hand')],
  ];
  test.each(cases)('%s gets both on export, and is identified by them afterwards', async (_what, bytes) => {
    const first = await reopened(bytes);
    expect(first.guid).toMatch(UUID);
    expect(first.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/);
    const document = trackOpen(bytes, { telemetry: { enabled: false } });
    const exported = await prepareExport(bytes, document);
    const { guid, created } = await document.identity;

    const second = await reopened(exported);
    expect(second).toEqual({ guid, created, documentId: sha256(`${guid}|${created}`) });
    expect(second.documentId).not.toBe(first.documentId);
    expect(await prepareExport(exported)).toEqual(exported);
  });

  test.each(cases)('%s keeps all other parts unchanged, byte for byte', async (_what, bytes) => {
    const before = unpack(bytes);
    const after = unpack(await prepareExport(bytes));
    const changed = /^\[Content_Types\]\.xml$|^_rels\/\.rels$|^docProps\/(core|custom)\.xml$|psmdcp$/;
    const kept = Object.keys(before).filter((name) => !changed.test(name));
    expect(kept.length).toBeGreaterThan(1);
    for (const name of kept) expect(after[name]).toEqual(before[name]);
    expect(Object.keys(after).filter((name) => !before[name] && !changed.test(name))).toEqual([]);
    expect(Object.keys(after).slice(0, Object.keys(before).length)).toEqual(Object.keys(before));
    expect(core(after)).toContain(core(before).match(/<dc:creator>.*<\/dc:creator>/)?.[0] ?? '');
  });

  test('gets one pair per open, even if it is exported several times', async () => {
    const bytes = docx(settingsPart());
    const document = trackOpen(bytes, { telemetry: { enabled: false } });
    const edited = docx(settingsPart(), { name: 'word/footer1.xml', content: '<f/>' });
    const ids = [
      await reopened(await prepareExport(bytes, document)),
      await reopened(await prepareExport(edited, document)),
    ];
    expect(ids[0]).toEqual(ids[1]);
    expect(await reopened(await prepareExport(bytes))).not.toEqual(ids[0]);
  });

  test('gets content types and relationships for the added parts', async () => {
    const parts = unpack(await prepareExport(docx(settingsPart())));
    const types = parts['[Content_Types].xml']?.text ?? '';
    expect(types).toMatch(/PartName="\/docProps\/core\.xml" ContentType="[^"]*core-properties\+xml"/);
    expect(types).toMatch(/PartName="\/docProps\/custom\.xml" ContentType="[^"]*custom-properties\+xml"/);
    const relationships = parts['_rels/.rels']?.text ?? '';
    const ids = [...relationships.matchAll(/ Id="([^"]*)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(3);
    expect(relationships).toMatch(/metadata\/core-properties" Target="docProps\/core\.xml"/);
    expect(relationships).toMatch(/custom-properties" Target="docProps\/custom\.xml"/);
  });

  test('gets its GUID under the next free pid, and keeps existing properties', async () => {
    const bytes = docx(customPart(property('A', '1', 2) + property('B', '2', 3) + property('C', '3', 9)));
    const custom = unpack(await prepareExport(bytes))['docProps/custom.xml']?.text ?? '';
    expect(custom).toMatch(
      /fmtid="\{D5CDD505-2E9C-101B-9397-08002B2CF9AE\}" pid="4" name="DocumentGuid"><vt:lpwstr[^>]*>[0-9a-f-]{36}</,
    );
    expect([...custom.matchAll(/name="([^"]*)"/g)].map((match) => match[1])).toEqual([
      'A',
      'B',
      'C',
      'DocumentGuid',
    ]);
  });

  test('of the strict variant gets strict properties', async () => {
    const strict = docxParts([corePart()]).map((part) =>
      part.name === '_rels/.rels'
        ? {
            ...part,
            content: String(part.content).replace(
              'http://schemas.openxmlformats.org/officeDocument/2006/relationships/',
              'http://purl.oclc.org/ooxml/officeDocument/relationships/',
            ),
          }
        : part,
    );
    const exported = await prepareExport(zip(strict));
    const parts = unpack(exported);
    expect(parts['_rels/.rels']?.text).toContain(
      'purl.oclc.org/ooxml/officeDocument/relationships/customProperties',
    );
    expect(parts['docProps/custom.xml']?.text).toContain(
      'purl.oclc.org/ooxml/officeDocument/customProperties',
    );
    expect(await prepareExport(exported)).toEqual(exported);
  });
});

describe('a file with both', () => {
  const bytes = docx(settingsPart(docId('{AB}')), corePart(CREATED));

  test('is exported unchanged', async () => {
    const document = trackOpen(bytes, { telemetry: { enabled: false } });
    expect(await document.identity).toEqual({ guid: 'AB', created: CREATED });
    expect(await prepareExport(bytes, document)).toEqual(new Uint8Array(bytes));
  });

  test('keeps its identifier if the editor writes neither', async () => {
    const document = trackOpen(bytes, { telemetry: { enabled: false } });
    const exported = await prepareExport(docx(settingsPart()), document);
    expect(await reopened(exported)).toEqual(await reopened(bytes));
  });
});

test('a file with one of the two keeps it', async () => {
  const noTime = await reopened(await prepareExport(docx(settingsPart(docId('{AB}')), corePart())));
  expect(noTime.guid).toBe('AB');
  const noGuid = await reopened(await prepareExport(docx(settingsPart(), corePart(CREATED))));
  expect(noGuid).toMatchObject({ created: CREATED, guid: expect.stringMatching(UUID) });
});

test('markup in values of an opened document is escaped in the exported one', async () => {
  const strange = '&lt;/vt:lpwstr&gt;&amp;&quot;';
  const document = trackOpen(docx(customPart(property('DocumentGuid', strange, 2)), corePart(strange)), {
    telemetry: { enabled: false },
  });
  const { guid, created } = await reopened(await prepareExport(docx(), document));
  expect([guid, created]).toEqual(['</vt:lpwstr>&"', '</vt:lpwstr>&"']);
});

test('a GUID with invalid characters does not damage the exported file', async () => {
  const document = trackOpen(docx(settingsPart(docId('&#1;')), corePart(CREATED)), {
    telemetry: { enabled: false },
  });
  const { guid } = await reopened(await prepareExport(docx(), document));
  expect(guid).toMatch(UUID);
});

test('properties in UTF-16 of either byte order are written and declared as UTF-8', async () => {
  const content = Buffer.from(
    `\ufeff${String(corePart().content).replace('encoding="UTF-8"', 'encoding="UTF-16LE"')}`,
    'utf16le',
  );
  const parts = unpack(await prepareExport(docx({ name: 'docProps/core.xml', content })));
  expect(core(parts)).toMatch(/^<\?xml version="1.0" encoding="UTF-8" .*<dcterms:created/s);
});

test('properties with much white space do not delay the page', async () => {
  const room = ' '.repeat(500_000);
  const bytes = docx({ name: 'docProps/core.xml', content: `<!--${room}-->${core0()}` });
  // With quadratic backtracking this took minutes.
  expect((await reopened(await prepareExport(bytes))).created).toMatch(/^\d{4}-/);
}, 60_000);

test('a document that was created in the editor has one identity for all exports', async () => {
  const document = newDocument();
  const [first, second] = [await prepareExport(docx(), document), await prepareExport(docx(), document)];
  expect(await reopened(first)).toEqual(await reopened(second));
});

describe('a file is exported unchanged if', () => {
  const unread: [string, Uint8Array | ZipPart[]][] = [
    ['it is not an archive', Buffer.from('%PDF-1.7')],
    ['it is empty', new Uint8Array()],
    ['it is an archive of another type', [{ name: 'mimetype', content: 'application/epub+zip' }]],
    ['it is signed', docxParts([{ name: '_xmlsignatures/origin.sigs', content: '' }])],
    [
      'it is signed with a signature under another name',
      docxParts().map((part) =>
        part.name === '_rels/.rels'
          ? {
              ...part,
              content: String(part.content).replace(
                '</Relationships>',
                '<Relationship Id="s" Target="sign/origin.sigs" ' +
                  'Type="http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin"/></Relationships>',
              ),
            }
          : part,
      ),
    ],
    [
      'its core properties are damaged',
      docxParts([{ name: 'docProps/core.xml', content: '<cp:coreProperties' }]),
    ],
    [
      'its core properties have another root element',
      docxParts([{ name: 'docProps/core.xml', content: '<html/>' }]),
    ],
  ];
  test.each(unread)('%s', async (_what, content) => {
    const bytes = content instanceof Uint8Array ? content : zip(content);
    expect(await prepareExport(bytes)).toEqual(new Uint8Array(bytes));
  });
});
