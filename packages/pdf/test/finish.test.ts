import { describe, expect, test } from '@jest/globals';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage, packedPdf, rotatedPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { pdfText, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';
import { type Finishing, finishPdf } from '../src/face/finish.ts';
import { openPdf } from '../src/face/read.ts';

const NOW = new Date('2026-02-28T10:11:12Z');
const NOTHING = { pdfua: false };
const XMP =
  '<x:xmpmeta><rdf:RDF><pdfaid:part>3</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance><dc:creator>Ada</dc:creator></rdf:RDF></x:xmpmeta>';
const INFO = "<</Author(Ada)/Keywords(old)/CreationDate(D:20240229101112+01'00')/Creator(Writer)>>";
const source = classicPdf(
  onePage('', '/Metadata 6 0 R', [streamBody('/Type/Metadata/Subtype/XML', Buffer.from(XMP)), INFO]),
  '/Info 7 0 R',
);
const finished = (finishing: Finishing, bytes = source) => finishPdf(bytes, NOTHING, finishing, NOW).bytes;

/** What qpdf reports about the encryption of a file that it opens with this password. */
const encryptionOf = (pdf: Buffer, password: string) =>
  withFiles([pdf], '.pdf', ([path = '']) =>
    outcomeOf('qpdf', [`--password=${password}`, '--show-encryption', path]),
  );

describe('an encrypted PDF', () => {
  const encryption = { user: 'Gehëim 1', owner: 'Owner', permissions: ['printDraft', 'copy'] as const };
  const pdf = finished({ encryption, metadata: { title: 'Secret title' } });

  test('has nothing readable in it, and the text for those with a password', async () => {
    for (const words of ['Secret title', 'Ada', 'Agreement', 'pdfaid'])
      expect(pdf.includes(words)).toBe(false);
    expect(await pdfText(pdf, 'Gehëim 1')).toContain('Agreement');
    expect(await pdfText(pdf, 'Geheim 1')).toContain('Incorrect password');
    expect(await qpdfComplaints(pdf, 'Owner')).toEqual([]);
    expect(openPdf(pdf, 'Gehëim 1').document.rights).toMatchObject({ modify: false });
    expect(openPdf(pdf, 'Owner').document.rights).toMatchObject({ modify: true });
  });

  test('permits its user what was asked for, and its owner everything', async () => {
    const { text } = await encryptionOf(pdf, 'Gehëim 1');
    expect(text).toMatch(/^R = 6$/m);
    expect(text).toContain('stream encryption method: AESv3');
    const permitted = [...text.matchAll(/^(\w[\w ]+): (allowed|not allowed)$/gm)].map(([, what, how]) => [
      what,
      how === 'allowed',
    ]);
    expect(Object.fromEntries(permitted)).toEqual({
      'extract for accessibility': true,
      'extract for any purpose': true,
      'print low resolution': true,
      'print high resolution': false,
      'modify document assembly': false,
      'modify forms': false,
      'modify annotations': false,
      'modify other': false,
      'modify anything': false,
    });
  });

  test('opens for everyone if only the owner has a password', async () => {
    const open = finished({ encryption: { owner: 'Owner', permissions: [] } });
    expect(await pdfText(open)).toContain('Agreement');
    expect((await encryptionOf(open, '')).text).toMatch(/print low resolution: not allowed/);
  });

  test('has no password that readers would cut', () => {
    expect(() => finished({ encryption: { user: 'ä'.repeat(64) } })).toThrow(RangeError);
  });
});

describe('a finished PDF', () => {
  test('has the properties that it was given in both places, keeps the others, and lost those that are empty', () => {
    const pdf = finished({ metadata: { title: 'A <b> & ü', keywords: '' } });
    const { document } = openPdf(pdf);
    const info = document.dict(document.trailer, 'Info');
    const text = (key: string) => info && document.get(info, key);
    expect(text('Title')).toMatchObject({ text: 'A <b> & ü' });
    expect(text('Author')).toMatchObject({ text: 'Ada' });
    expect(text('Keywords')).toBe(null);
    const xmp = pdf.toString('utf8');
    expect(xmp).toContain('A &lt;b&gt; &amp; ü</rdf:li>');
    expect(xmp).toContain('<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator>');
    expect(xmp).toContain('<xmp:CreateDate>2024-02-29T09:11:12Z</xmp:CreateDate>');
    expect(xmp).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(xmp).not.toContain('old');
  });

  test.each([
    ['packed', packedPdf()],
    ['rotated', rotatedPdf(90)],
  ])('that was %s has a text across its page, and keeps its own', async (_name, bytes) => {
    const pdf = finished({ watermark: 'Entwurf (ü)' }, bytes);
    expect(await qpdfComplaints(pdf)).toEqual([]);
    expect(await pdfText(pdf)).toContain('Agreement');
    expect(pdf.toString('latin1')).toContain('/Artifact<</Type/Pagination/Subtype/Watermark>>BDC');
  });

  test('has a watermark behind its content and without transparency if it is a PDF/A-1', () => {
    const bytesOf = (pdfa: '1b' | '2b') =>
      finishPdf(source, { ...NOTHING, pdfa }, { watermark: 'Draft' }, NOW).bytes.toString('latin1');
    expect(bytesOf('2b')).toContain('/ca 0.25');
    expect(bytesOf('1b')).not.toContain('/ca 0.25');
    expect([bytesOf('1b'), bytesOf('2b')].map((pdf) => pdf.includes('/CIDSet'))).toEqual([true, false]);
    expect(bytesOf('1b')).toMatch(/\/Contents\s+\[\d+ 0 R 4 0 R\]/);
  });

  test('refuses a watermark that no font shows', () => {
    expect(() => finished({ watermark: 'a\u{e0123}\u{f0000}' })).toThrow(
      expect.objectContaining({ details: [{ field: 'watermark', issue: expect.stringContaining('font') }] }),
    );
  });

  test('has its attachments as files of the document, with their relationship', async () => {
    const pdf = finished({
      attachments: [
        {
          name: 'z (ü).bin',
          bytes: Buffer.from([0, 1, 255]),
          contentType: 'application/octet-stream',
          relationship: 'Data',
        },
        {
          name: 'a.xml',
          bytes: Buffer.from('<a/>'),
          contentType: 'text/xml',
          relationship: 'Alternative',
          description: 'An A',
        },
      ],
    });
    expect(await qpdfComplaints(pdf)).toEqual([]);
    const listed = await withFiles([pdf], '.pdf', ([path = '']) => outcomeOf('pdfdetach', ['-list', path]));
    expect(listed.text).toMatch(/1: a\.xml[\s\S]*2: z \(ü\)\.bin/);
    const text = pdf.toString('latin1');
    expect(text).toMatch(/\/AF ?\[\d+ 0 R \d+ 0 R\]/);
    expect(text).toContain('/Subtype/text#2fxml/Params<</Size 4/CreationDate(D:20260228101112Z)');
    expect(text).toContain('/AFRelationship/Alternative');
  });

  test('has one revision, without what was replaced', () => {
    const pdf = finished({ metadata: { author: '' } });
    expect(pdf.toString('latin1').match(/%%EOF/g)).toHaveLength(1);
    expect(pdf.includes('Ada')).toBe(false);
  });
});
