export type { Report } from '../reports/write-report.ts';
export { verify, verifyReport } from '../verification/verify-document.ts';
export type { Renderer, SecondReader, VerifyTools } from '../verification/verify-tools.ts';
