import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { checkOutput, readOutput } from '../../src/engines/output.ts';
import { requirePages } from '../../src/engines/page-range.ts';
import { RED_PIXEL } from '../rigs/documents.ts';

const PNG = Buffer.from(RED_PIXEL, 'base64');
const odt = (mimetype: string) =>
  zip([
    { name: 'mimetype', data: mimetype, stored: true },
    { name: 'content.xml', data: '<x/>' },
  ]);

describe('the output of an engine', () => {
  const dir = mkdtempSync(join(tmpdir(), 'output-test-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  test('is not read through a symbolic link', async () => {
    writeFileSync(join(dir, 'secret'), 'secret');
    symlinkSync(join(dir, 'secret'), join(dir, 'link'));
    await expect(readOutput(join(dir, 'link'))).rejects.toMatchObject({ kind: 'crashed' });
    expect((await readOutput(join(dir, 'secret'))).toString()).toBe('secret');
  });

  test('must exist and be a regular file', async () => {
    await expect(readOutput(join(dir, 'absent'))).rejects.toMatchObject({ kind: 'crashed' });
    await expect(readOutput(dir)).rejects.toMatchObject({ kind: 'crashed' });
  });

  test('is accepted if it is valid', async () => {
    expect((await checkOutput('png', PNG)).bytes).toEqual(PNG);
    await checkOutput('docx', docxWith(['text']));
    await checkOutput('odt', odt('application/vnd.oasis.opendocument.text'));
    expect((await checkOutput('txt', Buffer.from('\ufeffGrüße'))).bytes.toString()).toBe('Grüße');
    expect((await checkOutput('html', Buffer.from('<p>Grüße'))).bytes.toString()).toBe('<p>Grüße');
  });

  test.each([
    ['png', 'a truncated image', PNG.subarray(0, -3)],
    ['png', 'not an image', Buffer.from('GIF89a')],
    ['docx', 'a truncated archive', docxWith(['text']).subarray(0, -30)],
    ['docx', 'an archive without a main part', odt('application/vnd.oasis.opendocument.text')],
    ['odt', 'an archive of another format', docxWith(['text'])],
    ['odt', 'an archive of a spreadsheet type', odt('application/vnd.oasis.opendocument.spreadsheet')],
    ['txt', 'text in another encoding', Buffer.from('Gr\xfc\xdfe', 'latin1')],
    ['pdf', 'text', Buffer.from('text')],
  ] as const)('is refused if a %s is %s', async (target, _what, bytes) => {
    await expect(checkOutput(target, bytes)).rejects.toMatchObject({ kind: 'crashed' });
  });
});

describe('a page range', () => {
  test.each(['1', '3', '1-3', '2-', '3-9', '1,2,3', '1-2,3-'])('may be “%s” of three pages', (range) => {
    expect(() => requirePages(range, 3)).not.toThrow();
  });

  test.each([
    ['4', 4],
    ['1-2,5-6', 5],
    ['10-', 10],
  ])('must not be “%s” of three pages', (range, page) => {
    expect(() => requirePages(range, 3)).toThrow(
      expect.objectContaining({ kind: 'no-such-page', page, documentPages: 3 }),
    );
  });
});
