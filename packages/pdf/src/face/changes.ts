export { ChangeHistory } from '../changes/history.ts';
export { modificationsAfter, type PermittedChanges } from '../changes/modifications.ts';
