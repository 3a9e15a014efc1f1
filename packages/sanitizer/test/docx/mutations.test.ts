import { describe, expect, test } from '@jest/globals';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { openPackage, writePackage } from '@scriptorium/ooxml/package';
import { isNightly, testInWhole } from '@scriptorium/testing/extent';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import {
  documentEntries,
  field,
  imageDocument,
  paragraph,
} from '@scriptorium/testing/fixtures/hostile/document';
import {
  emf,
  emfComment,
  emfPlusImage,
  gif,
  pngImage,
} from '@scriptorium/testing/fixtures/hostile/image-files';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { randomNumbers } from '@scriptorium/testing/random';
import { sanitizers } from '../../src/docx/steps.ts';
import { SanitizerError } from '../../src/sanitizer-error.ts';

const ROUNDS = isNightly ? 1_500 : 400;

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="9" height="9" fill="red"/></svg>';
const image = emf(emfComment('EMF+', emfPlusImage(pngImage(3, 3))));

/** Stored without compression, so that a changed byte is in the content of a part. */
function stored(body: string): Buffer {
  return zip(documentEntries({ body }).map((entry) => ({ ...entry, stored: true })));
}

const GOOD: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['a plain document', docxWith(['One', 'Two'])],
  ['a document without compression', stored(paragraph('One') + field('DATE'))],
  ['a document with a PNG', imageDocument(pngImage(9, 9))],
  ['a document with a GIF', imageDocument(gif(9, 9, 2), 'image1.gif', 'image/gif')],
  ['a document with an EMF', imageDocument(image, 'image1.emf', 'image/x-emf')],
  ['a document with an SVG image', imageDocument(svg, 'image1.svg', 'image/svg+xml')],
];

function open(bytes: Uint8Array) {
  return openPackage(bytes, sanitizers());
}

async function expectAnswer(bytes: Buffer): Promise<'refused' | 'taken'> {
  try {
    const document = await open(bytes);
    await open(writePackage(document, { isCompressed: false }));
    return 'taken';
  } catch (error) {
    // A defect of the sanitizer would throw another error.
    if (!(error instanceof OoxmlError || error instanceof SanitizerError)) throw error;
    return 'refused';
  }
}

describe('with some bytes changed,', () => {
  test.each(GOOD)('%s is rejected with a reason, or read and rewritten', async (_name, good) => {
    const random = randomNumbers(good.length);
    const answers = { refused: 0, taken: 0 };
    expect(await expectAnswer(good)).toBe('taken');
    for (let round = 0; round < ROUNDS; round++) {
      const bytes = Buffer.from(good);
      for (let times = 1 + random(4); times > 0; times--) bytes[random(bytes.length)] = random(256);
      answers[await expectAnswer(round % 10 === 0 ? bytes.subarray(0, random(bytes.length)) : bytes)]++;
    }
    expect(answers.refused).toBeGreaterThan(ROUNDS / 2);
  });

  testInWhole('a part before packing is handled likewise', async () => {
    const random = randomNumbers(7);
    const answers = { refused: 0, taken: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const entries = documentEntries({ body: paragraph('One') + field('INCLUDETEXT "x"') }).map((entry) => ({
        ...entry,
        data: Buffer.from(entry.data),
      }));
      for (let times = 1 + random(3); times > 0; times--) {
        const data = entries[random(entries.length)]?.data;
        if (data !== undefined) data[random(data.length)] = random(256);
      }
      answers[await expectAnswer(zip(entries))]++;
    }
    expect(answers.taken).toBeGreaterThan(10);
    expect(answers.refused).toBeGreaterThan(10);
  });

  test.each([
    ['PNG', pngImage(9, 9)],
    ['GIF', gif(9, 9, 2)],
    ['EMF', image],
    ['SVG', Buffer.from(svg)],
  ])('a %s image is handled likewise', async (_format, good) => {
    const random = randomNumbers(good.length);
    for (let round = 0; round < 500; round++) {
      const bytes = Buffer.from(good);
      for (let times = 1 + random(4); times > 0; times--) bytes[random(bytes.length)] = random(256);
      await expectAnswer(imageDocument(bytes));
    }
  });
});
