export type { RemovedAction } from '../actions/action-types.ts';
export { findActions } from '../actions/find-actions.ts';
export { mayAct } from '../actions/search-actions.ts';
export { type VetLink, vetActions } from '../actions/vet-actions.ts';
