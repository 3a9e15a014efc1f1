import { describe, expect, test } from '@jest/globals';
import { TextFonts } from '@scriptorium/pdf/text-fonts';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { pngOf } from '@scriptorium/testing/fixtures/picture';
import { qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import {
  attachment,
  drawingComplaints,
  isBlank,
  pageSizes,
  picture,
  textFrom,
} from '@scriptorium/testing/pdf-reading';
import { type AuditRecord, auditJson } from '../../src/audit/audit-json.ts';
import { auditPages } from '../../src/audit/audit-pages.ts';
import { addAuditTrail } from '../../src/audit/embed-pdf.ts';
import type { Page, PageSize, PlacedText } from '../../src/audit/sheet.ts';
import type { AuditEvent, Signing } from '../../src/sign-request.ts';
import { NOW, recordOf, session } from './records.ts';

const A4 = '/MediaBox[0 0 595.276 841.89]';
const withPages = async (record: AuditRecord, look: { timeZone?: string; images?: Buffer[] } = {}) =>
  (await addAuditTrail(classicPdf(onePage(A4)), record, { pages: true, ...look }))?.pdf ?? Buffer.alloc(0);

/** Returns the text of a record's pages, in lines. */
const shown = async (change: Partial<Signing>): Promise<string> =>
  textFrom(await withPages(recordOf(change)), 2);
const named = (name: string): Promise<string> => shown({ signer: { name, email: 'a@example.com' } });

const changes = (count: number, data: (index: number) => unknown): AuditEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    type: 'field_change',
    timestamp: new Date(NOW.getTime() - 1_000 * (count - index)).toISOString(),
    data: data(index),
  }));

describe('the pages of an audit trail', () => {
  test('show what was signed, by whom, when, and how to check it', async () => {
    const record = recordOf({ reason: 'I agree', location: 'London' });
    const text = (await textFrom(await withPages(record), 2)).replace(/ +/g, ' ');
    for (const line of [
      `Record ${record.id}`,
      'Recorded 2026-03-02 10:20:30.456 UTC',
      `SHA-256 before signing ${record.inputSha256}`,
      'Event id contract-2026-0042',
      'Reason I agree',
      'Location London',
      'Name Ada Lovelace',
      'E-mail ada@example.com',
      'IP address 203.0.113.7',
      'User agent Mozilla/5.0 (X11; Linux x86_64; rv:135.0)',
      'department Legal',
      '2 Ready 2026-03-02 10:15:00.000 UTC pages: 12',
      '4 Field changed 2026-03-02 10:18:02.003 UTC field: consent · value: true · previous: null',
      '5 Submitted 2026-03-02 10:20:29.999 UTC',
      `Final hash (SHA-256) ${record.hash}`,
      'POST /v1/verify',
      'Page 1 of 1',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).toContain(`${record.entries[3]?.hash.slice(0, 16)}…`);
  });

  test('show how and when each signer agreed in one time zone, with the picture of the signature', async () => {
    const record = recordOf({
      documentName: 'Lease of Łódź 7',
      timeZone: 'Europe/Warsaw',
      signer: {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        authentication: 'Code by e-mail',
        consent: 'I agree to sign electronically.',
        sentAt: '2026-03-02T09:00:00Z',
        viewedAt: '2026-03-02T11:16:41.5+01:00',
        signedAt: '2026-03-28T23:59:59Z',
      },
    });
    const images = [pngOf(300, 100, () => ({ red: 0, green: 0, blue: 0, alpha: 255 }))];
    const pdf = await withPages(record, { timeZone: 'Europe/Warsaw', images });
    const text = (await textFrom(pdf, 2)).replace(/ +/g, ' ');
    for (const line of [
      'Name Lease of Łódź 7',
      'Recorded 2026-03-02 11:20:30.456 +01:00',
      'Time zone Europe/Warsaw',
      'Authentication Code by e-mail',
      'Consent I agree to sign electronically.',
      'Sent 2026-03-02 10:00:00.000 +01:00',
      'Viewed 2026-03-02 11:16:41.500 +01:00',
      'Signed 2026-03-29 00:59:59.000 +01:00',
      '5 Submitted 2026-03-02 11:20:29.999 +01:00',
    ])
      expect(text).toContain(line);
    const inked = async (from: Buffer): Promise<number> =>
      (await picture(from, 2, 72)).pixels.filter((pixel) => pixel < 128).length;
    // 132 by 44 points.
    expect((await inked(pdf)) - (await inked(await withPages(record)))).toBeGreaterThan(5_000);
    expect(await qpdfComplaints(pdf)).toEqual([]);
  });

  test('show 500 events in a table with a header on each page and page numbers', async () => {
    const record = recordOf({
      auditTrail: [...changes(500, (field) => ({ field: `clause-${field}` })), ...session.slice(3)],
    });
    const pdf = await withPages(record);
    const text = await textFrom(pdf, 2);
    const count = (await pageSizes(pdf)).length - 1;
    expect(count).toBeGreaterThan(5);
    const pages = text.split('\f').slice(0, count);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${index + 1} of ${count}`);
      expect(page).toMatch(/# +Event +Time +Data +Hash/);
    }
    expect([...text.matchAll(/field: clause-(\d+)/g)].map(([, field]) => Number(field))).toEqual(
      Array.from({ length: 500 }, (_, field) => field),
    );
  });

  test.each([
    ['Cyrillic', 'Наталья Иванова'],
    ['Greek', 'Γεωργία Παπαδοπούλου'],
    ['Chinese', '王小明'],
    ['Japanese', '山田さくら タロウ'],
    ['Korean', '김철수'],
    ['Vietnamese', 'Nguyễn Thị Ánh'],
    ['Thai', 'สมชาย'],
    ['Georgian', 'გიორგი'],
    ['Hebrew', 'דוד בן גוריון'],
    ['Arabic', 'محمد بن سلمان'],
    ['Persian', 'گلچین پژمان'],
  ])('show a name in %s with real glyphs and searchable text', async (_script, name) => {
    const pdf = await withPages(recordOf({ signer: { name, email: 'a@example.com' } }));
    const text = (await textFrom(pdf, 2)).normalize('NFC').replace(/[\u200e\u200f\u202a-\u202e]/g, '');
    expect(text).toContain(name);
    expect(await drawingComplaints(pdf, 2)).toBe('');
  });

  test('draw an ideograph instead of an empty box', async () => {
    const inked = async (name: string): Promise<number> => {
      const { pixels } = await picture(
        await withPages(recordOf({ signer: { name, email: 'a@example.com' } })),
        2,
        100,
      );
      return pixels.filter((pixel) => pixel < 128).length;
    };
    // Many of them: the hashes of two records differ in their ink, too.
    expect((await inked('龘'.repeat(24))) - (await inked('一'.repeat(24)))).toBeGreaterThan(600);
  });

  test('show the code point of a character without a font', async () => {
    expect(await named('Ann \u{1F9FF}')).toContain('Ann [U+1F9FF]');
  });

  test('replace characters that change the text direction or hide text', async () => {
    const text = await named('Ada\u202eecalevoL\u0000\u200b\u2066x');
    expect(text).toContain('Ada\ufffdecalevoL\ufffd\ufffd\ufffdx');
    expect(await named('first\r\nsecond\tthird')).toContain('first second third');
  });

  test('show operators and markup in a name as text', async () => {
    const name = String.raw`) Tj ET Q (x) <b>&amp;</b> \( >> endstream %PDF`;
    const pdf = await withPages(recordOf({ signer: { name, email: 'a@example.com' } }));
    expect(await textFrom(pdf, 2)).toContain(name);
    expect(await qpdfComplaints(pdf)).toEqual([]);
  });

  test('cut long values, which the file has in full', async () => {
    const name = 'N'.repeat(10_000);
    const record = recordOf({
      signer: { name, email: 'a@example.com', userAgent: 'x '.repeat(5_000) },
      metadata: Object.fromEntries(
        Array.from({ length: 300 }, (_, key) => [`key ${key} ${'k'.repeat(300)}`, key]),
      ),
      auditTrail: [...changes(3, () => ({ big: 'y'.repeat(65_536) })), ...session.slice(3)],
    });
    const pdf = await withPages(record);
    const text = await textFrom(pdf, 2);
    expect(text).toMatch(/N…/);
    expect(text).toMatch(/y…/);
    expect(text).toContain('260 more in audit.json');
    expect((await pageSizes(pdf)).length).toBeLessThan(8);
    expect(await attachment(pdf, 1)).toEqual(auditJson(record));
  });
});

const SIZES: [string, PageSize][] = [
  ['A4', { width: 595.276, height: 841.89 }],
  ['Letter in landscape', { width: 792, height: 612 }],
  ['A5', { width: 419.5, height: 595.3 }],
  ['the smallest supported size', { width: 340, height: 340 }],
  ['A3', { width: 841.9, height: 1_190.6 }],
];
const nested = (depth: number): unknown => (depth === 0 ? 'bottom' : { key: [nested(depth - 1)] });
const hostile = (): AuditRecord =>
  recordOf({
    signer: {
      name: 'W'.repeat(10_000),
      email: `${'e'.repeat(244)}@example.com`,
      ip: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      userAgent: 'Mozilla/5.0 '.repeat(100),
    },
    eventId: '王'.repeat(300),
    reason: 'محمد بن سلمان '.repeat(40),
    metadata: {
      [`${'long '.repeat(30)}name`]: nested(14),
      ['a\u0301\u0302\u0303'.repeat(50)]: ['x', null, 1e21],
    },
    auditTrail: [
      ...changes(
        240,
        (index) =>
          [nested(15), 'z'.repeat(index), { n: index }, undefined, [[], {}], '👩‍👩‍👧‍👦'.repeat(20)][
            index % 6
          ],
      ),
      ...session.slice(3),
    ],
  });

/** Returns the area of a text's glyphs: from its baseline up to its capitals. */
function boxOf({ x, y, text, style }: PlacedText, fonts: Record<string, TextFonts>) {
  const width = fonts[style.face]?.width(text, style.size) ?? 0;
  return { left: x, right: x + width, top: y - 0.7 * style.size, bottom: y };
}

function overlaps(page: Page, fonts: Record<string, TextFonts>): string[] {
  const boxes = page.texts.map((text) => ({ text: text.text, ...boxOf(text, fonts) }));
  return boxes.flatMap((a, index) =>
    boxes
      .slice(index + 1)
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
      .map((b) => `${a.text} | ${b.text}`),
  );
}

describe.each(SIZES)('on %s, for any record', (_name, size) => {
  const fonts = {
    regular: new TextFonts('regular'),
    bold: new TextFonts('bold'),
    mono: new TextFonts('mono'),
  };
  const pages = auditPages(hostile(), size, (text, { face, size: points }) =>
    fonts[face].width(text, points),
  );

  test('texts do not overlap each other or the margins', () => {
    expect(pages.length).toBeGreaterThan(5);
    for (const page of pages) {
      expect(overlaps(page, fonts)).toEqual([]);
      for (const text of page.texts) {
        const { left, right, top, bottom } = boxOf(text, fonts);
        const isInside = left >= 30 && right <= size.width - 30 && top >= 25 && bottom <= size.height - 25;
        expect([text.text, isInside]).toEqual([text.text, true]);
      }
    }
  });
});

test('a rendered page has clean margins', async () => {
  const pdf = await withPages(hostile());
  for (const page of [2, 3, 8]) {
    const drawn = await picture(pdf, page, 72);
    expect(isBlank(drawn, [0, 0, 0.08, 1])).toBe(true);
    expect(isBlank(drawn, [0.92, 0, 1, 1])).toBe(true);
    expect(isBlank(drawn, [0, 0, 1, 0.05])).toBe(true);
    expect(isBlank(drawn, [0, 0.95, 1, 1])).toBe(true);
  }
});
