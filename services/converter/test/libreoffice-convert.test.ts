import { expect, test } from '@jest/globals';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import { presentationWith, textShape } from '@scriptorium/testing/fixtures/presentation';
import { LibreOfficeConvertEngine } from '../src/engines/libreoffice-convert.ts';
import { pagesOfText } from './documents.ts';
import { describeEngine } from './engine.suite.ts';
import { describeFormats, make } from './formats.suite.ts';
import { textOf } from './pdf-text.ts';
import { descendants } from './processes.ts';

describeEngine('libreoffice-convert', {
  make: (slots, workRoot) => new LibreOfficeConvertEngine({ slots, workRoot }),
  // The confined child of the process that the package started; the kernel cuts names.
  busyProcess: () =>
    descendants().find(({ name, parent }) => name === 'confined-soffic' && parent !== process.pid),
});

const engine = new LibreOfficeConvertEngine({ slots: 1 });
describeFormats(engine);

test('the libreoffice-convert engine reports that it cannot update a table of contents', async () => {
  const document = pagesOfText(['text']);
  await expect(make(engine, document, { updateFields: 'toc' })).rejects.toMatchObject({
    kind: 'unsupported',
  });
});

/** Three slides, of which the second is hidden. */
function slides(format: 'pptx' | 'odp', isHidden: boolean): Buffer {
  const texts = ['first', 'second', 'third'];
  if (format === 'pptx')
    return presentationWith({
      slides: texts.map((text, at) => ({ shapes: textShape(text), isHidden: isHidden && at === 1 })),
    });
  const visibility = isHidden ? 'presentation:visibility="hidden"' : '';
  const before = `<office:automatic-styles><style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties ${visibility}/></style:style></office:automatic-styles>`;
  const pages = texts.map(
    (text, at) =>
      `<draw:page draw:name="${text}"${at === 1 ? ' draw:style-name="dp"' : ''}><draw:frame svg:width="8cm" svg:height="2cm" svg:x="1cm" svg:y="1cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`,
  );
  return odtWith({ body: 'presentation', before, text: pages.join('') });
}

test.each(['pptx', 'odp'] as const)(
  'the libreoffice-convert engine gives no pages of %s with hidden slides, which LibreOffice counts',
  async (from) => {
    const started = new LibreOfficeConvertEngine({ slots: 1 });
    await started.start();
    try {
      const refused = make(started, slides(from, true), { from, pages: '2' });
      await expect(refused).rejects.toMatchObject({ kind: 'unsupported' });
      expect(textOf((await make(started, slides(from, true), { from })).bytes)).toBe('first third');
      expect(textOf((await make(started, slides(from, false), { from, pages: '2' })).bytes)).toBe('second');
    } finally {
      await started.close();
    }
  },
);
