export { verify } from '../verification/verify-document.ts';
export type { Renderer, VerifyTools } from '../verification/verify-tools.ts';
