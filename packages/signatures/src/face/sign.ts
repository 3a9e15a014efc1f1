export { sign } from '../signing/sign.ts';
export { type ByDigest, signPdfByDigest } from '../signing/sign-by-digest.ts';
export { OneOfSeveralError } from '../signing/sign-in-order.ts';
export type { Signed, SignTools } from '../signing/sign-tools.ts';
