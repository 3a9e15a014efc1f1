import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { compareDocuments } from '@scriptorium/rendering/compare-documents';
import type { EngineSource } from '@scriptorium/sanitizer/sources';
import { few } from '@scriptorium/testing/extent';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import { presentationWith } from '@scriptorium/testing/fixtures/presentation';
import { workbookWith } from '@scriptorium/testing/fixtures/workbook';
import type { Outcome } from '../rigs/convert-once.ts';
import { docxOf, htmlWith, NAMESPACES, rtfWith } from '../rigs/documents.ts';
import { LAYOUTS, layoutDocument } from '../rigs/layouts.ts';
import { textOf } from '../rigs/pdf-text.ts';
import { buildProbe, REFUSE } from './probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'unconfined-'));
const convertOnce = fileURLToPath(new URL('../rigs/convert-once.ts', import.meta.url));
const NODE = [process.execPath, '--conditions=source', '--disable-warning=ExperimentalWarning', convertOnce];

buildProbe();
afterAll(() => rmSync(folder, { recursive: true }));

/** The PDFs of the documents by each engine, with the walls or without any. */
function pdfsOf(paths: readonly string[], isConfined: boolean): Buffer[][] {
  const [command = '', ...args] = [...(isConfined ? [] : [REFUSE, 'both']), ...NODE];
  const sandbox = isConfined ? 'required' : 'degraded';
  const options = { encoding: 'utf8', env: { PATH: process.env.PATH }, maxBuffer: 2 ** 28 } as const;
  const outcome = JSON.parse(execFileSync(command, [...args, sandbox, folder, ...paths], options)) as Outcome;
  if ('error' in outcome) throw new Error(outcome.error);
  return outcome.engines.map(({ pdfs }) => pdfs.map((pdf) => Buffer.from(pdf, 'base64')));
}

const paragraph = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
const text = (words: string, look = '') => `<w:r><w:rPr>${look}</w:rPr><w:t>${words}</w:t></w:r>`;
const FORMATS = ['ordinal', 'cardinalText', 'ordinalText', 'chineseCounting', 'japaneseCounting', 'hebrew1'];

function listDocument(): Buffer {
  const definitions = FORMATS.map(
    (format, at) =>
      `<w:abstractNum w:abstractNumId="${at}"><w:lvl w:ilvl="0"><w:start w:val="11"/><w:numFmt w:val="${format}"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum>`,
  );
  const lists = FORMATS.map((_, at) => `<w:num w:numId="${at + 1}"><w:abstractNumId w:val="${at}"/></w:num>`);
  const body = FORMATS.map((format, at) =>
    paragraph(text(format), `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="${at + 1}"/></w:numPr>`),
  );
  const data = `<w:numbering ${NAMESPACES}>${definitions.join('')}${lists.join('')}</w:numbering>`;
  return docxOf(body.join(''), [{ name: 'numbering.xml', kind: 'numbering', data }]);
}

function hyphenDocument(): Buffer {
  const words =
    'Donaudampfschifffahrtsgesellschaft Verantwortungsbewusstsein Rechtsschutzversicherung '.repeat(8);
  const data = `<w:settings ${NAMESPACES}><w:autoHyphenation/></w:settings>`;
  const body = paragraph(
    text(words, '<w:lang w:val="de-DE"/>'),
    '<w:ind w:right="5000"/><w:jc w:val="both"/>',
  );
  return docxOf(body, [{ name: 'settings.xml', kind: 'settings', data }]);
}

const OFFICE = 'http://schemas.openxmlformats.org';

function mathDocument(): Buffer {
  const piece = (words: string) => `<m:r><m:t>${words}</m:t></m:r>`;
  const math =
    `<m:oMath xmlns:m="${OFFICE}/officeDocument/2006/math"><m:f><m:num>${piece('∑α')}</m:num><m:den>${piece('√β')}</m:den></m:f>` +
    `<m:nary><m:naryPr><m:chr m:val="∫"/></m:naryPr><m:sub>${piece('0')}</m:sub><m:sup>${piece('∞')}</m:sup><m:e>${piece('x')}</m:e></m:nary></m:oMath>`;
  return docxOf(paragraph(math));
}

function shapeDocument(): Buffer {
  const shape = (kind: string) =>
    `<w:r><w:drawing><wp:inline xmlns:wp="${OFFICE}/drawingml/2006/wordprocessingDrawing"><wp:extent cx="900000" cy="900000"/><wp:docPr id="1" name="a"/>` +
    `<a:graphic xmlns:a="${OFFICE}/drawingml/2006/main"><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">` +
    '<wps:wsp xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:cNvSpPr/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm>' +
    `<a:prstGeom prst="${kind}"><a:avLst/></a:prstGeom><a:solidFill><a:srgbClr val="3366AA"/></a:solidFill></wps:spPr><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
  return docxOf(paragraph(['star5', 'gear6', 'cloud', 'heart', 'wave', 'sun'].map(shape).join('')));
}

function wordDocument(): Buffer {
  const samples = [
    ...['Ελληνικά', 'Русский', 'עברית', 'العربية', 'हिन्दी', 'ไทย', '日本語', '한국어', '✓ ☎ ♫', 'ﬁ ﬂ', '𝒜𝔅'],
    ...['Arial', 'Calibri', 'Wingdings', 'Symbol'].map((font) => `<${font}`),
  ];
  const body = samples.map((sample) =>
    sample.startsWith('<')
      ? paragraph(text('abc 123', `<w:rFonts w:ascii="${sample.slice(1)}" w:hAnsi="${sample.slice(1)}"/>`))
      : paragraph(text(sample)),
  );
  return docxOf(body.join(''));
}

const SLIDE =
  '<draw:page draw:name="1"><draw:frame svg:width="8cm" svg:height="2cm" svg:x="1cm" svg:y="1cm"><draw:text-box><text:p>Grüße</text:p></draw:text-box></draw:frame></draw:page>';
const place = () => text('a place that is filled');
/** Both engines convert the first five; see `convert-once.ts`. */
const DOCUMENTS: readonly (readonly [name: string, make: () => Buffer, from?: EngineSource])[] = [
  ['numbers in words', listDocument],
  ['hyphens', hyphenDocument],
  ['formulas', mathDocument],
  ['preset shapes', shapeDocument],
  ['scripts and fonts', wordDocument],
  ...few(Object.entries(LAYOUTS), 3, 3).map(
    ([name, layout]) => [name, () => layoutDocument(layout(place))] as const,
  ),
  ['a spreadsheet', () => workbookWith(), 'xlsx'],
  ['a presentation', () => presentationWith(), 'pptx'],
  ['an OpenDocument text', () => odtWith(), 'odt'],
  ['an OpenDocument presentation', () => odtWith({ body: 'presentation', text: SLIDE }), 'odp'],
  ['a rich text', () => rtfWith('Words'), 'rtf'],
  ['a page', () => htmlWith('Grüße'), 'html'],
];

describe('the walls do not change', () => {
  let confined: Buffer[][] = [];
  let free: Buffer[][] = [];
  beforeAll(() => {
    const paths = DOCUMENTS.map(([, make, from = 'docx'], at) => {
      const path = join(folder, `${at}.${from}`);
      writeFileSync(path, make());
      return path;
    });
    [confined, free] = [pdfsOf(paths, true), pdfsOf(paths, false)];
    expect([confined, free].map((engines) => engines.map(({ length }) => length))).toEqual(
      Array.from({ length: 2 }, () => [DOCUMENTS.length, 5]),
    );
  }, 120_000);

  test.each(DOCUMENTS.map(([name], at) => [name, at] as const))('%s', async (_name, at) => {
    for (const [engine, pdfs] of confined.entries()) {
      const [pdf, other] = [pdfs[at], free[engine]?.[at]];
      if (pdf === undefined || other === undefined) continue;
      expect(textOf(pdf)).toBe(textOf(other));
      expect(await compareDocuments(pdf, other)).toBeUndefined();
    }
  });
});
