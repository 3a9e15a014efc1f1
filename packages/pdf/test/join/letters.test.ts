import { beforeAll, expect, it } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { docxOfPictures, noisePng } from '@scriptorium/testing/fixtures/picture';
import { pdfText } from '@scriptorium/testing/judges/pdf';
import { officePdfs } from '@scriptorium/testing/office';
import { drawingComplaints, fontsFrom } from '@scriptorium/testing/pdf-reading';
import { Dict, type PdfValue, Ref, Stream } from '../../src/read/values.ts';
import { followed, joined, joinedBytes, pagesOf } from './joined.ts';

const LETTERS = 20;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 .,';
const logo = noisePng(100);
const letter = (number: number): Buffer =>
  docxOfPictures(
    [logo],
    [ALPHABET, `Dear customer ${number},`, 'thank you for your order.', `No. ${number * 7919}`],
  );

let plain: Buffer[];
let archived: Buffer[];
beforeAll(async () => {
  const letters = Array.from({ length: LETTERS }, (_, number) => letter(number));
  const option = (type: string, value: string) => ({ type, value });
  const pdfa = { SelectPdfVersion: option('long', '2'), PDFUACompliance: option('boolean', 'true') };
  plain = await officePdfs(letters);
  archived = await officePdfs(letters.slice(0, 3), pdfa);
});

testInWhole('joined letters have their texts, and neither poppler nor MuPDF complains', async () => {
  const { bytes, pages } = await joined(
    plain.map((pdf, number) => ({ bytes: pdf, title: `Letter ${number}` })),
  );
  expect(pages).toBe(LETTERS);
  const texts = await Promise.all(plain.map((pdf) => pdfText(pdf)));
  expect(await pdfText(bytes)).toBe(texts.join(''));
  for (const page of [1, LETTERS]) expect(await drawingComplaints(bytes, page)).toBe('');
  expect((await fontsFrom(bytes, 1)).every(({ isEmbedded, hasUnicode }) => isEmbedded && hasUnicode)).toBe(
    true,
  );
});

it('joined letters have the fonts and the logo that they share once', () => {
  const sum = plain.reduce((bytes, pdf) => bytes + pdf.length, 0);
  const largest = Math.max(...plain.map(({ length }) => length));
  const { bytes } = joinedBytes(plain.map((pdf) => ({ bytes: pdf })));
  expect(bytes.length).toBeLessThan(largest + 0.1 * sum);
});

it('each marked content of joined letters has an element of its own, of its page', async () => {
  const { document, at } = await joined(plain.map((pdf) => ({ bytes: pdf })));
  const nums = at('StructTreeRoot', 'ParentTree', 'Nums') as PdfValue[];
  const found = new Set<PdfValue>();
  let count = 0;
  for (const page of pagesOf(document)) {
    const key = followed(document, page, ['StructParents']);
    const elements = document.resolve(nums[nums.indexOf(key) + 1] ?? null) as PdfValue[];
    for (const [mcid, element] of elements.entries()) {
      if (!(element instanceof Ref)) continue;
      const kids = followed(document, element, ['K']);
      expect(String(followed(document, element, ['Pg']))).toBe(String(document.resolve(page)));
      expect(Array.isArray(kids) ? kids.map((kid) => document.resolve(kid)) : [kids]).toContain(mcid);
      found.add(document.resolve(element));
      count++;
    }
  }
  expect(count).toBeGreaterThanOrEqual(5 * LETTERS);
  expect(found.size).toBe(count);
});

/** The claims in the metadata. */
const claims = (metadata: PdfValue): string[] => {
  const xmp = metadata instanceof Stream ? metadata.data.toString() : '';
  return [...xmp.matchAll(/<(pdf\w+:(?:part|conformance))>(\w+)</g)].map(
    ([, name, value]) => `${name} ${value}`,
  );
};

it('joined letters claim what all of them claim, and name one intent', async () => {
  const inputs = archived.map((bytes) => ({ bytes }));
  const { at, warnings } = await joined(inputs, { title: 'Letters' });
  expect(claims(at('Metadata'))).toEqual(['pdfaid:part 2', 'pdfaid:conformance B', 'pdfuaid:part 1']);
  expect(at('OutputIntents', 0)).toBeInstanceOf(Dict);
  expect(at('OutputIntents', 1)).toBeNull();
  expect(warnings).toEqual([]);
  const mixed = await joined([...inputs, { bytes: plain[0] ?? Buffer.alloc(0) }], { title: 'Letters' });
  expect(claims(mixed.at('Metadata'))).toEqual([]);
  expect(mixed.warnings.map(({ code }) => code)).toEqual(['CONFORMANCE_LOST', 'CONFORMANCE_LOST']);
});
