import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { checkOutput, readOutput } from '../src/engines/output.ts';
import { requirePages } from '../src/engines/page-range.ts';
import { RED_PIXEL } from './documents.ts';

const PNG = Buffer.from(RED_PIXEL, 'base64');
const odt = (mimetype: string) =>
  zip([
    { name: 'mimetype', data: mimetype, stored: true },
    { name: 'content.xml', data: '<x/>' },
  ]);

describe('the output of an engine', () => {
  const dir = mkdtempSync(join(tmpdir(), 'output-test-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  test('is not read through a link to somewhere else', async () => {
    writeFileSync(join(dir, 'secret'), 'secret');
    symlinkSync(join(dir, 'secret'), join(dir, 'link'));
    await expect(readOutput(join(dir, 'link'))).rejects.toMatchObject({ kind: 'crashed' });
    expect((await readOutput(join(dir, 'secret'))).toString()).toBe('secret');
  });

  test('must be there and be a file', async () => {
    await expect(readOutput(join(dir, 'absent'))).rejects.toMatchObject({ kind: 'crashed' });
    await expect(readOutput(dir)).rejects.toMatchObject({ kind: 'crashed' });
  });

  test('is taken where it is what it should be', async () => {
    expect((await checkOutput('png', PNG)).bytes).toEqual(PNG);
    await checkOutput('docx', docxWith(['text']));
    await checkOutput('odt', odt('application/vnd.oasis.opendocument.text'));
    expect((await checkOutput('txt', Buffer.from('\ufeffGrüße'))).bytes.toString()).toBe('Grüße');
    expect((await checkOutput('html', Buffer.from('<p>Grüße'))).bytes.toString()).toBe('<p>Grüße');
  });

  test.each([
    ['png', 'a picture that is cut off', PNG.subarray(0, -3)],
    ['png', 'no picture', Buffer.from('GIF89a')],
    ['docx', 'an archive that is cut off', docxWith(['text']).subarray(0, -30)],
    ['docx', 'an archive without a main part', odt('application/vnd.oasis.opendocument.text')],
    ['odt', 'an archive of another kind', docxWith(['text'])],
    ['odt', 'an archive that calls itself a sheet', odt('application/vnd.oasis.opendocument.spreadsheet')],
    ['txt', 'text in another encoding', Buffer.from('Gr\xfc\xdfe', 'latin1')],
    ['pdf', 'text', Buffer.from('text')],
  ] as const)('is refused where a %s is %s', async (target, _what, bytes) => {
    await expect(checkOutput(target, bytes)).rejects.toMatchObject({ kind: 'crashed' });
  });
});

describe('a choice of pages', () => {
  test.each(['1', '3', '1-3', '2-', '3-9', '1,2,3', '1-2,3-'])('may be “%s” of three', (range) => {
    expect(() => requirePages(range, 3)).not.toThrow();
  });

  test.each([
    ['4', 4],
    ['1-2,5-6', 5],
    ['10-', 10],
  ])('may not be “%s” of three', (range, page) => {
    expect(() => requirePages(range, 3)).toThrow(
      expect.objectContaining({ kind: 'no-such-page', page, documentPages: 3 }),
    );
  });
});
