import { afterAll, describe, expect, test } from '@jest/globals';
import { packParts } from '@scriptorium/contracts/pack';
import { openPdf, PdfString } from '@scriptorium/pdf/read';
import { encryptedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import { pageSizes, textFrom } from '@scriptorium/testing/pdf-reading';
import { joinHandler, joinRowsHandler } from '../src/join-pdfs.ts';
import { Joiner } from '../src/joiner.ts';

/** All tests use it, so that its thread has made other files before, and failed. */
const joiner = new Joiner({ filesMax: 5 });
afterAll(() => joiner.close());

/** A PDF with one page that shows a text, and more objects and keys of its catalog and its trailer. */
function pdfWith(text: string, { objects: more = [] as string[], catalog = '', trailer = '' } = {}): Buffer {
  const content = `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`;
  const objects = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...more,
  ];
  let file = '%PDF-1.7\n';
  const places = objects.map((object, at) => {
    const place = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const start = file.length;
  const lines = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${lines}trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

/** The context of a job, and what it keeps. */
function contextOf(signal: AbortSignal) {
  const kept: Buffer[] = [];
  const keep = (bytes: Buffer) => ({ key: String(kept.push(bytes)), bytes: bytes.length });
  return { kept, context: { requestId: 'req_1', deadlineAt: Date.now() + 60_000, signal, keep } };
}

async function stored(contents: readonly Buffer[]) {
  const blobs = createMemoryBlobStore();
  const refs = await Promise.all(
    contents.map(async (bytes, at) => {
      await blobs.put(`blob.${at}`, bytes, 60_000);
      return { key: `blob.${at}`, bytes: bytes.length };
    }),
  );
  return { blobs, refs };
}

async function joinPacks(
  packs: readonly { texts: string[]; pdfs?: Buffer[] }[],
  { bytesMax = 10_000_000, signal = new AbortController().signal } = {},
) {
  const contents = packs.map(({ texts, pdfs = texts.map((text) => pdfWith(text)) }) =>
    packParts([Buffer.from(JSON.stringify(texts)), ...pdfs]),
  );
  const { blobs, refs } = await stored(contents);
  const { kept, context } = contextOf(signal);
  const { output } = await joinRowsHandler(joiner, blobs)(
    { packs: refs, bytesMax, title: 'Documents' },
    context,
  );
  return { pdf: kept[0] ?? Buffer.alloc(0), warnings: output.warnings };
}

/** The title in the information dictionary. */
function titleOf(pdf: Buffer): string | undefined {
  const { document } = openPdf(pdf);
  const info = document.dict(document.trailer, 'Info');
  const title = info && document.get(info, 'Title');
  return title instanceof PdfString ? title.text : undefined;
}

const titled = (text: string, title: string) =>
  pdfWith(text, { objects: [`<</Title(${title})>>`], trailer: '/Info 6 0 R' });
const withField = (text: string) =>
  pdfWith(text, { objects: ['<</FT/Tx/T(name)/V(value)>>'], catalog: '/AcroForm<</Fields[6 0 R]>>' });

describe('joining the documents of a batch', () => {
  test('makes one PDF with the pages of all packs in order, and a bookmark for each', async () => {
    const packs = [['one', 'two'], ['three'], ['four', 'five']].map((texts) => ({ texts }));
    const { pdf, warnings } = await joinPacks(packs);
    expect(await pageSizes(pdf)).toHaveLength(5);
    for (const [at, text] of ['one', 'two', 'three', 'four', 'five'].entries())
      expect(await textFrom(pdf, at + 1)).toContain(text);
    expect(warnings).toEqual([]);
  });

  test('gives the PDF the title that all documents have, or else that of the request', async () => {
    const titleWith = async (...pdfs: Buffer[]) =>
      titleOf((await joinPacks([{ texts: pdfs.map((_, at) => String(at)), pdfs }])).pdf);
    expect(await titleWith(titled('one', 'Letter'), titled('two', 'Letter'))).toBe('Letter');
    expect(await titleWith(titled('one', 'Letter 1'), titled('two', 'Letter 2'))).toBe('Documents');
    expect(await titleWith(pdfWith('one'), pdfWith('two'))).toBe('Documents');
  });

  test('reports what the PDF lacks', async () => {
    const pdfs = ['one', 'two', 'three'].map(withField);
    const { warnings } = await joinPacks([{ texts: ['1', '2', '3'], pdfs }]);
    expect(warnings).toEqual(['FIELDS_RENAMED']);
  });

  test('is refused beyond the limit on its size', async () => {
    const joining = joinPacks([{ texts: ['one', 'two'] }], { bytesMax: 500 });
    await expect(joining).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test('ends when it is aborted', async () => {
    const joining = joinPacks([{ texts: ['one'] }], { signal: AbortSignal.abort() });
    await expect(joining).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });
});

describe('joining the parts of a merge', () => {
  const joinParts = async (parts: readonly { pdf: Buffer; document: number; isMade?: boolean }[]) => {
    const { blobs, refs } = await stored(parts.map(({ pdf }) => pdf));
    const { kept, context } = contextOf(new AbortController().signal);
    const sources = refs.map((source, at) => ({
      source,
      document: parts[at]?.document ?? 0,
      isMade: parts[at]?.isMade ?? false,
    }));
    const input = { parts: sources, bytesMax: 10_000_000, titleIfNone: 'Merged' };
    const { output } = await joinHandler(joiner, blobs)(input, context);
    return { pdf: kept[0] ?? Buffer.alloc(0), ...output };
  };

  test('makes one PDF in order, with the title of the first document', async () => {
    const parts = ['one', 'two', 'three'].map((text, document) => ({ pdf: titled(text, text), document }));
    const { pdf, pages, warnings } = await joinParts(parts);
    expect(pages).toBe(3);
    for (const [at, text] of ['one', 'two', 'three'].entries())
      expect(await textFrom(pdf, at + 1)).toContain(text);
    expect(titleOf(pdf)).toBe('one');
    expect(warnings).toEqual([]);
    const untitled = await joinParts([{ pdf: pdfWith('one'), document: 0 }, ...parts.slice(1)]);
    expect(titleOf(untitled.pdf)).toBe('Merged');
  });

  test('names the document of a warning by its place in the request', async () => {
    const { warnings } = await joinParts([
      { pdf: withField('one'), document: 0 },
      { pdf: pdfWith('two'), document: 1, isMade: true },
      { pdf: withField('three'), document: 4 },
    ]);
    expect(warnings).toEqual([expect.objectContaining({ document: 4, code: 'FIELDS_RENAMED' })]);
  });

  const signature = '<</Type/Sig/Filter/Adobe.PPKLite/Contents<00>/ByteRange[0 1 2 3]>>';
  const signed = () =>
    pdfWith('signed', {
      objects: ['<</FT/Sig/T(s)/V 7 0 R>>', signature],
      catalog: '/AcroForm<</SigFlags 3/Fields[6 0 R]>>',
    });
  test.each<[string, () => Buffer | Promise<Buffer>, string]>([
    ['is encrypted', encryptedPdf, 'DOCUMENT_ENCRYPTED'],
    ['is signed', signed, 'UNPROCESSABLE'],
    ['is damaged', () => Buffer.from('%PDF-1.7 and nothing else'), 'INVALID_FILE_FORMAT'],
    ['is cut off', () => pdfWith('cut').subarray(0, 60), 'INVALID_FILE_FORMAT'],
  ])('refuses a PDF that %s, with its place in the request', async (_name, broken, code) => {
    const parts = [
      { pdf: pdfWith('one'), document: 0, isMade: true },
      { pdf: await broken(), document: 3 },
    ];
    await expect(joinParts(parts)).rejects.toMatchObject({ code, details: [{ field: 'documents[3]' }] });
  });

  test('does not blame the caller for a PDF that the service made', async () => {
    const parts = [{ pdf: Buffer.from('%PDF-1.7 and nothing else'), document: 0, isMade: true }];
    await expect(joinParts(parts)).rejects.toMatchObject({ code: 'INTERNAL_ERROR', details: undefined });
  });
});

test('a thread that lacks a document makes no file', async () => {
  const thread = await import('../src/join-thread.ts');
  const bytes = pdfWith('one');
  thread.add({ bytes, place: { document: 0, isMade: true }, options: { bytesMax: 1e6 } });
  expect(() => thread.finish({ calls: 2 })).toThrow('the thread has what 1 of 2 calls gave it');
  expect(thread.finish({ calls: 1 }).pages).toBe(1);
  expect(bytes.equals(Buffer.alloc(bytes.length))).toBe(true);
  // The next file has nothing of this one.
  expect(() => thread.finish({ calls: 1 })).toThrow('the thread has what 0 of 1 calls gave it');
});
