import { randomBytes } from 'node:crypto';
import { computeFields } from '@scriptorium/docx-normalize/fields';
import { wholeGrids } from '@scriptorium/docx-normalize/grids';
import { listFormats, writeListNumbers } from '@scriptorium/docx-normalize/lists';
import { placeFields } from '@scriptorium/docx-normalize/places';
import type { RevisionMode } from '@scriptorium/docx-normalize/revisions';
import { resolveRevisions, surveyRevisions } from '@scriptorium/docx-normalize/revisions';
import { hasRows, splitTables } from '@scriptorium/docx-normalize/tables';
import { Budget } from '@scriptorium/ooxml/bounds';
import { type Inspector, type OoxmlPackage, openPackage, writePackage } from '@scriptorium/ooxml/package';
import { applyEdits } from '@scriptorium/ooxml/xml';
import type { ChangeChunk } from '../docx/alternative-contents.ts';
import { blankPages } from '../docx/blank-pages.ts';
import { columnBreaks } from '../docx/column-breaks.ts';
import { fields } from '../docx/fields.ts';
import { formFieldNames } from '../docx/form-field-names.ts';
import { plainText } from '../docx/plain-text.ts';
import { scriptFonts } from '../docx/script-fonts.ts';
import { spaceFonts } from '../docx/space-fonts.ts';
import { sanitizers } from '../docx/steps.ts';
import { decryptPackage } from './encrypted/decrypt-package.ts';
import { FrozenFields } from './frozen-fields.ts';
import { surveyScripts } from './scripts.ts';
import type { PreparedSource, SourceFacts, SourceOptions, SourceSanitizer } from './source.ts';

/**
 * The document without its tracked changes. This takes a separate pass before the sanitizers, because a deletion in the
 * middle of a field's instruction would hide the resulting instruction from them.
 */
async function withoutRevisions(
  bytes: Buffer,
  mode: RevisionMode,
  survey: Inspector,
  budget: Budget,
): Promise<Buffer> {
  const document = await openPackage(bytes, [survey, resolveRevisions(mode)], budget);
  const isUnchanged = [...document.parts.values()].every(({ edits }) => edits.length === 0);
  return isUnchanged ? bytes : writePackage(document, { isCompressed: false });
}

/** Formats whose lists a word processor counts. */
const EDITED = new Set(['docx', 'odt']);
/** The scheme of the links at places for fields. A number that no document can know follows. */
const PLACE_SCHEME = 'scriptorium-field:';
const SECRET_BYTES = 16;

/** Opens, sanitizes and rewrites a Word document, with the options applied. */
export async function prepareDocx(
  bytes: Buffer,
  options: SourceOptions,
): Promise<PreparedSource & { facts: SourceFacts }> {
  const survey = surveyRevisions();
  // Shared with the documents inside. Content removed from them is not counted when they are opened again.
  const budget = new Budget();
  const now = new Date();
  const change = async (document: Buffer) => {
    const resolved =
      options.revisions === 'markup'
        ? document
        : await withoutRevisions(document, options.revisions, survey, budget);
    return options.updateFields === 'all' ? await computeFields(resolved, now, budget) : resolved;
  };
  const source = await change(bytes);
  const first = await sanitize(source, options, survey, change);
  if (!first.mayMiswrite || EDITED.has(options.to ?? '')) return first.prepared;
  const lists = await writeListNumbers(source, budget);
  if (lists.bytes === source) return first.prepared;
  const anew = options.revisions === 'markup' ? surveyRevisions() : survey;
  const { prepared } = await sanitize(lists.bytes, options, anew, change);
  return { ...prepared, dropped: [...prepared.dropped, ...lists.dropped] };
}

async function sanitize(
  source: Buffer,
  { revisions, updateFields, metafiles, longTableRows, to, exportFormFields }: SourceOptions,
  survey: ReturnType<typeof surveyRevisions>,
  change: ChangeChunk,
): Promise<{ prepared: PreparedSource & { facts: SourceFacts }; mayMiswrite: boolean }> {
  const scripts = new Set<string>();
  const frozen = new FrozenFields(updateFields);
  const formats = listFormats();
  const blanks = blankPages();
  const mended = [columnBreaks(), scriptFonts(), spaceFonts()];
  const further: Inspector[] = [
    fields([frozen.rule]),
    surveyScripts(scripts),
    formats,
    wholeGrids(),
    blanks,
    ...mended,
  ];
  if (revisions === 'markup') further.push(survey);
  if (to === 'txt') further.push(...plainText());
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const names = to === 'pdf' && exportFormFields ? formFieldNames(secret) : undefined;
  if (names) further.push(names);
  const document = await openPackage(source, sanitizers(change, further, metafiles));
  for (const { apply } of mended) apply();
  const { comments, ...counts } = survey.counts;
  const prefix = `${PLACE_SCHEME}${secret}/`;
  const placed = to === 'pdf' ? placeFields(document, prefix, new Budget()) : [];
  const isInPieces = longTableRows !== undefined && splitLongTables(document, longTableRows);
  const prepared = {
    bytes: writePackage(document, { isCompressed: false }),
    engineSource: 'docx',
    dropped: document.dropped,
    ...(isInPieces && { isInPieces }),
    facts: {
      revisions: counts,
      comments,
      frozenFields: frozen.counts,
      scripts: [...scripts],
      hasBlankPages: blanks.arePrinted,
      ...(names && names.fields.length > 0 && { formFields: names.fields }),
      ...(placed.length > 0 && { fieldPlaces: { prefix, fields: placed } }),
    },
  } as const;
  return { prepared, mayMiswrite: formats.mayMiswrite };
}

/** Splits the long tables of a document before it is written. Returns whether there are any. */
function splitLongTables({ main }: OoxmlPackage, rowsMin: number): boolean {
  // Edits add no rows. Most documents have few, and are spared a second copy.
  if (!hasRows(main.xml ?? '', rowsMin)) return false;
  const xml = applyEdits(main.xml ?? '', main.edits);
  const split = splitTables(xml, rowsMin, new Budget());
  if (split === undefined) return false;
  main.xml = split;
  main.edits = [];
  main.bytes = Buffer.from(split);
  delete main.entry;
  return true;
}

/** Opens encrypted Word documents, and rewrites their parts without content that fetches, runs or never ends. */
export const docxSanitizer: SourceSanitizer = {
  prepare: async (bytes, options) => prepareDocx(decryptPackage(bytes, options.password), options),
};
