export type { RevisionMode } from '../revisions/names.ts';
export { resolveRevisions } from '../revisions/resolve-revisions.ts';
export { surveyRevisions } from '../revisions/survey-revisions.ts';
