export { augmentDocument } from '../signing/augment-document.ts';
export type { Augmented, AugmentRequest } from '../signing/augment-tools.ts';
