export type { Attachment } from '../finish/attach-files.ts';
export { type FinishedPdf, type Finishing, finishPdf } from '../finish/finish.ts';
export { FinishError } from '../finish/finish-error.ts';
export type { Metadata } from '../finish/metadata.ts';
export type { EncryptionRequest } from '../security/new-encryption.ts';
export type { InvoiceProperties } from '../write/xmp.ts';
