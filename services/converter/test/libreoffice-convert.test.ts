import { LibreOfficeConvertEngine } from '../src/engines/libreoffice-convert.ts';
import { describeEngine } from './engine.suite.ts';
import { descendants } from './processes.ts';

describeEngine('libreoffice-convert', {
  make: (slots, workRoot) => new LibreOfficeConvertEngine({ slots, workRoot }),
  // The confined child of the process that the package started; the kernel cuts names.
  busyProcess: () =>
    descendants().find(({ name, parent }) => name === 'confined-soffic' && parent !== process.pid),
});
