export { verify } from '../verification/verify-document.ts';
export type { VerifyTools } from '../verification/verify-tools.ts';
