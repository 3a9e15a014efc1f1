import { ERRORS, type ErrorCode } from '@scriptorium/contracts/errors';
import { z } from 'zod';

/** The code of an error, and what is wrong with a field, in the reference. */
export const errorCode = z
  .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
  .meta({ id: 'ErrorCode', description: 'Machine-readable code' });
export const errorDetail = z
  .strictObject({ field: z.string(), issue: z.string() })
  .meta({ id: 'ErrorDetail', description: 'The path of a field, and what is wrong with it' });

/** The errors that each part of a document operation can return. */
const ERROR_GROUPS = {
  readsDocument: [
    'VALIDATION_ERROR',
    'INVALID_FILE_FORMAT',
    'DOCUMENT_ENCRYPTED',
    'DOCUMENT_TOO_COMPLEX',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  opensEncrypted: ['PASSWORD_REQUIRED', 'PASSWORD_WRONG'],
  fetchesDocument: ['DOCUMENT_FETCH_FAILED'],
  takesImages: ['IMAGE_INVALID'],
  fillsFields: ['FIELD_NOT_FOUND'],
  fillsForm: ['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'DOCUMENT_LOCKED'],
  fillsMarks: ['TEMPLATE_INVALID', 'DATA_MISSING', 'DATA_UNUSED'],
  converts: ['CONVERSION_FAILED', 'UNPROCESSABLE'],
  mergesPdfs: ['UNPROCESSABLE'],
  requiresFonts: ['FONT_UNAVAILABLE'],
  signs: [
    'DOCUMENT_LOCKED',
    'FIELD_ALREADY_SIGNED',
    'UNSUPPORTED_LEVEL',
    'SIGNING_KEY_INVALID',
    'UNPROCESSABLE',
    'TIMESTAMP_UNAVAILABLE',
    'REVOCATION_UNAVAILABLE',
    'REMOTE_SIGNER_FAILED',
  ],
  signsDigest: [
    'VALIDATION_ERROR',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'UNSUPPORTED_LEVEL',
    'SIGNING_KEY_INVALID',
    'TIMESTAMP_UNAVAILABLE',
    'REMOTE_SIGNER_FAILED',
  ],
  augments: ['UNSUPPORTED_LEVEL', 'UNPROCESSABLE', 'TIMESTAMP_UNAVAILABLE', 'REVOCATION_UNAVAILABLE'],
} as const satisfies Record<string, readonly ErrorCode[]>;

export type ErrorGroup = keyof typeof ERROR_GROUPS;

/** Returns the codes of these groups, for the reference. */
export const errorsOf = (groups: readonly ErrorGroup[]): ErrorCode[] =>
  groups.flatMap((group): readonly ErrorCode[] => ERROR_GROUPS[group]);
