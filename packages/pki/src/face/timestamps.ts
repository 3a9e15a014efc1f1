export type { Timestamper } from '../keys/raw-signer.ts';
export { openTimestampToken } from '../tsp/time-stamp-token.ts';
export { createTimestamper } from '../tsp/timestamper.ts';
