import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive } from '@scriptorium/ooxml/zip';
import { DropLog } from './drop-log.ts';
import { type OdfKind, PRESENTATION_KIND, SPREADSHEET_KIND, TEXT_KIND } from './odt/kinds.ts';
import { OdfReader } from './odt/reader.ts';
import { StoredFields } from './odt/stored-fields.ts';
import { pictureReader } from './picture.ts';
import { wrongFormat } from './refusal.ts';
import type { EngineSource, SourceSanitizer } from './source.ts';

function sanitizerOf(kind: OdfKind, engineSource: EngineSource): SourceSanitizer {
  return {
    async prepare(bytes, { metafiles, updateFields }) {
      if (bytes.toString('latin1', 0, 4) !== 'PK\x03\x04') throw await wrongFormat(bytes, kind.name);
      const budget = new Budget();
      const drops = new DropLog();
      const archive = await readArchive(bytes, budget);
      const fields = new StoredFields(updateFields);
      const scripts = new Set<string>();
      const tools = { drops, fields, scripts, readPicture: pictureReader(metafiles) };
      const reader = new OdfReader(kind, archive, budget, tools);
      const rebuilt = await reader.rebuild();
      const facts = { comments: reader.comments, frozenFields: fields.counts, scripts: [...scripts] };
      return { bytes: rebuilt, engineSource, dropped: drops.list(), facts };
    },
  };
}

/** Rebuild packages of OpenDocument and their templates from their sanitized parts. */
export const odtSanitizer = sanitizerOf(TEXT_KIND, 'odt');
export const odsSanitizer = sanitizerOf(SPREADSHEET_KIND, 'ods');
export const odpSanitizer = sanitizerOf(PRESENTATION_KIND, 'odp');
