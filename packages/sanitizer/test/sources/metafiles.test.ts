import { expect, test } from '@jest/globals';
import { imageDocument } from '@scriptorium/testing/fixtures/hostile/document';
import { emf } from '@scriptorium/testing/fixtures/hostile/image-files';
import { withDrawing } from '@scriptorium/testing/fixtures/hostile/workbooks';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import { presentationWith, slidePicture } from '@scriptorium/testing/fixtures/presentation';
import { workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { SOURCE_SANITIZERS, type SourceFormat } from '../../src/sources/sanitizers.ts';
import type { Metafiles, PreparedSource } from '../../src/sources/source.ts';
import { frame, image } from './odt-pieces.ts';

async function prepare(format: SourceFormat, bytes: Buffer, metafiles?: Metafiles): Promise<PreparedSource> {
  const sanitizer = await SOURCE_SANITIZERS[format]();
  return await sanitizer.prepare(bytes, { revisions: 'markup', updateFields: 'none', metafiles });
}

const PICTURE = emf();
/** A part with the picture, and a relationship to it. */
const part = (name: string) => ({ name, data: PICTURE, type: 'image/x-emf' });
const link = { id: 'rIdE', kind: 'image', target: '../media/image1.emf' };
const odf = (body: 'text' | 'spreadsheet' | 'presentation', text: string) =>
  odtWith({ body, text, parts: [{ name: 'Pictures/1.emf', data: PICTURE }] });
const inTable = `<table:table><table:table-row><table:table-cell>${image('Pictures/1.emf')}</table:table-cell></table:table-row></table:table>`;

function workbookWithPicture(): Buffer {
  const workbook = withDrawing('<a:blip r:embed="rIdE"/>', [link]);
  return workbookWith({ ...workbook, parts: [...(workbook.parts ?? []), part('xl/media/image1.emf')] });
}

const DOCUMENTS: readonly (readonly [SourceFormat, Buffer])[] = [
  ['rtf', Buffer.from(`{\\rtf1 before {\\pict\\emfblip ${PICTURE.toString('hex')}} after}`)],
  ['odt', odf('text', image('Pictures/1.emf'))],
  ['ods', odf('spreadsheet', inTable)],
  [
    'odp',
    odf('presentation', `<draw:page>${frame('<draw:image xlink:href="Pictures/1.emf"/>')}</draw:page>`),
  ],
  ['docx', imageDocument(PICTURE, 'image1.emf', 'image/x-emf')],
  ['xlsx', workbookWithPicture()],
  [
    'pptx',
    presentationWith({
      slides: [{ shapes: slidePicture('r:embed="rIdE"'), links: [link] }],
      parts: [part('ppt/media/image1.emf')],
    }),
  ],
];

test.each(DOCUMENTS)('a metafile of %s stays, or is removed and reported', async (format, bytes) => {
  const [kept, dropped] = [await prepare(format, bytes), await prepare(format, bytes, 'drop')];
  expect(kept.dropped).toEqual([]);
  expect(dropped.dropped).toMatchObject([{ what: 'image' }]);
  expect(dropped.bytes.length).toBeLessThan(kept.bytes.length);
});

test('a binary document, whose metafiles cannot be removed, is rejected', async () => {
  const file = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2_048)]);
  await expect(prepare('doc', file, 'drop')).rejects.toMatchObject({
    code: 'INVALID_FILE_FORMAT',
    message: expect.stringContaining('removes EMF and WMF pictures'),
  });
});
