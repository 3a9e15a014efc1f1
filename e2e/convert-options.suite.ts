import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { documentXml, docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { textCell, workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { zip } from '@scriptorium/testing/fixtures/zip';
import type { Deployment } from './service.ts';
import { sharedService } from './shared-service.ts';

let service: Deployment;
let key: string;
let folder: string;

beforeAll(async () => {
  service = await sharedService();
  key = await service.register();
  folder = mkdtempSync(join(tmpdir(), 'scriptorium-options-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

async function converted(file: Uint8Array, query: string): Promise<{ response: Response; bytes: Buffer }> {
  const response = await service.convert(key, file, 'letter', { query });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect({ status: response.status, body: response.ok ? '' : bytes.toString() }).toEqual({
    status: 200,
    body: '',
  });
  return { response, bytes };
}

function textOf(pdf: Buffer): string {
  const file = join(folder, 'text.pdf');
  writeFileSync(file, pdf);
  return execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' });
}

/** A document with this body. */
function docxOf(body: string): Buffer {
  const mainXml = documentXml(['HERE']).replace(/<w:p>.*<\/w:p>/, body);
  return zip(packageEntries({ mainXml }));
}

const run = (text: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const BREAK = '<w:r><w:br w:type="page"/></w:r>';
const WHO = 'w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"';

const reviewed = docxOf(
  `<w:p>${run('The price is ')}<w:del ${WHO}><w:r><w:delText>ten</w:delText></w:r></w:del>` +
    `<w:ins ${WHO}>${run('twelve')}</w:ins>${run(' coins.')}</w:p>`,
);
const threePages = docxOf(
  `<w:p>${run('first page')}${BREAK}${run('second page')}${BREAK}${run('third page')}</w:p>`,
);

describe('a conversion with options', () => {
  test.each([
    ['markup', 'The price is tentwelve coins.'],
    ['final', 'The price is twelve coins.'],
    ['original', 'The price is ten coins.'],
  ])('shows tracked changes as asked: revisions=%s', async (revisions, text) => {
    const { response, bytes } = await converted(reviewed, `from=docx&revisions=${revisions}`);
    expect(textOf(bytes)).toContain(text);
    expect(response.headers.get('x-conversion-report')).toContain('revisions=2');
  });

  test('returns the requested pages, and names those that do not exist', async () => {
    const { response, bytes } = await converted(threePages, 'from=docx&pages=1,3-');
    expect(response.headers.get('x-page-count')).toBe('2');
    expect(textOf(bytes)).toMatch(/first page[\s\S]*third page/);
    expect(textOf(bytes)).not.toContain('second page');
    const refused = await service.convert(key, threePages, 'letter', { query: 'from=docx&pages=2-4,7' });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'pages', issue: 'asks for page 7; the document has 3 pages' }],
    });
  });

  test('returns PDF/A and PDF/UA with their metadata', async () => {
    const { bytes } = await converted(docxWith(['Archived.']), 'from=docx&pdfa=2b&pdfua=true');
    const pdf = bytes.toString('latin1');
    expect(pdf).toMatch(/pdfaid:part>2</);
    expect(pdf).toMatch(/pdfaid:conformance>B</);
    expect(pdf).toMatch(/pdfuaid:part>1</);
    // The title is the name of the file.
    expect(pdf).toMatch(/<dc:title><rdf:Alt><rdf:li xml:lang="x-default">letter</);
    expect(pdf).toMatch(/DisplayDocTitle true/);
  });

  test('keeps the last shown date of a field unless updates are requested', async () => {
    const dated = docxOf(
      `<w:p><w:fldSimple w:instr=" DATE \\@ &quot;yyyy&quot; ">${run('1999')}</w:fldSimple></w:p>`,
    );
    expect(textOf((await converted(dated, 'from=docx')).bytes)).toContain('1999');
    const updated = await converted(dated, 'from=docx&updateFields=all');
    expect(textOf(updated.bytes)).toContain(String(new Date().getFullYear()));
  });

  test('reports replaced fonts, and refuses them with strictFonts', async () => {
    const file = docxOf(
      `<w:p>${run('Fancy', '<w:rFonts w:ascii="No Such Font" w:hAnsi="No Such Font"/>')}</w:p>`,
    );
    const { response } = await converted(file, 'from=docx');
    expect(response.headers.get('x-conversion-warnings')).toBe('1');
    const strict = await service.convert(key, file, 'letter', { query: 'from=docx&strictFonts=true' });
    expect(strict.status).toBe(422);
    expect(await strict.json()).toMatchObject({
      code: 'FONT_UNAVAILABLE',
      details: [{ field: 'file', issue: 'the font “No Such Font” is not installed' }],
    });
  });

  test('sends the report as a second part if the caller accepts it', async () => {
    const response = await service.convert(key, reviewed, 'letter', { accept: 'multipart/mixed' });
    const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const json = /\r\n\r\n(\{"pages".*\})\r\n--/.exec(body)?.[1] ?? '';
    expect(JSON.parse(json)).toMatchObject({
      pages: 1,
      revisions: { insertions: 1, deletions: 1, shown: 'markup' },
      engine: { name: 'libreofficekit', attempts: 1 },
    });
  });
});

describe('a PDF that the part `request` of a form describes', () => {
  const file = { name: 'a.txt', base64: Buffer.from('attached').toString('base64') };

  async function finished(request: object, query = 'from=docx'): Promise<{ status: number; bytes: Buffer }> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(docxWith(['Secret offer.']))]), 'letter.docx');
    form.append('request', JSON.stringify(request));
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${service.url}/v1/convert?${query}`, {
      method: 'POST',
      headers,
      body: form,
    });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  test('opens with its passwords, and has its watermark, properties and files', async () => {
    const { status, bytes } = await finished({
      encrypt: { password: 'open', ownerPassword: 'own', permissions: ['print'] },
      watermark: 'Draft',
      metadata: { title: 'Offer' },
      attach: [file],
    });
    expect(status).toBe(200);
    const path = join(folder, 'protected.pdf');
    writeFileSync(path, bytes);
    const ask = (program: string, ...args: string[]) =>
      execFileSync(program, [...args, path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    expect(ask('pdfinfo', '-upw', 'open')).toMatch(/Title: +Offer[\s\S]*print:yes copy:no/);
    expect(ask('pdfdetach', '-upw', 'open', '-list')).toContain('a.txt');
    expect(() => ask('pdfinfo', '-upw', 'wrong')).toThrow();
  });

  test('is refused with the name of what it cannot get', async () => {
    const { status, bytes } = await finished({ watermark: 'a\u{f0000}' });
    expect(status).toBe(400);
    expect(JSON.parse(bytes.toString())).toMatchObject({ details: [{ field: 'watermark' }] });
  });
});

describe('a conversion to another format', () => {
  const letter = docxWith(['Dear reader,', 'the weather is fine.']);
  test.each([
    ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'PK'],
    ['odt', 'application/vnd.oasis.opendocument.text', 'PK'],
    ['html', 'text/html; charset=utf-8', '<!DOCTYPE html'],
    ['txt', 'text/plain; charset=utf-8', 'Dear reader,'],
    ['png', 'image/png', '\x89PNG'],
  ])('gives %s', async (to, type, start) => {
    const { response, bytes } = await converted(letter, `from=docx&to=${to}`);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="letter.${to}"`);
    expect(bytes.toString('latin1', 0, start.length)).toBe(start);
  });

  test.each(few(['odt', 'html', 'txt'], 1))('and back from %s keeps the text', async (format) => {
    const { bytes } = await converted(letter, `from=docx&to=${format}`);
    const back = await converted(bytes, `from=${format}`);
    expect(textOf(back.bytes)).toMatch(/Dear reader,[\s\S]*the weather is fine\./);
  });

  test('reads Markdown and RTF', async () => {
    const markdown = await converted(Buffer.from('# Title\n\nSome *emphasis* here.\n'), 'from=md');
    expect(textOf(markdown.bytes)).toMatch(/Title[\s\S]*Some emphasis here\./);
    const rtf = await converted(Buffer.from('{\\rtf1\\ansi Plain {\\b bold} words.}'), 'from=rtf');
    expect(textOf(rtf.bytes)).toContain('Plain bold words.');
  });

  test('makes pages of a workbook and of a CSV, and counts a formula that it cannot calculate', async () => {
    const rows = `<row r="1">${textCell('A1', 'Stored')}<c r="B1"><f>WEBSERVICE("http://x")</f></c></row>`;
    const workbook = workbookWith({ sheets: [{ rows }] });
    const { response, bytes } = await converted(workbook, 'from=xlsx');
    expect(textOf(bytes).trim()).toBe('Stored');
    expect(response.headers.get('x-conversion-warnings')).toBe('1');
    const csv = await converted(Buffer.from('Name;=1+1\n'), 'from=csv&paper=a5');
    expect(textOf(csv.bytes)).toMatch(/Name\s+=1\+1/);
    const refused = await service.convert(key, workbook, 'letter', { query: 'from=pptx' });
    expect(await refused.json()).toMatchObject({
      code: 'INVALID_FILE_FORMAT',
      message: 'The file is an Excel workbook (XLSX), not a PowerPoint presentation (PPTX).',
    });
  });

  test.each(['odt', 'rtf', 'doc'])('refuses a DOCX that is declared as %s', async (from) => {
    const refused = await service.convert(key, letter, 'letter', { query: `from=${from}` });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });
});
