import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hostFonts } from '@scriptorium/fonts/font-book';
import { textLine } from '@scriptorium/fonts/text-line';
import { wrapText } from '@scriptorium/fonts/wrap-text';
import { privateKeySigner, readPem } from '@scriptorium/pki/keys';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { few } from '@scriptorium/testing/extent';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { pdfsig, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { drawingComplaints, fontsFrom, textFrom } from '@scriptorium/testing/pdf-reading';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import type { Signing } from '../src/sign-request.ts';
import { sign } from '../src/signing/sign.ts';
import type { Signed, SignTools } from '../src/signing/sign-tools.ts';
import { signing } from './audit/records.ts';

let pki: Pki;
let tools: SignTools;
beforeAll(async () => {
  pki = await createPki();
  const identity = await pki.issue({ name: 'Ada', keyType: 'p-256' });
  const material = await readPem({ privateKey: identity.keyPem(), certificates: identity.chainPem });
  const signer = await privateKeySigner(material, { now: new Date() });
  tools = {
    version: '1.2.3',
    newAuditId: () => 'aud_abcdefghijklmnopqrstuvwxyz',
    now: () => new Date(),
    openKey: async () => signer,
    timestamper: () => undefined,
    validationData: () => Promise.reject(new Error('B-B needs none')),
  };
});
afterAll(() => pki.close());

const AREA = { x: 20, y: 20, width: 300, height: 60 };

function signedBy(name: string, change: Partial<Signing> = {}): Promise<Signed> {
  const wanted = signing({
    signer: { name, email: 'ada@example.com' },
    appearance: { page: 1, rectangle: AREA },
    ...change,
  });
  return sign({ source: plainPdf(), signing: wanted, images: Buffer.alloc(0), callerKey: undefined }, tools);
}

/** Poppler marks the direction of lines. */
const withoutMarks = (text: string): string => text.replace(/[\u200e\u200f\u202a-\u202e]/g, '');

const NAMES = [
  ['Devanagari', 'क्षितिज द्विवेदी'],
  ['Bengali', 'রবীন্দ্রনাথ ঠাকুর'],
  ['Tamil', 'தமிழ்ச்செல்வன் கௌரி'],
  ['Telugu', 'శ్రీనివాస రెడ్డి'],
  ['Sinhala', 'ක්‍රිෂ්ණා ශ්‍රී'],
  ['Thai', 'สมชาย ศรีสุวรรณ ปู่น้ำ'],
  ['Khmer', 'សុខ ស្រីមុំ ខ្មែរ'],
  ['Burmese', 'မြန်မာ ကြီး'],
  ['Arabic', 'محمد الأول سلام'],
  ['Arabic with vowels', 'مُحَمَّد'],
  ['Hebrew with points', 'שָׁלוֹם דוד'],
] as const;
test.each(few(NAMES, 3, 6))(
  'a name in %s is on the signature and on the audit page, and can be copied',
  async (_script, name) => {
    const { bytes, reply } = await signedBy(name);
    expect(reply.warnings).toEqual([]);
    expect((await pdfsig(bytes))[0]?.validation).toBe('Signature is Valid.');
    expect(await qpdfComplaints(bytes)).toEqual([]);
    for (const page of [1, 2]) {
      expect(await drawingComplaints(bytes, page)).toBe('');
      const text = withoutMarks(await textFrom(bytes, page)).normalize('NFC');
      expect(text).toContain(name.normalize('NFC'));
    }
    const fonts = (await fontsFrom(bytes, 2)).map(({ isEmbedded, isSubset }) => isEmbedded && isSubset);
    expect(fonts).toEqual(fonts.map(() => true));
  },
);

test('characters without a font are listed once a place in the warnings', async () => {
  const { reply } = await signedBy('Ada \u{1F9FF}\u{1F9FF}\u{F8FF0}');
  expect(reply.warnings).toEqual([
    {
      code: 'TEXT_NOT_SHOWN',
      message:
        'This service has no font for these characters of the audit pages: \u{1F9FF} (U+1F9FF), U+F8FF0.',
    },
    {
      code: 'TEXT_NOT_SHOWN',
      message:
        'This service has no font for these characters of the visible signature: \u{1F9FF} (U+1F9FF), U+F8FF0.',
    },
  ]);
});

test('lines of Thai and Khmer break between words', async () => {
  const words = {
    th: 'ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์',
    km: 'សួស្តីខ្ញុំឈ្មោះសុខហើយខ្ញុំរស់នៅក្នុងប្រទេសកម្ពុជា',
  };
  for (const [language, text] of Object.entries(words)) {
    const { bytes } = await signedBy('Ada', {
      appearance: { page: 1, rectangle: { x: 20, y: 20, width: 90, height: 200 }, text },
    });
    const shown = withoutMarks(await textFrom(bytes, 1));
    const lines = shown
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => text.includes(line) && line);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.join('')).toBe(text);
    const starts = new Set<number>();
    for (const { index } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text))
      starts.add(index);
    let at = 0;
    for (const line of lines) {
      expect(starts).toContain(at);
      at += line.length;
    }
  }
});

test('later lines of a right-to-left paragraph run from right to left, even if they start in Latin', () => {
  const [first, second = '', ...more] = wrapText('אבג דהו Ada שלום', 8, (part) => part.length);
  expect([first, more]).toEqual(['אבג דהו', []]);
  const { clusters } = textLine(second, 'regular', hostFonts());
  expect(clusters.map(({ text }) => text.trim()).join('')).toBe('םולשAda');
  expect(wrapText('Ada שלום Bob', 9, (part) => part.length)[1]).toBe('\u200eBob');
  expect(wrapText('Ada and Bob', 8, (part) => part.length)).toEqual(['Ada and', 'Bob']);
});

test('a text of 4,000 characters in many scripts takes less than a second to lay out', async () => {
  const text = 'क्षितिज शर्मा সুখ สมชาย محمد דוד សុខ 王小明 \u{1F9FF} '.repeat(100).slice(0, 4_000);
  await signedBy('Ada', { appearance: { page: 1, rectangle: AREA, text } });
  const begin = process.cpuUsage();
  await signedBy('Ada', { appearance: { page: 1, rectangle: AREA, text } });
  expect(cpuMsSince(begin)).toBeLessThan(4_000);
});
