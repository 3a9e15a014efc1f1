import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { describeForm } from '@scriptorium/pdf/forms';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { invoiceOf } from '@scriptorium/testing/fixtures/invoice';
import { docxOfPictures, noisePng } from '@scriptorium/testing/fixtures/picture';
import { pdfText, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { breachesOfPdfA1b } from '@scriptorium/testing/judges/preflight';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';
import { encryptedByLibreOffice } from '@scriptorium/testing/producers/libreoffice';
import { type ConvertContext, type Converted, convert } from '../../src/conversion/convert.ts';
import { systemFonts } from '../../src/conversion/fonts.ts';
import { SourceRouter } from '../../src/engines/kit/source-router.ts';
import type { Finishing } from '../../src/threads/finish-thread.ts';
import { drawingThread, finishThread } from '../../src/threads/threads.ts';
import { docxOf, pagesOfText, pngSize } from '../rigs/documents.ts';
import { infoOf, metadataOf, textOf } from '../rigs/pdf-text.ts';

const engine = new SourceRouter({ zygotes: 1 });
const thread = finishThread({ threads: 1 });
const drawing = drawingThread({ threads: 1 });
beforeAll(() => engine.start());
afterAll(() => Promise.all([engine.close(), thread.close(), drawing.close()]));

async function converted(
  document: Buffer,
  query: object,
  more: Pick<ConvertContext, 'finishing' | 'password'> = {},
): Promise<Converted> {
  const options = conversion.parse(convertOptions.parse({ from: 'docx', ...query }));
  const parts = {
    engines: [engine],
    prepare: ({ bytes }: { bytes: Uint8Array }) =>
      prepare(Buffer.from(bytes), { ...options, ...(more.password && { password: more.password }) }),
    fonts: systemFonts(),
    finish: thread.finish,
    draw: drawing.draw,
    onRemoved: () => {
      throw new Error('nothing is to be removed');
    },
  };
  const context = { signal: new AbortController().signal, deadlineAt: Date.now() + 60_000, ...more };
  return await convert(parts, document, options, context);
}

const letter = docxWith(['First paragraph', 'Second']);
const finished = async (query: object, finishing: Partial<Finishing>) =>
  (await converted(letter, query, { finishing: { attachments: [], ...finishing } })).bytes;

const attached = (bytes: Buffer, more: object = {}) => ({
  attachments: [{ name: 'Factur-X.xml', bytes, contentType: 'text/xml', ...more }],
});

describe('a PDF of the engine', () => {
  test.each(['', 'pdfua'])('that is encrypted opens in poppler, qpdf and MuPDF (%s)', async (claim) => {
    const encryption = { user: 'Benutzer', owner: 'Besitzer', permissions: ['print'] as const };
    const pdf = await finished(claim ? { [claim]: 'true' } : {}, { encryption, watermark: 'Vertraulich' });
    expect(await qpdfComplaints(pdf, 'Benutzer')).toEqual([]);
    expect(await pdfText(pdf, 'Benutzer')).toContain('First paragraph');
    expect(await pdfText(pdf, 'falsch')).toContain('Incorrect password');
    const drawn = await withFiles([pdf], '.pdf', ([path = '']) =>
      outcomeOf('mutool', ['draw', '-F', 'txt', '-p', 'Benutzer', path]),
    );
    expect(drawn.text).toContain('First paragraph');
    expect(pdf.includes('Vertraulich')).toBe(false);
  });

  test('has a text across its pages that is no part of what it says', async () => {
    const pdf = await finished({}, { watermark: 'ENTWURF' });
    expect(await qpdfComplaints(pdf)).toEqual([]);
    const structure = execFileSync('pdfinfo', ['-struct-text', '-'], { input: pdf, encoding: 'utf8' });
    expect(structure).toContain('First paragraph');
    expect(structure).not.toContain('ENTWURF');
  });

  test('has the properties of the caller', async () => {
    const metadata = { title: 'Angebot & „Preis“', author: 'Ada', subject: 'S', keywords: 'a, b' };
    for (const query of [{}, { pdfa: '2b' }, { pdfua: 'true' }]) {
      const pdf = await finished(query, { metadata });
      expect(['Title', 'Author', 'Subject', 'Keywords'].map((field) => infoOf(pdf, field))).toEqual(
        Object.values(metadata),
      );
      expect(metadataOf(pdf)).toContain('Angebot &amp; „Preis“</rdf:li>');
      expect(await qpdfComplaints(pdf)).toEqual([]);
    }
  });
});

test('a PDF/A-1b is one for PDFBox, also with properties and a watermark', async () => {
  const metadata = { title: 'Angebot & „Preis“', author: 'Ada', subject: 'S', keywords: 'a, b' };
  const plain = await converted(letter, { pdfa: '1b' });
  const whole = await finished({ pdfa: '1b' }, { metadata, watermark: 'Entwurf' });
  const page = Buffer.from(
    '<html><head><title>Q&amp;A: "Rules" for &lt;Bob&gt;</title></head><body>A</body></html>',
  );
  const titled = (await converted(page, { from: 'html', pdfa: '1b' })).bytes;
  expect(metadataOf(titled)).toContain('>Q&amp;A: "Rules" for &lt;Bob&gt;</rdf:li>');
  const none = await finished({}, { watermark: 'Entwurf' });
  const [first, second, third, fourth] = await breachesOfPdfA1b([plain.bytes, whole, titled, none]);
  expect([first, second, third]).toEqual([[], [], []]);
  expect(fourth?.length).toBeGreaterThan(0);
});

describe('a Factur-X invoice', () => {
  test.each([
    ['urn:factur-x.eu:1p0:minimum', 'MINIMUM', 'Data'],
    ['urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0', 'XRECHNUNG', 'Alternative'],
  ])('of the profile %s is declared as %s, and as %s', async (guideline, level, relationship) => {
    const invoice = invoiceOf(guideline);
    const pdf = await finished({ pdfa: '3b' }, attached(invoice));
    const xmp = metadataOf(pdf);
    expect(xmp).toContain(`<fx:ConformanceLevel>${level}</fx:ConformanceLevel>`);
    expect(xmp).toContain('<fx:DocumentFileName>factur-x.xml</fx:DocumentFileName>');
    expect(xmp).toContain('<pdfaSchema:prefix>fx</pdfaSchema:prefix>');
    expect(xmp).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(pdf.toString('latin1')).toContain(`/AFRelationship/${relationship}`);
    const own = await withFiles([pdf], '.pdf', async ([path = ''], folder) => {
      await outcomeOf('pdfdetach', ['-saveall', '-o', folder, path]);
      return execFileSync('cat', [`${folder}/factur-x.xml`]);
    });
    expect(own.equals(invoice)).toBe(true);
    expect(await qpdfComplaints(pdf)).toEqual([]);
  });

  test('of an unknown profile is refused', async () => {
    const unknown = attached(invoiceOf('urn:factur-x.eu:1p0:minimal'));
    await expect(finished({ pdfa: '3b' }, unknown)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'attach[0]', issue: expect.stringContaining('no known profile') }],
    });
  });
});

test('images are stored with the quality and the resolution of the request', async () => {
  const picture = docxOfPictures([noisePng(1_000)]);
  const sizeOf = async (query: object) => (await converted(picture, query)).bytes.length;
  const whole = await sizeOf({});
  expect(await sizeOf({ imageQuality: '10' })).toBeLessThan(whole / 2);
  expect(await sizeOf({ maxImageResolution: '75' })).toBeLessThan(whole / 2);
});

describe('content controls', () => {
  const control = (properties: string, text: string) =>
    `<w:p><w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent><w:r><w:t>${text}</w:t></w:r></w:sdtContent></w:sdt></w:p>`;
  const title = (text: string) => `<w:alias w:val="${text}"/>`;
  const tag = (text: string) => `<w:tag w:val="${text}"/>`;

  test('are fields of the PDF with their tags as names, or text', async () => {
    const controls = [
      control(`${title('Customer &amp; Co')}${tag('customer')}<w:text/>`, 'Ada'),
      control(`${tag('order.no')}<w:text/>`, '1'),
      control(`${title('Again')}${tag('customer')}<w:text/>`, 'Ada'),
      control(`${title('Only a title')}<w:text/>`, 'x'),
      control('<w:text/>', 'y'),
    ];
    const [fields, texts] = await Promise.all(
      ['true', 'false'].map(
        async (exportFormFields) => (await converted(docxOf(controls.join('')), { exportFormFields })).bytes,
      ),
    );
    const form = describeForm(fields ?? Buffer.alloc(0));
    expect(form.map(({ name, label }) => [name, label])).toEqual([
      ['customer', 'Customer & Co'],
      ['order_no', 'order.no'],
      ['customer_2', 'Again'],
      ['Only a title', 'Only a title'],
      ['field', undefined],
    ]);
    expect(texts?.includes('/AcroForm')).toBe(false);
    expect(textOf(texts ?? Buffer.alloc(0))).toBe('Ada 1 Ada x y');
  });
});

describe('a DOCX with a password', () => {
  let encrypted: Buffer = Buffer.alloc(0);
  beforeAll(async () => {
    const document = { bytes: letter, from: 'docx', to: 'docx' } as const;
    [encrypted = encrypted] = await encryptedByLibreOffice('Schlüssel 1', [document]);
  });

  test('is converted with it', async () => {
    const { bytes } = await converted(encrypted, {}, { password: 'Schlüssel 1' });
    expect(textOf(bytes)).toContain('First paragraph Second');
  });

  test('is refused without it, with another one, and if it was changed', async () => {
    await expect(converted(encrypted, {})).rejects.toMatchObject({ code: 'PASSWORD_REQUIRED' });
    await expect(converted(encrypted, {}, { password: 'Schluessel' })).rejects.toMatchObject({
      code: 'PASSWORD_WRONG',
    });
    const at = encrypted.indexOf(Buffer.from('EncryptedPackage', 'utf16le'));
    expect(at).toBeGreaterThan(0);
    const changed = Buffer.from(encrypted);
    // In the middle of the package.
    changed.writeUInt8((changed[changed.length - 2_000] ?? 0) ^ 1, changed.length - 2_000);
    await expect(converted(changed, {}, { password: 'Schlüssel 1' })).rejects.toMatchObject({
      code: 'INVALID_FILE_FORMAT',
    });
  });

  test('does not need it if it is not encrypted', async () => {
    expect(textOf((await converted(letter, {}, { password: 'any' })).bytes)).toContain('First');
  });
});

describe('an image', () => {
  const pages = pagesOfText(['1', '2', '3']);
  const image = async (query: object) => await converted(pages, { to: 'png', ...query });

  test('is of the page and the resolution of the request', async () => {
    const { bytes, report, contentType } = await image({ pages: '2', dpi: '150' });
    expect(pngSize(bytes)).toEqual({ width: 1240, height: 1754 });
    expect([report.pages, contentType]).toEqual([3, 'image/png']);
    const [first, other] = [await image({ dpi: '50' }), await image({ pages: '3', dpi: '50' })];
    expect(pngSize(first.bytes)).toEqual(pngSize(other.bytes));
    expect(first.bytes.equals(other.bytes)).toBe(false);
  });

  test('has about the size that the engine gives it unless the caller asks for another', async () => {
    const [own, first] = [pngSize((await image({ pages: '1' })).bytes), pngSize((await image({})).bytes)];
    expect(Math.abs(own.width - first.width)).toBeLessThan(2);
    expect(Math.abs(own.height - first.height)).toBeLessThan(2);
  });

  test('of a page that does not exist, or with too many pixels, is refused by the name of the option', async () => {
    await expect(image({ pages: '4' })).rejects.toMatchObject({ details: [{ field: 'pages' }] });
    const poster = docxOf('<w:p><w:pPr><w:sectPr><w:pgSz w:w="31680" w:h="31680"/></w:sectPr></w:pPr></w:p>');
    await expect(converted(poster, { to: 'png', dpi: '600' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'dpi', issue: expect.stringContaining('pixels at 600 dpi') }],
    });
  });
});
