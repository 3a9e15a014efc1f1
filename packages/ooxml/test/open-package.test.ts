import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { compoundFile } from '@scriptorium/testing/fixtures/cfb';
import { DOCX_MAIN_TYPE, docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import * as notDocx from '@scriptorium/testing/fixtures/not-docx';
import { type ZipEntry, zip } from '@scriptorium/testing/fixtures/zip';
import { OoxmlError, type OoxmlErrorCode } from '../src/ooxml-error.ts';
import { openPackage } from '../src/open-package.ts';
import { writePackage } from '../src/write-package.ts';

const REL = 'http://schemas.openxmlformats.org/package/2006/relationships';
const CT = 'http://schemas.openxmlformats.org/package/2006/content-types';

async function refusal(bytes: Uint8Array): Promise<{ code: OoxmlErrorCode; message: string }> {
  const error = await openPackage(bytes).then(
    ({ main }) => `opened ${main.name}`,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OoxmlError)) throw new Error(`Expected an OoxmlError, got: ${error}`);
  return { code: error.code, message: error.message };
}

/** A DOCX in which one part has other content. */
function withPart(name: string, data: string | Uint8Array, change: Partial<ZipEntry> = {}): Buffer {
  const entries = packageEntries();
  return zip(entries.map((entry) => (entry.name === name ? { ...entry, data, ...change } : entry)));
}

describe('openPackage accepts', () => {
  test.each([
    ['a document', docxWith(['Hello'])],
    ['a document of the Strict variant', zip(packageEntries({ strict: true }))],
    ['a main part of another name', zip(packageEntries({ mainPart: 'word/document2.xml' }))],
    ['stored entries', zip(packageEntries().map((entry) => ({ ...entry, stored: true })))],
    ['parts in another order', zip(packageEntries().reverse())],
    ['part names in another case', withRenamedParts((name) => name.toUpperCase())],
    ['part names with backslashes', withRenamedParts((name) => name.replaceAll('/', '\\'))],
    ['a line end after the archive', Buffer.concat([docxWith(['Hello']), Buffer.from('\r\n')])],
    ['content types in UTF-16', withPart('[Content_Types].xml', utf16(contentTypes(DOCX_MAIN_TYPE)))],
  ])('%s', async (_name, bytes) => {
    expect((await openPackage(bytes)).main.xml).toContain('w:document');
  });

  test.each([
    'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml',
    'application/vnd.ms-word.document.macroEnabled.main+xml',
    'application/vnd.ms-word.template.macroEnabledTemplate.main+xml',
  ])('a main part of type %s', async (mainType) => {
    expect((await openPackage(zip(packageEntries({ mainType })))).main.contentType).toBe(
      mainType.toLowerCase(),
    );
  });

  test('accepts a view into a larger buffer', async () => {
    const bytes = docxWith(['Hello']);
    const around = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
    const view = new Uint8Array(around.buffer, around.byteOffset + 6, bytes.length);
    expect((await openPackage(view)).main.xml).toContain('Hello');
  });

  test('accepts a default content type if no override names the main part', async () => {
    const types = `<Types xmlns="${CT}"><Default Extension="xml" ContentType="${DOCX_MAIN_TYPE}"/></Types>`;
    expect((await openPackage(withPart('[Content_Types].xml', types))).main.contentType).toBe(DOCX_MAIN_TYPE);
  });
});

describe('the error of openPackage names', () => {
  test.each([
    ['an empty file', Buffer.alloc(0), 'The file is empty.'],
    ['a PDF', notDocx.pdf(), 'a PDF'],
    ['a workbook', notDocx.xlsx(), 'XLSX'],
    ['a presentation', notDocx.pptx(), 'PPTX'],
    ['an OpenDocument text', notDocx.odt(), 'ODT'],
    ['a PNG image', notDocx.png(), 'a PNG image'],
    ['a JPEG image', notDocx.jpeg(), 'a JPEG image'],
    ['an HTML page', notDocx.html(), 'an HTML page'],
    ['an HTML page with a byte order mark', Buffer.from('\ufeff\n<HTML>'), 'an HTML page'],
    ['an RTF document', notDocx.rtf(), 'an RTF document'],
    ['plain text', notDocx.text(), 'plain text'],
    [
      'text in UTF-16',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Hello', 'utf16le')]),
      'plain text',
    ],
    ['text cut inside a character', Buffer.from('ä'.repeat(4000)).subarray(0, 4095), 'plain text'],
    ['flat Word XML', Buffer.from('<?xml version="1.0"?><w:wordDocument/>'), 'an XML file'],
    ['Base64 text', Buffer.from(docxWith(['x']).toString('base64')), 'Base64'],
    ['a binary Word document', notDocx.oldDoc(), '.doc'],
    ['a lock file', notDocx.lockFile(), 'lock file'],
    ['a zip archive of other things', notDocx.plainZip(), 'a ZIP archive'],
    ['an empty zip archive', zip([]), 'an empty ZIP archive'],
    [
      'random bytes as a file of unknown type',
      Buffer.from('0102030405060708090a0b0c', 'hex'),
      'of an unknown type',
    ],
    ['a single byte', Buffer.from([0x50]), 'plain text'],
  ])('%s', async (_name, bytes, says) => {
    const { code, message } = await refusal(bytes);
    expect(code).toBe('INVALID_FILE_FORMAT');
    expect(message).toContain(says);
  });
});

describe('openPackage reports DOCUMENT_ENCRYPTED for a document', () => {
  test.each([
    ['under a password', notDocx.passwordProtectedDocx()],
    ['under rights management', notDocx.rightsManagedDocx()],
    ['with only the data spaces of rights management', compoundFile(['\x06DataSpaces'])],
    ['in an encrypted zip archive', notDocx.zipEncryptedDocx()],
    [
      'in a strongly encrypted zip archive',
      zip(packageEntries().map((entry) => ({ ...entry, flags: 0x41 }))),
    ],
  ])('%s', async (_name, bytes) => {
    expect((await refusal(bytes)).code).toBe('DOCUMENT_ENCRYPTED');
  });

  test('does not mistake the word EncryptedPackage in a binary document for encryption', async () => {
    const bytes = notDocx.oldDoc();
    bytes.write('EncryptedPackage\0', bytes.length - 200, 'utf16le');
    expect((await refusal(bytes)).code).toBe('INVALID_FILE_FORMAT');
  });
});

describe('openPackage refuses a damaged document', () => {
  test('cut off at any byte', async () => {
    const bytes = docxWith(['A document that was cut off on its way.']);
    for (let length = 1; length < bytes.length; length++) {
      expect((await refusal(bytes.subarray(0, length))).code).toBe('INVALID_FILE_FORMAT');
    }
  });

  test.each([
    ['an entry that reaches past the end', withoutMiddle(docxWith(['x'.repeat(5000)]))],
    ['other data after the archive', Buffer.concat([docxWith(['x']), Buffer.from('more')])],
    ['the same part twice', zip([...packageEntries(), { name: 'WORD/document.xml', data: '<x/>' }])],
    ['a part name that climbs out', zip([...packageEntries(), { name: '../../etc/passwd', data: '' }])],
    ['no relationships', zip(packageEntries().filter((entry) => entry.name !== '_rels/.rels'))],
    ['no main part', zip(packageEntries().filter((entry) => entry.name !== 'word/document.xml'))],
    ['no relationship to a main part', withPart('_rels/.rels', `<Relationships xmlns="${REL}"/>`)],
    ['relationships that are not XML', withPart('_rels/.rels', '<Relationships <')],
    ['relationships that are not UTF-8', withPart('_rels/.rels', Buffer.from('<a b="\xff"/>', 'latin1'))],
    ['a DOCTYPE', withPart('_rels/.rels', '<!DOCTYPE x [<!ENTITY a "b">]><Relationships/>')],
    ['an external main part', withPart('_rels/.rels', mainRelationship('http://example.com/', 'External'))],
    ['a main part at a malformed address', withPart('_rels/.rels', mainRelationship('%zz'))],
    ['a size that is wrong', withPart('_rels/.rels', `<Relationships xmlns="${REL}"/>`, { claimedSize: 5 })],
  ])('with %s', async (_name, bytes) => {
    expect((await refusal(bytes)).code).toBe('INVALID_FILE_FORMAT');
  });

  test('with a changed byte in a part that is read', async () => {
    const bytes = zip(packageEntries().map((entry) => ({ ...entry, stored: true })));
    const at = bytes.indexOf('ContentType=');
    bytes.write('X', at);
    expect((await refusal(bytes)).message).toContain('checksum');
  });
});

describe('openPackage repairs relationships', () => {
  const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relationship = (id: string, type: string, target?: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}"${target === undefined ? '' : ` Target="${target}"`}/>`;
  const opened = (...items: string[]) => {
    const data = `<Relationships xmlns="${REL}">${items.join('')}</Relationships>`;
    const parts = [
      { name: 'word/_rels/document.xml.rels', data },
      { name: 'word/header1.xml', data: '<a/>' },
      { name: 'word/header2.xml', data: '<b/>' },
    ];
    return openPackage(zip(packageEntries({ parts })));
  };

  test('that have no target, with a warning', async () => {
    const { main, dropped } = await opened(
      relationship('rId1', 'header'),
      relationship('rId2', 'header', 'header2.xml'),
    );
    expect(main.relationships.list.map(({ id }) => id)).toEqual(['rId2']);
    expect(dropped).toEqual([
      { what: 'damaged relationship', part: 'word/_rels/document.xml.rels', detail: 'rId1' },
    ]);
  });

  test('of one id: the first one stays, also in what is written', async () => {
    const document = await opened(
      relationship('rId1', 'header', 'header1.xml'),
      relationship('rId1', 'header', 'header2.xml'),
    );
    expect(document.dropped).toMatchObject([{ what: 'damaged relationship', detail: 'rId1' }]);
    const written = await openPackage(writePackage(document, { isCompressed: true }));
    expect(written.dropped).toEqual([]);
    expect([...written.parts.keys()].filter((key) => key.includes('header'))).toEqual(['word/header1.xml']);
  });
});

describe('alternative content', () => {
  const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const html = '<!DOCTYPE html><html><img src="a.png"><br>é</html>';
  const opened = (...kinds: string[]) => {
    const items = kinds.map(
      (kind, at) => `<Relationship Id="r${at}" Type="${OFFICE}/${kind}" Target="part.htm"/>`,
    );
    const data = `<Relationships xmlns="${REL}">${items.join('')}</Relationships>`;
    const parts = [
      { name: 'word/_rels/document.xml.rels', data },
      { name: 'word/part.htm', data: html },
    ];
    return openPackage(zip(packageEntries({ parts })));
  };

  test('in HTML keeps its bytes, because HTML is not XML', async () => {
    const { parts } = await opened('aFChunk');
    expect(parts.get('word/part.htm')).toMatchObject({
      bytes: Buffer.from(html),
      relationships: { list: [] },
    });
    expect(parts.get('word/part.htm')?.xml).toBeUndefined();
  });

  test.each([[['header', 'aFChunk']], [['aFChunk', 'header']]])(
    'that is also the target of another relationship is read as XML: %j',
    async (kinds) => {
      await expect(opened(...kinds)).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT' });
    },
  );
});

describe('openPackage', () => {
  test('refuses more than 5,000 entries', async () => {
    const parts = Array.from({ length: 5_000 }, (_, i) => ({ name: `word/${i}`, data: '', stored: true }));
    const { code, message } = await refusal(zip(packageEntries({ parts })));
    expect(code).toBe('DOCUMENT_TOO_COMPLEX');
    expect(message).toContain('5,000');
  });

  test('reads tags, quotes and entities in linear time', async () => {
    const hostile = ['<a '.repeat(300_000), `<a b="${'&amp;'.repeat(200_000)}"`, '<!--'.repeat(250_000)];
    for (const xml of hostile) {
      const started = process.cpuUsage();
      expect((await refusal(withPart('_rels/.rels', xml))).code).toBe('INVALID_FILE_FORMAT');
      expect(cpuMsSince(started)).toBeLessThan(4_000);
    }
  });
});

function withRenamedParts(rename: (name: string) => string): Buffer {
  return zip(packageEntries().map((entry) => ({ ...entry, name: rename(entry.name) })));
}

function contentTypes(mainType: string): string {
  return `<Types xmlns="${CT}"><Override PartName="/word/document.xml" ContentType="${mainType}"/></Types>`;
}

function utf16(text: string): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
}

function mainRelationship(target: string, mode = 'Internal'): string {
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
  return `<Relationships xmlns="${REL}"><Relationship Id="rId1" Type="${type}" Target="${target}" TargetMode="${mode}"/></Relationships>`;
}

/** Truncated local entries with an intact directory and end record, as a resumed download leaves them. */
function withoutMiddle(bytes: Buffer): Buffer {
  const directory = bytes.indexOf('PK\x01\x02', 0, 'latin1');
  const kept = Buffer.concat([bytes.subarray(0, 60), bytes.subarray(directory)]);
  kept.writeUInt32LE(60, kept.length - 6);
  return kept;
}
