import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ConversionReport } from '@scriptorium/contracts/jobs/conversion-report';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { type Rig, startRig } from '../rigs/rig.ts';
import { REPORT } from '../rigs/workers.ts';

let rig: Rig;
let key: string;
let asked: Conversion | undefined;

const LOSSY: ConversionReport = {
  ...REPORT,
  pages: 3,
  warnings: 3,
  fonts: { replaced: [{ asked: 'Garamond', used: 'EB Garamond' }], missingScripts: ['Khmer'] },
  dropped: {
    count: 2,
    items: [
      { what: 'external relationship', part: 'word/document.xml', detail: 'http://example.com/a.png' },
      { what: 'remote template', part: 'word/settings.xml', detail: 'Normal.dotm' },
    ],
  },
  macros: true,
  revisions: { insertions: 2, deletions: 1, moves: 0, formatting: 1, shown: 'final' },
  comments: { count: 5, shown: 'margin' },
};

beforeAll(async () => {
  rig = await startRig();
  ({ key } = await rig.newKey());
  await rig.convertWith(async (bytes, _context, options) => {
    asked = options;
    return { bytes: Buffer.concat([Buffer.from('%PDF-\r\n--'), bytes]), report: LOSSY };
  });
});
afterAll(() => rig.close());

const convert = (query: string, accept?: string) =>
  rig.post(key, docxWith(['text']), { query, ...(accept && { accept }) });

describe('the options of a conversion', () => {
  test('reach the worker as requested', async () => {
    const response = await convert(
      'from=docx&pdfa=2b&pdfua=true&pages=1-3,5,7-&revisions=final&comments=margin&updateFields=toc&strictFonts=true&imageQuality=80&maxImageResolution=0150',
    );
    expect(response.status).toBe(200);
    expect(asked).toMatchObject({
      from: 'docx',
      to: 'pdf',
      pdfa: '2b',
      pdfua: true,
      tagged: true,
      exportFormFields: false,
      pages: '1-3,5,7-',
      revisions: 'final',
      comments: 'margin',
      updateFields: 'toc',
      strictFonts: 'true',
      imageQuality: 80,
      maxImageResolution: 150,
    });
  });

  test('have defaults that do not change the document', async () => {
    await convert('from=docx');
    expect(asked).toMatchObject({
      from: 'docx',
      to: 'pdf',
      pdfua: false,
      tagged: true,
      exportFormFields: false,
      revisions: 'markup',
      comments: 'hide',
      updateFields: 'none',
      strictFonts: 'false',
    });
  });

  test.each([
    ['from', 'from=pdf'],
    ['to', 'from=docx&to=xlsx'],
    ['pdfa', 'from=docx&pdfa=4'],
    ['pdfa', 'from=docx&to=docx&pdfa=2b'],
    ['pdfua', 'from=docx&pdfua=yes'],
    ['pdfua', 'from=docx&to=png&pdfua=true'],
    ['tagged', 'from=docx&tagged=no'],
    ['tagged', 'from=docx&to=png&tagged=false'],
    ['tagged', 'from=docx&pdfua=true&tagged=false'],
    ['tagged', 'from=docx&pdfa=3b&tagged=false'],
    ['pages', 'from=docx&pages=0'],
    ['pages', 'from=docx&pages=3-1'],
    ['pages', 'from=docx&pages=1,,2'],
    ['pages', 'from=docx&pages=-2'],
    ['pages', 'from=docx&pages='],
    ['pages', `from=docx&pages=${'1,'.repeat(200)}1`],
    ['pages', 'from=docx&to=txt&pages=1'],
    ['pages', 'from=docx&to=png&pages=1-2'],
    ['dpi', 'from=docx&dpi=97'],
    ['dpi', 'from=docx&to=png&dpi=9'],
    ['dpi', 'from=docx&to=png&dpi=601'],
    ['dpi', 'from=docx&to=png&dpi=1e2'],
    ['imageQuality', 'from=docx&imageQuality=0'],
    ['imageQuality', 'from=docx&imageQuality=101'],
    ['imageQuality', 'from=docx&imageQuality=-5'],
    ['imageQuality', 'from=docx&to=docx&imageQuality=80'],
    ['maxImageResolution', 'from=docx&maxImageResolution=74'],
    ['maxImageResolution', 'from=docx&maxImageResolution=99999999999999999999'],
    ['exportFormFields', 'from=docx&exportFormFields=no'],
    ['exportFormFields', 'from=docx&to=odt&exportFormFields=true'],
    ['revisions', 'from=docx&revisions=accept'],
    ['revisions', 'from=odt&revisions=final'],
    ['revisions', 'from=xlsx&revisions=final'],
    ['to', 'from=xlsx&to=docx'],
    ['to', 'from=odp&to=txt'],
    ['comments', 'from=ods&comments=margin'],
    ['updateFields', 'from=pptx&updateFields=all'],
    ['delimiter', 'from=txt&delimiter=;'],
    ['delimiter', 'from=csv&delimiter=;;'],
    ['delimiter', 'from=csv&delimiter=%22'],
    ['comments', 'from=docx&comments=show'],
    ['comments', 'from=docx&to=html&comments=margin'],
    ['updateFields', 'from=docx&updateFields=true'],
    ['paper', 'from=docx&paper=a4'],
    ['paper', 'from=md&paper=b4'],
    ['strictFonts', 'from=docx&strictFonts=1'],
    ['strictFonts', 'from=docx&strictFonts=true&strictFonts=true'],
    ['pdfA', 'from=docx&pdfA=2b'],
  ])('are rejected with the name of the invalid one: %s in "%s"', async (field, query) => {
    const response = await convert(query);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: `query.${field}` }],
    });
  });
});

test.each(['from', 'to', 'pdfa', 'pdfua', 'pages', 'revisions', 'comments', 'updateFields', 'strictFonts'])(
  'the option %s that is given twice is rejected as such',
  async (name) => {
    const response = await convert(`${name === 'from' ? '' : 'from=docx&'}${name}=2b&${name}=2b`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      details: [{ field: `query.${name}`, issue: 'is given more than once' }],
    });
  },
);

describe('the report of a conversion', () => {
  test('is counted in headers', async () => {
    const response = await convert('from=docx');
    expect(response.headers.get('x-page-count')).toBe('3');
    expect(response.headers.get('x-conversion-warnings')).toBe('3');
    expect(response.headers.get('x-conversion-report')).toBe(
      'fonts-replaced=1, scripts-missing=1, dropped=2, revisions=4, comments=5, fields-frozen=0, conformance-missing=0, macros=?1',
    );
  });

  test('follows the unchanged document as a second part if the caller accepts that', async () => {
    const response = await convert('from=docx', 'multipart/mixed');
    const [, boundary] =
      /^multipart\/mixed; boundary=(\S+)$/.exec(response.headers.get('content-type') ?? '') ?? [];
    const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const [before, document = '', report = '', after] = body.split(`--${boundary}`);
    expect([before, after]).toEqual(['', '--\r\n']);
    const [head = '', ...rest] = document.split('\r\n\r\n');
    expect(head).toContain('Content-Type: application/pdf');
    expect(head).toContain('filename="letter.pdf"');
    const bytes = Buffer.from(rest.join('\r\n\r\n').slice(0, -2), 'latin1');
    expect(head).toContain(`Content-Length: ${bytes.length}\r\n`.trim());
    expect(bytes.equals(Buffer.concat([Buffer.from('%PDF-\r\n--'), docxWith(['text'])]))).toBe(true);
    const [reportHead = '', json = ''] = report.split('\r\n\r\n');
    expect(reportHead).toContain('Content-Type: application/json');
    expect(JSON.parse(json)).toEqual({
      ...LOSSY,
      timings: { ...LOSSY.timings, queueMs: expect.any(Number) },
    });
  });

  test.each([undefined, '*/*', 'application/pdf', 'application/pdf, multipart/mixed;q=0.5', 'text/plain'])(
    'is not sent to a caller with Accept: %s',
    async (accept) => {
      const response = await convert('from=docx', accept);
      expect(response.headers.get('content-type')).toBe('application/pdf');
      expect(response.headers.get('vary')).toContain('Accept');
    },
  );
});
