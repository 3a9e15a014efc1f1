export { bytesOfDataUri, isDataUri } from '../drawing/data-uri.ts';
// The cache itself loads what reads and draws pictures, which a process that only validates must not.
export type { FieldPicture, ImageCache } from '../drawing/image-cache.ts';
export { plainPicture } from '../drawing/plain-picture.ts';
export { signerPlace, signerRole } from '../drawing/signer-place.ts';
export { emu, proportionsOf, sizing } from '../drawing/size.ts';
export { replacePicture } from '../fields/picture-frame.ts';
export { signatureDrawing, signatureField } from '../fields/signature-field.ts';
export { roomAt } from '../template/container.ts';
