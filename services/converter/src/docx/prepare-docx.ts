import type { Conversion } from '@scriptorium/shared/jobs/convert';
import { Budget } from '@scriptorium/shared/ooxml/bounds';
import { type Inspector, openPackage } from '@scriptorium/shared/ooxml/open-package';
import { fields } from '@scriptorium/shared/ooxml/sanitise/fields';
import { sanitisers } from '@scriptorium/shared/ooxml/sanitise/steps';
import { writePackage } from '@scriptorium/shared/ooxml/write-package';
import type { Vetted } from '../prepare.ts';
import { frozenFields } from './frozen-fields.ts';
import { resolveRevisions } from './resolve-revisions.ts';
import type { RevisionMode } from './revisions/names.ts';
import { surveyScripts } from './scripts.ts';
import { surveyRevisions } from './survey-revisions.ts';

/**
 * The document without its tracked changes. In a pass of its own before the sanitisers', for a deletion in the middle of
 * a field's instruction would hide from them what the instruction says without it.
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

/** Opens, vets and rewrites a Word document: what is asked for is done to it on the way. */
export async function prepareDocx(
  bytes: Buffer,
  { revisions, updateFields }: Pick<Conversion, 'revisions' | 'updateFields'>,
): Promise<Vetted> {
  const scripts = new Set<string>();
  const survey = surveyRevisions();
  let frozen = 0;
  const freeze = frozenFields(updateFields !== 'all', () => {
    frozen++;
  });
  // One for the document and those inside of it: what is taken out of them is not counted when they are opened again.
  const budget = new Budget();
  const change = (document: Buffer) =>
    revisions === 'markup'
      ? Promise.resolve(document)
      : withoutRevisions(document, revisions, survey, budget);
  const further: Inspector[] = [fields([freeze]), surveyScripts(scripts)];
  if (revisions === 'markup') further.push(survey);
  const source = await change(bytes);
  const document = await openPackage(source, sanitisers(change, further));
  const { comments, ...counts } = survey.counts;
  return {
    bytes: writePackage(document, { isCompressed: false }),
    engineSource: 'docx',
    facts: {
      dropped: document.dropped,
      revisions: counts,
      comments,
      frozenFields: frozen,
      scripts: [...scripts],
    },
  };
}
