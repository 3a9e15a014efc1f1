export { conform } from '../conformance/conform.ts';
export { repairTexts } from '../conformance/info-in-xmp.ts';
export type { ClaimedConformance, Shortfall } from '../conformance/shortfalls.ts';
