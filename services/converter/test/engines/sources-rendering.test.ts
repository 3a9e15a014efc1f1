import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { compareDocuments } from '@scriptorium/rendering/compare-documents';
import { type PreparedSource, SOURCE_SANITIZERS, type SourceFormat } from '@scriptorium/sanitizer/sources';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { pngImage } from '@scriptorium/testing/fixtures/hostile/image-files';
import { png } from '@scriptorium/testing/fixtures/not-docx';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import {
  presentationWith,
  slidePicture,
  slideWithDrawing,
  textShape,
} from '@scriptorium/testing/fixtures/presentation';
import { textCell, workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { officeProfile } from '@scriptorium/testing/office';
import { findCommand } from '../../src/engines/installation.ts';
import { pagesOf, textOf } from '../rigs/pdf-text.ts';

const FILTERS: Readonly<Record<PreparedSource['engineSource'], string>> = {
  docx: 'MS Word 2007 XML',
  odt: 'writer8',
  rtf: 'Rich Text Format',
  doc: 'MS Word 97',
  html: 'HTML (StarWriter)',
  xlsx: 'Calc MS Excel 2007 XML',
  ods: 'calc8',
  pptx: 'Impress MS PowerPoint 2007 XML',
  odp: 'impress8',
};

const folder = mkdtempSync(join(tmpdir(), 'rendering-'));
const profile = officeProfile(folder);
let soffice = '';

beforeAll(async () => {
  soffice = (await findCommand()) ?? '';
});
afterAll(() => rmSync(folder, { recursive: true }));

async function converted(bytes: Buffer, filter: string, to: string): Promise<Buffer> {
  const input = join(folder, 'input.bin');
  writeFileSync(input, bytes);
  const args = [profile, '--headless', `--infilter=${filter}`];
  await promisify(execFile)(soffice, [...args, '--convert-to', to, '--outdir', folder, input]);
  const output = join(folder, `input.${to.split(':')[0]}`);
  const result = readFileSync(output);
  rmSync(output);
  return result;
}

/** LibreOffice's PDF of a sanitized document. */
async function rendered(format: SourceFormat, document: string | Buffer): Promise<Buffer> {
  const { bytes, engineSource } = await prepare(format, document);
  return await converted(bytes, FILTERS[engineSource], 'pdf');
}

async function prepare(format: SourceFormat, document: string | Buffer): Promise<PreparedSource> {
  const sanitizer = await SOURCE_SANITIZERS[format]();
  return await sanitizer.prepare(Buffer.from(document), { revisions: 'markup', updateFields: 'none' });
}

const PICTURE = `data:image/png;base64,${png().toString('base64')}`;

describe('LibreOffice reads the sanitizer’s output', () => {
  const rtf = `{\\rtf1\\ansi Gr\\'fc\\'dfe {\\b bold}{\\field{\\*\\fldinst INCLUDETEXT "/etc/passwd"}{\\fldrslt  kept}}\\page{\\object\\objemb{\\*\\objdata 01}{\\result second}}}`;
  const odt = odtWith({
    text:
      '<text:p>Grüße <text:a xlink:href="https://example.org/">link</text:a></text:p>' +
      '<text:section text:name="s"><text:section-source xlink:href="file:///etc/passwd"/><text:p>kept</text:p></text:section>' +
      '<text:p><draw:frame svg:width="1cm" svg:height="1cm" text:anchor-type="as-char"><draw:image xlink:href="Pictures/1.png"/></draw:frame></text:p>',
    parts: [{ name: 'Pictures/1.png', data: png() }],
  });
  /** A cell keeps its stored value, whatever its formula says; one without a value is calculated. */
  const sheets = workbookWith({
    sheets: [
      {
        rows: `<row r="1">${textCell('A1', 'stored', 'UPPER("other")')}<c r="B1"><f>SUM(3,4)</f></c><c r="C1"><f>WEBSERVICE("http://x")</f></c></row>`,
      },
    ],
  });
  test.each<[SourceFormat, string | Buffer, string, number]>([
    ['txt', 'Grüße\n  a < b\n\fsecond page', 'Grüße a < b second page', 2],
    ['md', '# Grüße\n\n*em* `code`\n\n|a|b|\n|-|-|\n|1|2|\n', 'Grüße em code a b 1 2', 1],
    [
      'html',
      `<h1>Grüße</h1><p>text <img src="${PICTURE}"> <img src="file:///etc/x.png" alt="alt"></p><p style="page-break-before: always">second</p>`,
      'Grüße text alt second',
      2,
    ],
    ['rtf', rtf, 'Grüße bold kept second', 2],
    ['odt', odt, 'Grüße link kept', 1],
    ['csv', 'Name;Zahl\r\nGrüße;=1+1\r\n', 'Name Grüße Zahl =1+1', 1],
    ['xlsx', sheets, 'stored 7', 1],
    ['pptx', presentationWith({ slides: [{ shapes: textShape('Grüße') }, {}] }), 'Grüße', 2],
    [
      'ods',
      odtWith({
        body: 'spreadsheet',
        text: '<table:table><table:table-row><table:table-cell office:value-type="string"><text:p>Grüße</text:p></table:table-cell></table:table-row></table:table>',
      }),
      // The page style of a spreadsheet without styles.
      'Sheet1 Grüße Page 1',
      1,
    ],
    [
      'odp',
      odtWith({
        body: 'presentation',
        text: '<draw:page draw:name="1"><draw:frame svg:width="8cm" svg:height="2cm" svg:x="1cm" svg:y="1cm"><draw:text-box><text:p>Grüße</text:p></draw:text-box></draw:frame></draw:page>',
      }),
      'Grüße',
      1,
    ],
  ])('of %s', async (format, document, text, pages) => {
    const pdf = await rendered(format, document);
    expect(textOf(pdf)).toBe(text);
    expect(pagesOf(pdf)).toBe(pages);
  });

  test('for doc', async () => {
    const document = await converted(docxWith(['Grüße', 'second line']), FILTERS.docx, 'doc:MS Word 97');
    expect(textOf(await rendered('doc', document))).toBe('Grüße second line');
  });

  test('for its own odt and rtf', async () => {
    const docx = docxWith(['Grüße', 'second line']);
    const written = [
      ['odt', await converted(docx, FILTERS.docx, 'odt:writer8')],
      ['rtf', await converted(docx, FILTERS.docx, 'rtf:Rich Text Format')],
    ] as const;
    for (const [format, document] of written) {
      expect((await prepare(format, document)).dropped).toEqual([]);
      expect(textOf(await rendered(format, document))).toBe('Grüße second line');
    }
  });

  test('for an object of PowerPoint 2007, whose picture is in a drawing', async () => {
    const image = { id: 'rId3', kind: 'image', target: '../media/image1.png' };
    const parts = [{ name: 'ppt/media/image1.png', data: pngImage(20, 20, { color: [200, 20, 30] }) }];
    const drawn = slideWithDrawing('o:relid="rId3"', [image]);
    const object = presentationWith({ slides: [drawn.slide], parts: [...drawn.parts, ...parts] });
    const { dropped } = await prepare('pptx', object);
    expect(dropped.filter(({ leavesGap }) => leavesGap)).toEqual([]);
    const slides = [{ shapes: slidePicture('r:embed="rId3"'), links: [image] }];
    const picture = await rendered('pptx', presentationWith({ slides, parts }));
    const empty = await rendered('pptx', presentationWith({ slides: [{}], parts }));
    expect(await compareDocuments(await rendered('pptx', object), picture)).toBeUndefined();
    expect(await compareDocuments(empty, picture)).toBeDefined();
  });
});
