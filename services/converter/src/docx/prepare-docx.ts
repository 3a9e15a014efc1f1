import type { Conversion } from '@scriptorium/shared/jobs/convert';
import { type Inspector, openPackage } from '@scriptorium/shared/ooxml/open-package';
import { fields } from '@scriptorium/shared/ooxml/sanitise/fields';
import { SANITISERS } from '@scriptorium/shared/ooxml/sanitise/steps';
import { writePackage } from '@scriptorium/shared/ooxml/write-package';
import type { Prepared } from '../prepare.ts';
import { frozenFields } from './frozen-fields.ts';
import { resolveRevisions } from './resolve-revisions.ts';
import { surveyScripts } from './scripts.ts';
import { surveyRevisions } from './survey-revisions.ts';

/** Opens, vets and rewrites a Word document in one pass: what is asked for is done to it on the way. */
export async function prepareDocx(
  bytes: Buffer,
  { revisions, updateFields }: Pick<Conversion, 'revisions' | 'updateFields'>,
): Promise<Prepared> {
  const scripts = new Set<string>();
  const survey = surveyRevisions();
  let frozen = 0;
  const freeze = frozenFields(updateFields !== 'all', () => {
    frozen++;
  });
  const inspectors: Inspector[] = [
    ...SANITISERS.map((make) => make()),
    fields([freeze]),
    survey,
    surveyScripts(scripts),
  ];
  if (revisions !== 'markup') inspectors.push(resolveRevisions(revisions));
  const document = await openPackage(bytes, inspectors);
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
