export { conform } from '../conformance/conform.ts';
export type { ClaimedConformance, Shortfall } from '../conformance/shortfalls.ts';
