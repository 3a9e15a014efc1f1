import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { detectDelimiter, readCsv } from './csv-fields.ts';
import { workbookOf } from './csv-workbook.ts';
import { decodeText, refuseForeignText } from './decode-text.ts';
import { addScripts } from './scripts.ts';
import { AUTO_DELIMITER, type SourceSanitizer } from './source.ts';

const NAME = 'a CSV text';
/** Excel's first line may name the separator. */
const NAMED_DELIMITER = /^sep=(.)\r?\n/;

/**
 * Converts a CSV to a workbook with one sheet of texts. Nothing in it is a formula, a number or a date: each field shows
 * as it was written, and numbers stand at the right.
 */
export const csvSanitizer: SourceSanitizer = {
  async prepare(bytes, { paper = 'a4', delimiter = AUTO_DELIMITER }) {
    if (bytes.length > BOUNDS.csvBytesMax) throw boundPassed('csvBytesMax');
    const text = decodeText(bytes);
    await refuseForeignText(text, bytes, NAME);
    const [line = '', named] = NAMED_DELIMITER.exec(text) ?? [];
    const content = text.slice(line.length);
    const records = readCsv(
      content,
      delimiter === AUTO_DELIMITER ? (named ?? detectDelimiter(content)) : delimiter,
    );
    const scripts = new Set<string>();
    addScripts(scripts, content);
    return {
      bytes: workbookOf(records, paper),
      engineSource: 'xlsx',
      dropped: [],
      facts: { scripts: [...scripts] },
    };
  },
};
