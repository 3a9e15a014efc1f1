import { describe, expect, it } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { randomNumbers } from '@scriptorium/testing/random';
import type { PdfDocument } from '../../src/read/document.ts';
import { Dict, Name, PdfString, type PdfValue, Ref, Stream } from '../../src/read/values.ts';
import { followed, joined, joinedBytes, pagesOf, readerOf } from './joined.ts';

/** A value as it looks from outside, with references followed to a depth. */
function seen(document: PdfDocument, value: PdfValue, depth: number): unknown {
  if (value instanceof Ref) return depth === 0 ? '…' : seen(document, document.resolve(value), depth - 1);
  if (Array.isArray(value)) return value.map((item) => seen(document, item, depth));
  if (value instanceof Stream) return [seen(document, value.dict, depth), value.data.toString('latin1')];
  if (value instanceof PdfString) return value.bytes.toString('hex');
  if (value instanceof Name) return `/${value.text}`;
  if (!(value instanceof Dict)) return value;
  const entries = [...value.entries].filter(([key]) => key !== 'Length');
  const present = entries.map(([key, entry]) => [key, seen(document, entry.value, depth)] as const);
  return Object.fromEntries(present.filter(([, item]) => item !== null).sort());
}

const extrasOf = (bytes: Buffer, depth: number): unknown[] => {
  const { document } = readerOf(bytes);
  return pagesOf(document).map((page) => {
    const dict = document.resolve(page);
    return seen(document, dict instanceof Dict ? dict.get('Extra') : null, depth);
  });
};

/** A document whose page refers to a few objects that refer to each other at random; few differ from each other. */
function tangled(random: (below: number) => number): Buffer {
  const count = 2 + random(12);
  const target = () => `${6 + random(count)} 0 R`;
  const objects = Array.from({ length: count }, () => {
    const kind = random(5);
    if (kind === 0) return streamBody(`/X ${target()}`, Buffer.from(`data ${random(2)}`));
    if (kind === 1) return `[${target()} ${target()}]`;
    if (kind === 2) return `<</B ${random(2)}/A ${target()}/C<</D[(a\\(${random(2)}) /N#20m ${target()}]>>>>`;
    if (kind === 3) return `<</A ${target()}>>`;
    return String(random(2));
  });
  return classicPdf(onePage('/Extra 6 0 R', '', objects));
}

describe('objects of documents', () => {
  testInWhole('look the same from each page, whatever they share', () => {
    const random = randomNumbers(20);
    for (let round = 0; round < 150; round++) {
      const sources = Array.from({ length: 3 }, () => tangled(random));
      const expected = sources.flatMap((bytes) => extrasOf(bytes, 9));
      expect(extrasOf(joinedBytes(sources.map((bytes) => ({ bytes }))).bytes, 9)).toEqual(expected);
    }
  });

  testInWhole('are there once if they look the same, also in circles', () => {
    const random = randomNumbers(21);
    for (let round = 0; round < 60; round++) {
      const bytes = tangled(random);
      const [one, three] = [1, 3].map((times) => {
        const { document } = readerOf(joinedBytes(Array(times).fill({ bytes })).bytes);
        const extras = pagesOf(document).map((page) => String(followedDict(document, page)?.get('Extra')));
        return { objects: document.xref.numMax - pagesOf(document).length, extras: new Set(extras).size };
      });
      expect(three?.extras).toBe(1);
      expect(three?.objects).toBe(one?.objects);
    }
  });

  it('that differ in one byte at the end of a circle are not shared', async () => {
    const circle = (last: string) =>
      classicPdf(onePage('/Extra 6 0 R', '', ['<</A 7 0 R>>', '<</A 8 0 R>>', `<</A 6 0 R/B(${last})>>`]));
    const { document } = await joined([
      { bytes: circle('x') },
      { bytes: circle('y') },
      { bytes: circle('x') },
    ]);
    const ends = pagesOf(document).map((page) => followed(document, page, ['Extra', 'A', 'A', 'B']));
    expect(ends.map((end) => (end as PdfString).text)).toEqual(['x', 'y', 'x']);
  });

  it('are written in full: numbers, names and strings of all kinds', async () => {
    const odd =
      '[0.000000012 -5 +3 123456789012345 1e 4. .5 (a\\\\\\)\\r\\n\\053) <00FF0D> /A#23#20b true null]'.replace(
        '1e',
        '1',
      );
    const bytes = classicPdf(onePage('/Extra 6 0 R', '', [odd]));
    const { bytes: result } = await joined([{ bytes }]);
    expect(extrasOf(result, 3)).toEqual(extrasOf(bytes, 3));
  });
});

const followedDict = (document: PdfDocument, ref: Ref): Dict | undefined => {
  const value = document.resolve(ref);
  return value instanceof Dict ? value : undefined;
};
