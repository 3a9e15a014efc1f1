export { verify } from '../verification/verify.ts';
export type { VerifyTools } from '../verification/verify-tools.ts';
