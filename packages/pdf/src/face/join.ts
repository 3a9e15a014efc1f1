export { JoinError, type JoinErrorCode } from '../join/join-error.ts';
export { type JoinedPdf, type JoinInput, Joining, type JoinOptions } from '../join/joining.ts';
export type { JoinWarning } from '../join/properties.ts';
