import { Budget } from '@scriptorium/ooxml/bounds';
import { type Inspector, openPackage, writePackage } from '@scriptorium/ooxml/package';
import { fields } from '../docx/fields.ts';
import { sanitizers } from '../docx/steps.ts';
import { frozenFields } from '../revisions/frozen-fields.ts';
import type { RevisionMode } from '../revisions/names.ts';
import { resolveRevisions } from '../revisions/resolve-revisions.ts';
import { surveyScripts } from '../revisions/scripts.ts';
import { surveyRevisions } from '../revisions/survey-revisions.ts';
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

/** Opens, sanitizes and rewrites a Word document, with the options applied. */
export async function prepareDocx(
  bytes: Buffer,
  { revisions, updateFields }: SourceOptions,
): Promise<PreparedSource & { facts: SourceFacts }> {
  const scripts = new Set<string>();
  const survey = surveyRevisions();
  let frozen = 0;
  const freeze = frozenFields(updateFields !== 'all', () => {
    frozen++;
  });
  // Shared with the documents inside. Content removed from them is not counted when they are opened again.
  const budget = new Budget();
  const change = (document: Buffer) =>
    revisions === 'markup'
      ? Promise.resolve(document)
      : withoutRevisions(document, revisions, survey, budget);
  const further: Inspector[] = [fields([freeze]), surveyScripts(scripts)];
  if (revisions === 'markup') further.push(survey);
  const source = await change(bytes);
  const document = await openPackage(source, sanitizers(change, further));
  const { comments, ...counts } = survey.counts;
  return {
    bytes: writePackage(document, { isCompressed: false }),
    engineSource: 'docx',
    dropped: document.dropped,
    facts: {
      revisions: counts,
      comments,
      frozenFields: frozen,
      scripts: [...scripts],
    },
  };
}

/** Rewrites the parts of Word documents without content that fetches, runs or never ends. */
export const docxSanitizer: SourceSanitizer = { prepare: prepareDocx };
