import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { type CompoundNode, compoundFile, compoundTree } from '@scriptorium/testing/fixtures/cfb';
import { readCompoundFile } from '../../src/sources/doc/compound-reader.ts';
import { writeCompoundFile } from '../../src/sources/doc/compound-writer.ts';
import { BOMB_MS_MAX, prepare, refusal } from './sanitizer-under-test.ts';

/** A main stream with this FIB header, and its field table at offset 16 of the table stream. */
function mainStream(
  change: { magic?: number; version?: number; flags?: number; fieldBytes?: number } = {},
): Buffer {
  const { magic = 0xa5ec, version = 0xc1, flags = 0x0200, fieldBytes = 0 } = change;
  const bytes = Buffer.alloc(5000);
  bytes.writeUInt16LE(magic, 0);
  bytes.writeUInt16LE(version, 2);
  bytes.writeUInt16LE(flags, 10);
  bytes.writeUInt32LE(16, 0x11a);
  bytes.writeUInt32LE(fieldBytes, 0x11e);
  return bytes;
}

function nodes(main = mainStream(), further: readonly CompoundNode[] = []): CompoundNode[] {
  return [{ name: 'WordDocument', data: main }, { name: '1Table' }, ...further];
}

/** The streams of a compound file by path, without that of the library that writes them. */
function streamsOf(bytes: Buffer): Record<string, Buffer> {
  const { '\x01Sh33tJ5': _, ...streams } = Object.fromEntries(
    readCompoundFile(bytes).map(({ path, read }) => [path.join('/'), read()]),
  );
  return streams;
}

describe('a binary Word document', () => {
  test('keeps its text streams byte for byte', async () => {
    const data = Buffer.from('pictures '.repeat(1000));
    const further = [{ name: 'Data', data }, { name: '\x05SummaryInformation' }];
    const { bytes, engineSource, dropped } = await prepare('doc', compoundTree(nodes(undefined, further)));
    expect({ engineSource, dropped }).toEqual({ engineSource: 'doc', dropped: [] });
    const kept = streamsOf(bytes);
    expect(Object.keys(kept).sort()).toEqual(['\x05SummaryInformation', '1Table', 'Data', 'WordDocument']);
    expect(kept.Data).toEqual(data);
    expect(kept.WordDocument).toEqual(mainStream());
  });

  test('loses its macros and embedded objects, which are reported, and other streams, which are not', async () => {
    const macros = { name: 'Macros', children: [{ name: 'VBA', children: [{ name: 'evil' }] }] };
    const pool = { name: 'ObjectPool', children: [{ name: '_1', children: [{ name: 'evil' }] }] };
    const others = [{ name: 'MsoDataStore', children: [{ name: 'evil' }] }, { name: '\x01CompObj' }];
    const document = compoundTree(nodes(undefined, [macros, pool, ...others]));
    const { bytes, dropped } = await prepare('doc', document);
    expect(dropped.toSorted((a, b) => a.part.localeCompare(b.part))).toEqual([
      { what: 'macro', part: 'Macros' },
      { what: 'OLE object', part: 'ObjectPool/_1' },
    ]);
    expect(Object.keys(streamsOf(bytes)).sort()).toEqual(['1Table', 'WordDocument']);
    expect(bytes.includes(Buffer.from('evil', 'utf16le'))).toBe(false);
  });

  test('loses the type of fields that would fetch, and keeps other fields', async () => {
    // Two fields, each with begin, separator and end: INCLUDEPICTURE and HYPERLINK.
    const fields = Buffer.from([0x13, 0x43, 0x14, 0xff, 0x15, 0x80, 0x13, 0x58, 0x14, 0xff, 0x15, 0x80]);
    const table = Buffer.alloc(5000);
    fields.copy(table, 16 + 4 * 7);
    const main = mainStream({ fieldBytes: 4 * 7 + fields.length });
    const document = compoundTree([
      { name: 'WordDocument', data: main },
      { name: '1Table', data: table },
    ]);
    const { bytes, dropped } = await prepare('doc', document);
    expect(dropped).toEqual([{ what: 'field', part: 'WordDocument', detail: 'INCLUDEPICTURE' }]);
    const kept = streamsOf(bytes)['1Table']?.subarray(16 + 4 * 7, 16 + 4 * 7 + fields.length);
    expect(kept?.toString('hex')).toBe('130214ff1580135814ff1580');
  });
});

describe('a field of a binary Word document', () => {
  const DATE = 0x1f;
  const SAVEDATE = 0x16;
  const PAGE = 0x21;
  const typesAfter = async (updateFields: 'none' | 'all') => {
    const fields = Buffer.from(
      [DATE, SAVEDATE, PAGE].flatMap((type) => [0x13, type, 0x14, 0xff, 0x15, 0x80]),
    );
    const table = Buffer.alloc(5000);
    const from = 16 + 4 * 10;
    fields.copy(table, from);
    const main = mainStream({ fieldBytes: 4 * 10 + fields.length });
    const { bytes, facts, dropped } = await prepare(
      'doc',
      compoundTree([
        { name: 'WordDocument', data: main },
        { name: '1Table', data: table },
      ]),
      { updateFields },
    );
    const kept = streamsOf(bytes)['1Table'];
    return { types: [0, 6, 12].map((at) => kept?.[from + at + 1]), frozen: facts?.frozenFields, dropped };
  };

  test('keeps its text without an update', async () => {
    const { types, frozen, dropped } = await typesAfter('none');
    expect({ types, frozen, dropped }).toEqual({
      types: [2, 2, PAGE],
      frozen: { DATE: 1, SAVEDATE: 1 },
      dropped: [],
    });
  });

  test('keeps its text with an update if the engine would show the moment of the conversion', async () => {
    const { types, frozen } = await typesAfter('all');
    expect({ types, frozen }).toEqual({ types: [DATE, 2, PAGE], frozen: { SAVEDATE: 1 } });
  });
});

describe('a binary Word document is rejected', () => {
  test.each([
    [
      'if it has a password',
      compoundTree(nodes(mainStream({ flags: 0x0300 }))),
      'DOCUMENT_ENCRYPTED',
      'password',
    ],
    [
      'if it wraps an encrypted DOCX',
      compoundFile(['EncryptionInfo', 'EncryptedPackage']),
      'DOCUMENT_ENCRYPTED',
      'password',
    ],
    [
      'of Word 6',
      compoundTree(nodes(mainStream({ magic: 0xa5dc, version: 0x65 }))),
      'INVALID_FILE_FORMAT',
      'Word 6',
    ],
    ['of Word 95', compoundTree(nodes(mainStream({ version: 0x68 }))), 'INVALID_FILE_FORMAT', 'Word 95'],
    ['if it is a workbook', compoundFile(['Workbook']), 'INVALID_FILE_FORMAT', 'Excel'],
    ['if it is a presentation', compoundFile(['PowerPoint Document']), 'INVALID_FILE_FORMAT', 'PowerPoint'],
    ['without its table stream', compoundTree(nodes().slice(0, 1)), 'INVALID_FILE_FORMAT', 'table stream'],
    [
      'if its text is zeros',
      compoundFile(['WordDocument', '1Table']),
      'INVALID_FILE_FORMAT',
      'header of its WordDocument stream',
    ],
    ['if it is truncated', compoundTree(nodes()).subarray(0, 3000), 'INVALID_FILE_FORMAT', 'damaged'],
    ['if it is only a header', compoundTree(nodes()).subarray(0, 100), 'INVALID_FILE_FORMAT', ''],
  ])('%s', async (_name, document, code, part) => {
    const refused = await refusal('doc', document);
    expect(refused.code).toBe(code);
    expect(refused.message).toContain(part);
  });

  /** A document with these 32-bit numbers changed. */
  function changed(...changes: readonly (readonly [at: number, value: number])[]): Buffer {
    const document = Buffer.from(intact);
    for (const [at, value] of changes) document.writeUInt32LE(value, at);
    return document;
  }
  const intact = compoundTree(nodes());
  const [FAT, DIRECTORY] = [76, 48].map((at) => 512 * (1 + intact.readUInt32LE(at))) as [number, number];
  test.each([
    ['a cyclic chain', changed([FAT + 4 * 2, 2])],
    ['a chain that leads outside the file', changed([FAT + 4 * 2, 0x00ffff00])],
    ['a cyclic directory', changed([FAT + 4, 1])],
    ['a cyclic tree', changed([DIRECTORY + 128 + 72, 1])],
    ['a tree that leads outside the directory', changed([DIRECTORY + 128 + 72, 1_000_000])],
    ['a stream longer than the file', changed([DIRECTORY + 128 + 120, 0x7fffffff])],
    ['a cyclic list of tables', changed([68, 0], [FAT + 508, 0])],
  ])('for %s', async (_name, document) => {
    const startedAt = process.cpuUsage();
    expect(await refusal('doc', document)).toMatchObject({ code: 'INVALID_FILE_FORMAT' });
    expect(cpuMsSince(startedAt)).toBeLessThan(BOMB_MS_MAX);
  });
});

test('a compound file is read as written, with streams of any lengths', () => {
  const streams = new Map(
    [0, 1, 63, 64, 65, 4095, 4096, 4097, 100_000, 8_000_000].map((bytes, i) => [
      `stream ${i}`,
      Buffer.alloc(bytes, i + 1),
    ]),
  );
  const read = streamsOf(writeCompoundFile(streams));
  expect(Object.keys(read).sort()).toEqual([...streams.keys()]);
  for (const [name, data] of streams) expect(read[name]?.equals(data)).toBe(true);
});
