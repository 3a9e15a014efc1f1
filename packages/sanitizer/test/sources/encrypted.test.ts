import { beforeAll, describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { agileEncrypted } from '@scriptorium/testing/fixtures/agile-encrypted';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { presentationWith, textShape } from '@scriptorium/testing/fixtures/presentation';
import { textCell, workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { encryptedByLibreOffice } from '@scriptorium/testing/producers/libreoffice';
import { decryptPackage } from '../../src/sources/encrypted/decrypt-package.ts';
import { spin } from '../../src/sources/encrypted/spin.ts';
import { partsOf, prepare, refusal } from './sanitizer-under-test.ts';

const docx = docxWith(Array.from({ length: 300 }, (_, at) => `Paragraph ${at} ${Math.sin(at)}`));
const PASSWORD = 'Schlüssel 🗝 1';

const codeOf = (bytes: Buffer, password?: string): unknown => {
  try {
    return decryptPackage(bytes, password).length;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

/** The same bytes with some of them changed, from the first place of a text. */
function changed(bytes: Buffer, text: string, to: string): Buffer {
  const at = bytes.indexOf(text, 0, 'latin1');
  expect(at).toBeGreaterThan(0);
  const copy = Buffer.from(bytes);
  copy.write(to, at, 'latin1');
  return copy;
}

describe('a DOCX that is encrypted as Word does', () => {
  const encrypted = agileEncrypted(docx, PASSWORD);

  test('is decrypted with its password only', () => {
    expect(docx.length).toBeGreaterThan(4_096);
    expect(decryptPackage(encrypted, PASSWORD).equals(docx)).toBe(true);
    expect(codeOf(encrypted)).toBe('PASSWORD_REQUIRED');
    for (const wrong of ['', PASSWORD.toLowerCase(), `${PASSWORD} `, 'x'.repeat(10_000)])
      expect(codeOf(encrypted, wrong)).toBe('PASSWORD_WRONG');
  });

  test.each([
    ['cipherAlgorithm="AES"', 'cipherAlgorithm="RC2"', 'DOCUMENT_ENCRYPTED'],
    ['ChainingModeCBC', 'ChainingModeCFB', 'DOCUMENT_ENCRYPTED'],
    ['hashAlgorithm="SHA512"', 'hashAlgorithm="MD2222"', 'DOCUMENT_ENCRYPTED'],
    ['keyBits="256"', 'keyBits="255"', 'DOCUMENT_ENCRYPTED'],
    ['spinCount="1000"', 'spinCount="-100"', 'DOCUMENT_ENCRYPTED'],
    ['p:encryptedKey', 'p:encryptedKex', 'DOCUMENT_ENCRYPTED'],
    ['<keyData', '<?eyData', 'INVALID_FILE_FORMAT'],
    ['encryptedHmacValue="', 'encryptedHmacValux="', 'INVALID_FILE_FORMAT'],
    ['saltValue="', 'saltValue=<', 'INVALID_FILE_FORMAT'],
    ['</encryption>', '</encryptiom>', 'INVALID_FILE_FORMAT'],
  ])('with %s changed to %s is refused', (text, to, code) => {
    expect(codeOf(changed(encrypted, text, to), PASSWORD)).toBe(code);
  });

  test('with rounds that would take minutes, or two passwords, is refused', () => {
    expect(codeOf(agileEncrypted(docx, PASSWORD, { spins: 10_000_000 }), PASSWORD)).toBe(
      'DOCUMENT_ENCRYPTED',
    );
    const more = '<keyEncryptor uri="x"><p:encryptedKey spinCount="1" saltValue="AAAA"/></keyEncryptor>';
    expect(codeOf(agileEncrypted(docx, PASSWORD, { more }), PASSWORD)).toBe('INVALID_FILE_FORMAT');
  });

  test('with rounds that take more than a second of processor time is refused then', () => {
    const start = process.cpuUsage();
    expect(() => spin('sha512', Buffer.alloc(64), 100_000_000)).toThrow(
      expect.objectContaining({ code: 'DOCUMENT_TOO_COMPLEX' }),
    );
    expect(cpuMsSince(start)).toBeLessThan(3_000);
  });

  test('that was changed or cut anywhere is never accepted as another document', () => {
    for (let at = 0; at < 400; at++) {
      const place = Math.floor((encrypted.length * at) / 400);
      const flipped = Buffer.from(encrypted);
      flipped[place] = (flipped[place] ?? 0) ^ 0x10;
      for (const bytes of [flipped, encrypted.subarray(0, place)]) {
        const result = codeOf(bytes, PASSWORD);
        // Bytes between the streams mean nothing. What is no longer an encrypted package is not touched.
        if (typeof result === 'number') expect([docx.length, bytes.length]).toContain(result);
        else expect(result).toMatch(/^(INVALID_FILE_FORMAT|DOCUMENT_ENCRYPTED|PASSWORD_WRONG)$/);
      }
    }
  });
});

describe('a document that LibreOffice encrypted', () => {
  const sheet = workbookWith({ sheets: [{ rows: `<row r="1">${textCell('A1', 'Budget')}</row>` }] });
  const slide = presentationWith({ slides: [{ shapes: textShape('Strategy') }] });
  const sources = [
    { bytes: docx, from: 'docx', to: 'docx', text: 'Paragraph 1', part: 'word/document.xml' },
    { bytes: sheet, from: 'xlsx', to: 'xlsx', text: 'Budget', part: 'xl/sharedStrings.xml' },
    { bytes: slide, from: 'pptx', to: 'pptx', text: 'Strategy', part: 'ppt/slides/slide1.xml' },
    { bytes: docx, from: 'docx', to: 'odt' },
    { bytes: docx, from: 'docx', to: 'doc' },
  ] as const;
  let encrypted: Buffer[] = [];

  beforeAll(async () => {
    encrypted = await encryptedByLibreOffice(PASSWORD, sources);
  });

  test.each([0, 1, 2])('is opened with its password only, if it is a package of Office (%i)', async (at) => {
    const { to, text, part } = sources[at as 0];
    const bytes = encrypted[at] ?? Buffer.alloc(0);
    expect((await partsOf((await prepare(to, bytes, { password: PASSWORD })).bytes))[part]).toContain(text);
    expect((await refusal(to, bytes)).code).toBe('PASSWORD_REQUIRED');
    expect((await refusal(to, bytes, { password: 'Schluessel' })).code).toBe('PASSWORD_WRONG');
  });

  test.each([3, 4])('is refused by name, if it is another one (%i)', async (at) => {
    const { code, message } = await refusal(sources[at as 3].to, encrypted[at] ?? '');
    expect(code).toBe('DOCUMENT_ENCRYPTED');
    expect(message).toMatch(
      /^The file is (an OpenDocument text \(ODT\)|a binary Word 97–2003 document \(\.doc\)), protected by a password\. Only packages/,
    );
  });

  test('is opened without a password if Excel encrypted it without one', async () => {
    const { bytes } = await prepare('xlsm', agileEncrypted(sheet, 'VelvetSweatshop'));
    expect((await partsOf(bytes))['xl/worksheets/sheet1.xml']).toContain('Budget');
    expect((await refusal('docx', agileEncrypted(docx, 'VelvetSweatshop'))).code).toBe('PASSWORD_REQUIRED');
  });

  test('is of the format that it claims, under its encryption', async () => {
    const wrong = await refusal('pptx', agileEncrypted(docx, PASSWORD), { password: PASSWORD });
    expect(wrong).toEqual({
      code: 'INVALID_FILE_FORMAT',
      message: 'The file is a Word document (DOCX), not a PowerPoint presentation (PPTX).',
    });
  });
});
