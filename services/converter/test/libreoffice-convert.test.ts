import { expect, test } from '@jest/globals';
import { LibreOfficeConvertEngine } from '../src/engines/libreoffice-convert.ts';
import { pagesOfText } from './documents.ts';
import { describeEngine } from './engine.suite.ts';
import { describeFormats, make } from './formats.suite.ts';
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
