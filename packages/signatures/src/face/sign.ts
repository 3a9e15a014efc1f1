export { sign } from '../signing/sign.ts';
export type { Signed, SignTools } from '../signing/sign-tools.ts';
