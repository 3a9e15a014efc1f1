export { mayAct } from '../actions/search-actions.ts';
export { type RemovedAction, type VetLink, vetActions } from '../actions/vet-actions.ts';
