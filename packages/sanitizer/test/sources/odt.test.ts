import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { png } from '@scriptorium/testing/fixtures/not-docx';
import { ODT_TYPE, odfXml, odtEntries, odtWith } from '@scriptorium/testing/fixtures/odt';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { CHART, frame, image, rebuilt } from './odt-pieces.ts';
import { BOMB_MS_MAX, partsOf, prepare, refusal } from './sanitizer-under-test.ts';

describe('an OpenDocument text', () => {
  test('keeps its text, pictures, charts, formulas, fonts, links and sections', async () => {
    const text =
      '<text:p>Hello <text:a xlink:href="https://example.org/">link</text:a> <text:a xlink:href="#top">top</text:a>' +
      '<text:a xlink:href="../beside.odt">beside</text:a><text:s text:c="3"/></text:p>' +
      `${image('Pictures/1.png')}${image('./Pictures/1.png')}` +
      '<text:section text:name="a"><text:section-source text:section-name="b"/><text:p>own</text:p></text:section>' +
      `${frame('<draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/>')}` +
      `${frame('<draw:object xlink:href="./Object 2"/>')}` +
      '<table:table><table:table-row><table:table-cell table:number-columns-repeated="3"><text:p>x</text:p></table:table-cell></table:table-row></table:table>';
    const before =
      '<office:scripts/><office:font-face-decls><style:font-face style:name="F"><svg:font-face-src>' +
      '<svg:font-face-uri xlink:href="Fonts/f.ttf"/></svg:font-face-src></style:font-face></office:font-face-decls>';
    const file = execFileSync('fc-match', ['-f', '%{file}', 'DejaVu Sans'], { encoding: 'utf8' });
    const formula = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>';
    const parts = [
      { name: 'styles.xml', data: odfXml('styles', '<office:styles/>') },
      { name: 'Pictures/1.png', data: png() },
      CHART,
      { name: 'ObjectReplacements/Object 1', data: 'VCLMTF\x01\0' },
      { name: 'Object 2/content.xml', data: formula },
      { name: 'Fonts/f.ttf', data: readFileSync(file) },
    ];
    const document = odtWith({ text, before, parts });
    expect((await prepare('odt', document)).dropped).toEqual([]);
    const kept = await rebuilt(document);
    expect(kept['content.xml']).toBe(
      odfXml(
        'content',
        `${before.replace('<office:scripts/>', '')}<office:body><office:text>${text}</office:text></office:body>`,
      ),
    );
    expect(kept['Object 1/content.xml']).toBe(CHART.data);
    expect(kept['Object 2/content.xml']).toBe(formula);
    expect(Object.keys(kept).at(0)).toBe('mimetype');
    expect(Object.keys(kept).sort()).toEqual(
      [...['mimetype', 'content.xml', 'META-INF/manifest.xml'], ...parts.map(({ name }) => name)].sort(),
    );
    for (const { name } of parts) expect(kept['META-INF/manifest.xml']).toContain(`full-path="${name}"`);
  });

  test('names a picture that its package lacks', async () => {
    const { dropped } = await prepare('odt', odtWith({ text: image('Pictures/1.png') }));
    expect(dropped).toEqual([{ what: 'image', part: 'content.xml', detail: 'Pictures/1.png' }]);
  });

  test('shows the error of a formula that a sheet holds as a number', async () => {
    const cell = (type: string, value: string, shown: string) =>
      `<table:table-cell table:formula="of:=1/0" office:value-type="${type}"${value}><text:p>${shown}</text:p></table:table-cell>`;
    const cells = cell('float', ' office:value="0"', '#DIV/0!') + cell('float', ' office:value="1"', '1 #');
    const sheet = `<table:table><table:table-row>${cells}</table:table-row></table:table>`;
    const { bytes } = await prepare('ods', odtWith({ body: 'spreadsheet', text: sheet }));
    const shown = ((await partsOf(bytes))['content.xml'] ?? '').match(/<table:table-cell.*?<text:p>/g);
    expect(shown?.map((tag) => tag.replace(/ +/g, ' '))).toEqual([
      '<table:table-cell office:value-type="string" ><text:p>',
      '<table:table-cell office:value-type="float" office:value="1"><text:p>',
    ]);
  });

  test('begins with its uncompressed `mimetype`, as readers expect', async () => {
    const { bytes } = await prepare('odt', odtWith());
    expect(bytes.toString('latin1', 30, 38 + ODT_TYPE.length)).toBe(`mimetype${ODT_TYPE}`);
  });

  test.each([
    ['a template', odtWith({ mimetype: `${ODT_TYPE}-template` })],
    ['a package with a later `mimetype`', zip(odtEntries().reverse())],
    ['a package without `mimetype`', zip(odtEntries().slice(1))],
    ['a package with a line end after its `mimetype`', odtWith({ mimetype: `${ODT_TYPE}\n` })],
    [
      'a package in UTF-16',
      zip(
        odtEntries().map((it) =>
          it.name === 'content.xml'
            ? { ...it, data: Buffer.from(`\ufeff${it.data}`.replace('UTF-8', 'UTF-16'), 'utf16le') }
            : it,
        ),
      ),
    ],
  ])('may be %s', async (_name, document) => {
    const kept = await rebuilt(document);
    expect(kept['content.xml']).toContain('<text:p>Hello</text:p>');
    expect(kept.mimetype).toBe(ODT_TYPE);
  });

  test('loses parts without visible content, without a report', async () => {
    const parts = [
      { name: 'Thumbnails/thumbnail.png', data: png() },
      { name: 'Configurations2/accelerator/current.xml', data: '<evil/>' },
      { name: 'manifest.rdf', data: '<evil/>' },
      { name: 'META-INF/documentsignatures.xml', data: '<evil/>' },
      { name: 'layout-cache', data: 'evil' },
      { name: 'meta.xml', data: odfXml('meta', '<office:meta><meta:template xlink:href=""/></office:meta>') },
    ];
    expect((await prepare('odt', odtWith({ parts }))).dropped).toEqual([]);
    expect(Object.keys(await rebuilt(odtWith({ parts })))).toEqual([
      'mimetype',
      'content.xml',
      'meta.xml',
      'META-INF/manifest.xml',
    ]);
  });
});

describe('an OpenDocument text is rejected', () => {
  const encryption = '<manifest:encryption-data manifest:checksum="x"/>';
  const withDoctype = odtEntries().map((it) =>
    it.name === 'content.xml'
      ? { ...it, data: `<!DOCTYPE a [<!ENTITY b "c">]>${odfXml('content', '')}` }
      : it,
  );
  test.each([
    ['with a password', odtWith({ manifestInner: encryption }), 'DOCUMENT_ENCRYPTED', 'password'],
    ['with a DOCTYPE', zip(withDoctype), 'INVALID_FILE_FORMAT', 'DOCTYPE'],
    [
      'without its content',
      zip(odtEntries().filter(({ name }) => name !== 'content.xml')),
      'INVALID_FILE_FORMAT',
      'content.xml',
    ],
    [
      'without its manifest',
      zip(odtEntries().filter(({ name }) => !name.includes('manifest'))),
      'INVALID_FILE_FORMAT',
      'ODT',
    ],
    ['if it is truncated', odtWith().subarray(0, 400), 'INVALID_FILE_FORMAT', 'truncated'],
    ['with the same part twice', zip([...odtEntries(), ...odtEntries()]), 'INVALID_FILE_FORMAT', 'twice'],
    [
      'if its content is a spreadsheet',
      zip(
        odtEntries().map((it) =>
          it.name === 'content.xml'
            ? { ...it, data: odfXml('content', '<office:body><office:spreadsheet/></office:body>') }
            : it,
        ),
      ),
      'INVALID_FILE_FORMAT',
      'does not contain a text document',
    ],
    [
      'if its `mimetype` is that of a spreadsheet',
      odtWith({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }),
      'INVALID_FILE_FORMAT',
      'ODS',
    ],
  ])('%s', async (_name, document, code, part) => {
    const refused = await refusal('odt', document);
    expect(refused.code).toBe(code);
    expect(refused.message).toContain(part);
  });

  const cells = (attributes: string) =>
    `<table:table><table:table-row table:number-rows-repeated="1000"><table:table-cell ${attributes}/></table:table-row></table:table>`;
  test.each([
    [
      'deeply nested elements',
      '<text:span>'.repeat(300) + '</text:span>'.repeat(300),
      'levels of nested elements',
    ],
    [
      'deeply nested tables',
      '<table:table>'.repeat(21) + '</table:table>'.repeat(21),
      'levels of nested tables',
    ],
    ['repeated cells', cells('table:number-columns-repeated="1000"'), 'table cells'],
    [
      'repeated columns',
      '<table:table><table:table-column table:number-columns-repeated="4294967295"/></table:table>',
      'table cells',
    ],
    ['spanned cells', cells('table:number-columns-spanned="1000"'), 'table cells'],
    ['repeated spaces', '<text:p><text:s text:c="2147483647"/></text:p>', 'repeated spaces'],
  ])('for %s', async (_name, text, bound) => {
    const startedAt = process.cpuUsage();
    const { code, message } = await refusal('odt', odtWith({ text }));
    expect(code).toBe('DOCUMENT_TOO_COMPLEX');
    expect(message).toContain(bound);
    expect(cpuMsSince(startedAt)).toBeLessThan(BOMB_MS_MAX);
  });

  testInWhole('for an archive that inflates beyond the bound', async () => {
    const zeros = Buffer.alloc(130 * 1024 * 1024);
    const parts = ['a', 'b'].map((name) => ({ name: `Pictures/${name}`, data: zeros }));
    const document = odtWith({ parts });
    const startedAt = process.cpuUsage();
    const { code, message } = await refusal('odt', document);
    expect({ code, message }).toEqual({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: 'The document has more than 268,435,456 bytes when unpacked.',
    });
    expect(cpuMsSince(startedAt)).toBeLessThan(BOMB_MS_MAX);
  });

  test('for a picture with too many pixels', async () => {
    const data = Buffer.from(png());
    data.writeUInt32BE(60_000, 16);
    data.writeUInt32BE(60_000, 20);
    const { message } = await refusal('odt', odtWith({ parts: [{ name: 'Pictures/1.png', data }] }));
    expect(message).toBe('The part Pictures/1.png has more than 50,000,000 pixels in one image.');
  });
});

describe('the fields of an OpenDocument text', () => {
  const field = (name: string, attributes = '', text = `stored ${name}`) =>
    `<text:${name}${attributes}>${text}</text:${name}>`;
  const stored = ['date', 'time', 'file-name', 'word-count', 'table-count', 'sender-city', 'title'];
  const live = ['page-number', 'page-count', 'sequence'];
  const text = `<text:p>${[...stored, ...live].map((name) => field(name)).join('')}${field('date', ' text:fixed="true"')}<text:file-name/></text:p>`;
  const contentOf = async (updateFields: 'none' | 'all') => {
    const { bytes, facts } = await prepare('odt', odtWith({ text }), { updateFields });
    return { content: (await partsOf(bytes))['content.xml'] ?? '', frozen: facts?.frozenFields };
  };

  test('are the text that they last showed, except those of pages', async () => {
    const { content, frozen } = await contentOf('none');
    const fixed = field('date', ' text:fixed="true"');
    const texts = stored.map((name) => `stored ${name}`).join('');
    expect(content).toContain(`<text:p>${texts}${live.map((name) => field(name)).join('')}${fixed}</text:p>`);
    expect(frozen).toEqual({
      ...{ DATE: 1, TIME: 1, FILENAME: 2, NUMWORDS: 1, 'table-count': 1, USERADDRESS: 1, TITLE: 1 },
    });
  });

  test('stay if the caller updates them, unless they are about the author or this service', async () => {
    const { content, frozen } = await contentOf('all');
    expect(content).toContain(`${field('date') + field('time')}stored file-name${field('word-count')}`);
    expect(frozen).toEqual({ FILENAME: 2, USERADDRESS: 1 });
  });
});
