import { afterEach, describe, expect, test } from '@jest/globals';
import { documentXml, docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import * as notDocx from '@scriptorium/testing/fixtures/not-docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { sanitizerThreads } from '../../src/threads/threads.ts';

const OPTIONS = { from: 'docx', revisions: 'markup', updateFields: 'none' } as const;
const never = new AbortController().signal;

let sanitizer: ReturnType<typeof sanitizerThreads> | undefined;
afterEach(() => sanitizer?.close());

function start(options: Partial<Parameters<typeof sanitizerThreads>[0]> = {}) {
  const threads = sanitizerThreads({ threads: 1, data: {}, ...options });
  sanitizer = threads;
  return {
    prepare: (bytes: Buffer, asked: typeof OPTIONS, signal: AbortSignal) =>
      threads.prepare({ bytes, options: asked }, signal),
  };
}

/** Within every limit, and a second's work: half a million paragraphs. */
const slow = zip(packageEntries({ mainXml: documentXml(Array.from({ length: 500_000 }, () => 'x')) }));

/** Content to remove at two hundred thousand places, each of which is recorded. */
const large = zip(
  packageEntries({
    mainXml: documentXml(['MARK']).replace(
      '<w:t xml:space="preserve">MARK</w:t>',
      '<w:fldSimple w:instr="DDE x"/>'.repeat(200_000),
    ),
  }),
);

describe('a sanitizer thread', () => {
  test('returns the sanitized document and its properties', async () => {
    const { bytes, engineSource, facts } = await start().prepare(docxWith(['Привет']), OPTIONS, never);
    expect(bytes.toString('latin1', 0, 2)).toBe('PK');
    expect(engineSource).toBe('docx');
    expect(facts.scripts).toEqual(['Cyrillic']);
  });

  test('leaves the caller’s bytes unchanged', async () => {
    const document = docxWith(['kept']);
    const before = Buffer.from(document);
    await start().prepare(document, OPTIONS, never);
    expect(document.equals(before)).toBe(true);
  });

  test('refuses a document with the sanitizer’s message', async () => {
    await expect(start().prepare(notDocx.xlsx(), OPTIONS, never)).rejects.toMatchObject({
      code: 'INVALID_FILE_FORMAT',
      message: expect.stringContaining('XLSX'),
    });
  });

  test('logs the cause of an internal error', async () => {
    const options = { ...OPTIONS, from: 'unheard of' } as unknown as typeof OPTIONS;
    await expect(start().prepare(docxWith(['x']), options, never)).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      cause: expect.objectContaining({ stack: expect.stringContaining('prepare.ts') }),
    });
  });

  test('serves many callers, each with their own document', async () => {
    const threads = start({ threads: 2 });
    const texts = Array.from({ length: 20 }, (_, i) => `letter ${i}`);
    const prepared = await Promise.all(
      texts.map((text) => threads.prepare(docxWith([text]), OPTIONS, never)),
    );
    for (const [index, { bytes }] of prepared.entries()) {
      const again = await threads.prepare(bytes, OPTIONS, never);
      expect(again.bytes.equals(prepared[index]?.bytes ?? Buffer.alloc(0))).toBe(true);
    }
    expect(new Set(prepared.map(({ bytes }) => bytes.toString('latin1'))).size).toBe(20);
  });

  test('is ended if it takes too long, and the next document gets another one', async () => {
    const threads = start({ timeoutMs: 100 });
    await expect(threads.prepare(slow, OPTIONS, never)).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: expect.stringContaining('0.1 seconds'),
    });
    await sanitizer?.close();
    expect((await start().prepare(docxWith(['next']), OPTIONS, never)).engineSource).toBe('docx');
  });

  test('is ended if it takes too much memory, and the next document gets another one', async () => {
    const threads = start({ heapMibMax: 24 });
    await expect(threads.prepare(large, OPTIONS, never)).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: expect.stringContaining('24 MiB'),
    });
    expect((await threads.prepare(docxWith(['next']), OPTIONS, never)).engineSource).toBe('docx');
  });

  test('is ended if its caller disconnects, and the next document gets another one', async () => {
    const caller = new AbortController();
    const threads = start();
    const pending = threads.prepare(slow, OPTIONS, caller.signal);
    setTimeout(() => caller.abort(), 200);
    await expect(pending).rejects.toMatchObject({ kind: 'aborted' });
    expect((await threads.prepare(docxWith(['next']), OPTIONS, never)).engineSource).toBe('docx');
  });
});
