import { expect, test } from '@jest/globals';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import { presentationWith, textShape } from '@scriptorium/testing/fixtures/presentation';
import { LibreOfficeConvertEngine } from '../../src/engines/libreoffice-convert.ts';
import { pagesOfText } from '../rigs/documents.ts';
import { textOf } from '../rigs/pdf-text.ts';
import { descendants } from '../rigs/processes.ts';
import { describeEngine } from './engine.suite.ts';
import { describeFormats, make } from './formats.suite.ts';

describeEngine('libreoffice-convert', {
  make: (slots, workRoot) => new LibreOfficeConvertEngine({ slots, workRoot }),
  // The confined child of the process that the package started; the kernel cuts names.
  busyProcess: () =>
    descendants().find(({ name, parent }) => name === 'confined-soffic' && parent !== process.pid),
});

const engine = new LibreOfficeConvertEngine({ slots: 1 });
describeFormats(engine, 'each once');

test('the libreoffice-convert engine reports that it cannot update a table of contents', async () => {
  const document = pagesOfText(['text']);
  await expect(make(engine, document, { updateFields: 'toc' })).rejects.toMatchObject({
    kind: 'unsupported',
  });
});

const TEXTS = ['first', 'second', 'third', 'fourth'];

/** Slides of which some are hidden. */
function slides(format: 'pptx' | 'odp', hidden: readonly string[]): Buffer {
  if (format === 'pptx')
    return presentationWith({
      slides: TEXTS.map((text) => ({ shapes: textShape(text), isHidden: hidden.includes(text) })),
    });
  const before = `<office:automatic-styles><style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style></office:automatic-styles>`;
  const pages = TEXTS.map(
    (text) =>
      `<draw:page draw:name="${text}"${hidden.includes(text) ? ' draw:style-name="dp"' : ''}><draw:frame svg:width="8cm" svg:height="2cm" svg:x="1cm" svg:y="1cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`,
  );
  return odtWith({ body: 'presentation', before, text: pages.join('') });
}

test.each(['pptx', 'odp'] as const)(
  'the libreoffice-convert engine gives the pages of %s that are asked for, without hidden slides',
  async (from) => {
    const started = new LibreOfficeConvertEngine({ slots: 1 });
    await started.start();
    const pagesOf = async (hidden: string[], pages: string) => {
      const { bytes, documentPages } = await make(started, slides(from, hidden), { from, pages });
      return [textOf(bytes), documentPages];
    };
    try {
      expect(await pagesOf(['second'], '2')).toEqual(['third', 3]);
      expect(await pagesOf(['first', 'third'], '1-2')).toEqual(['second fourth', 2]);
      expect(await pagesOf(['second'], '1,3-')).toEqual(['first fourth', 3]);
      expect(await pagesOf([], '2')).toEqual(['second', 4]);
      const refused = make(started, slides(from, ['second']), { from, pages: '4' });
      await expect(refused).rejects.toMatchObject({ kind: 'no-such-page', documentPages: 3 });
    } finally {
      await started.close();
    }
  },
  180_000,
);

test('the libreoffice-convert engine refuses pages of slides that may inherit a style that hides them', async () => {
  const started = new LibreOfficeConvertEngine({ slots: 1 });
  await started.start();
  const before = `<office:automatic-styles><style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style><style:style style:name="own" style:family="drawing-page" style:parent-style-name="dp"/></office:automatic-styles>`;
  const document = odtWith({ body: 'presentation', before, text: '<draw:page draw:style-name="own"/>' });
  const refused = make(started, document, { from: 'odp', pages: '1' });
  await expect(refused.finally(() => started.close())).rejects.toMatchObject({ kind: 'unsupported' });
});
