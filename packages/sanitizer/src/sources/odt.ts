import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive } from '@scriptorium/ooxml/zip';
import { DropLog } from './drop-log.ts';
import { ODT_NAME } from './odt/names.ts';
import { OdtReader } from './odt/reader.ts';
import { wrongFormat } from './refusal.ts';
import type { SourceSanitizer } from './source.ts';

/** Rebuilds packages of OpenDocument texts and text templates from their sanitized parts. */
export const odtSanitizer: SourceSanitizer = {
  async prepare(bytes) {
    if (bytes.toString('latin1', 0, 4) !== 'PK\x03\x04') throw await wrongFormat(bytes, ODT_NAME);
    const budget = new Budget();
    const drops = new DropLog();
    const archive = await readArchive(bytes, budget);
    const rebuilt = new OdtReader(archive, budget, drops).rebuild();
    return { bytes: rebuilt, engineSource: 'odt', dropped: drops.list() };
  },
};
