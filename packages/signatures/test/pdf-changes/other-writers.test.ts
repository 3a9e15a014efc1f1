import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import { expect, test } from '@jest/globals';
import { formPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { outcomeOf } from '@scriptorium/testing/judges/programs';
import { signedOnce } from './contract.ts';
import { historyOf, verdicts } from './revisions.ts';

/** A form made by pdf-lib, with text above. */
async function form(useObjectStreams: boolean): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  const page = pdf.addPage([400, 600]);
  page.drawText('Agreement', { x: 50, y: 500, font: await pdf.embedFont(StandardFonts.Helvetica), size: 12 });
  const fields = pdf.getForm();
  fields.createTextField('name').addToPage(page, { x: 50, y: 400, width: 150, height: 20 });
  fields.createCheckBox('agreed').addToPage(page, { x: 50, y: 370, width: 15, height: 15 });
  const radio = fields.createRadioGroup('copies');
  radio.addOptionToPage('one', page, { x: 50, y: 340, width: 15, height: 15 });
  radio.addOptionToPage('two', page, { x: 80, y: 340, width: 15, height: 15 });
  const list = fields.createDropdown('country');
  list.addOptions(['AT', 'CH']);
  list.addToPage(page, { x: 50, y: 310, width: 100, height: 20 });
  return Buffer.from(await pdf.save({ useObjectStreams }));
}

test.each([false, true])(
  'filling in a form with pdf-lib is only form filling (object streams: %s)',
  async (packs) => {
    const signed = await signedOnce(await form(packs));
    const pdf = await PDFDocument.load(signed, { forIncrementalUpdate: true });
    const fields = pdf.getForm();
    fields.getTextField('name').setText('Ada');
    fields.getCheckBox('agreed').check();
    fields.getRadioGroup('copies').select('two');
    fields.getDropdown('country').select('CH');
    fields.updateFieldAppearances();
    const later = Buffer.from(await pdf.save({ useObjectStreams: packs }));
    expect(later.subarray(0, signed.length).equals(signed)).toBe(true);
    const changes = historyOf(signed, later).step(2);
    expect(new Set(changes.map(({ level, code }) => `${level} ${code}`))).toEqual(
      new Set(['permitted FIELD_VALUE']),
    );
    expect(new Set(changes.map(({ field }) => field))).toEqual(
      new Set(['name', 'agreed', 'copies', 'country']),
    );
  },
);

test('signing an empty field with MuPDF is only a signature', async () => {
  const signed = await signedOnce(formPdf());
  const folder = await mkdtemp(join(tmpdir(), 'mupdf-'));
  try {
    const at = (name: string) => join(folder, name);
    await writeFile(at('in.pdf'), signed);
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', at('key.pem'), '-out', at('certificate.pem')];
    await outcomeOf('openssl', ['req', '-x509', ...key, '-days', '30', '-subj', '/CN=Bob']);
    const pair = ['-inkey', at('key.pem'), '-in', at('certificate.pem')];
    await outcomeOf('openssl', [
      'pkcs12',
      '-export',
      ...pair,
      '-out',
      at('key.pfx'),
      '-passout',
      'pass:test',
    ]);
    const { status, text } = await outcomeOf('mutool', [
      'sign',
      ...['-s', at('key.pfx'), '-P', 'test', '-o', at('out.pdf'), at('in.pdf'), '7'],
    ]);
    expect({ status, text }).toMatchObject({ status: 0 });
    const later = await readFile(at('out.pdf'));
    expect(later.subarray(0, signed.length).equals(signed)).toBe(true);
    expect(verdicts(signed, later)).toEqual(['permitted SIGNATURE_ADDED']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
