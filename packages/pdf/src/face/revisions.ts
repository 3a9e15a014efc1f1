export { hiddenStructure } from '../revisions/hidden-structure.ts';
export { misplacedNumber, misplacedObject } from '../revisions/misplaced-objects.ts';
export type { Flaw, ReadRevision, RevisionHistory } from '../revisions/revision-chain.ts';
export { openRevisions } from '../revisions/revisions.ts';
export { strayBytes } from '../revisions/stray-bytes.ts';
