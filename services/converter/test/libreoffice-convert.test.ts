import { LibreOfficeConvertEngine } from '../src/engines/libreoffice-convert.ts';
import { describeEngine } from './engine.suite.ts';
import { descendants } from './processes.ts';

describeEngine('libreoffice-convert', {
  make: (slots, workRoot) => new LibreOfficeConvertEngine({ slots, workRoot }),
  busyProcess: () => descendants().find(({ name }) => name === 'soffice.bin'),
});
