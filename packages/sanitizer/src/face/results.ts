export { vettedLink, withoutPathsIn } from '../results/addresses.ts';
export { type ResultFormat, type VettedDocument, vetDocument } from '../results/vet-document.ts';
