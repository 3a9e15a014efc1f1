import { describe, expect, test } from '@jest/globals';
import { createMemoryBlobStore } from '@scriptorium/shared/blob/memory';
import { packParts } from '@scriptorium/shared/blob/pack';
import { pageSizes, textFrom } from '@scriptorium/testing/pdf-reading';
import { joinRowsHandler } from '../src/join-rows.ts';

/** A PDF with one page that shows a text. */
function pdfWith(text: string): Buffer {
  const content = `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let file = '%PDF-1.7\n';
  const places = objects.map((object, at) => {
    const place = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const start = file.length;
  const lines = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 6\n0000000000 65535 f \n${lines}trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

async function join(packs: string[][], bytesMax = 10_000_000, signal = new AbortController().signal) {
  const blobs = createMemoryBlobStore();
  const refs = await Promise.all(
    packs.map(async (texts, at) => {
      const bytes = packParts([Buffer.from(JSON.stringify(texts)), ...texts.map(pdfWith)]);
      await blobs.put(`pack.${at}`, bytes, 60_000);
      return { key: `pack.${at}`, bytes: bytes.length };
    }),
  );
  const kept: Buffer[] = [];
  const keep = (bytes: Buffer) => ({ key: String(kept.push(bytes)), bytes: bytes.length });
  const context = { requestId: 'req_1', deadlineAt: Date.now() + 60_000, signal, keep };
  await joinRowsHandler(blobs)({ packs: refs, bytesMax }, context);
  return kept[0] ?? Buffer.alloc(0);
}

describe('joining the documents of a batch', () => {
  test('makes one PDF with the pages of all packs in order, and a bookmark for each', async () => {
    const pdf = await join([['one', 'two'], ['three'], ['four', 'five']]);
    expect(await pageSizes(pdf)).toHaveLength(5);
    for (const [at, text] of ['one', 'two', 'three', 'four', 'five'].entries())
      expect(await textFrom(pdf, at + 1)).toContain(text);
  });

  test('is refused beyond the limit on its size', async () => {
    await expect(join([['one', 'two']], 500)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test('ends when it is aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(join([['one']], 10_000_000, signal)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });
});
