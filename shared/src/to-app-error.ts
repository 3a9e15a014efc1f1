import { AppError, type ErrorCode, type ErrorDetail } from '@scriptorium/contracts/errors';
import type { TemplateError } from '@scriptorium/docx-template/error';
import type { OoxmlError } from '@scriptorium/ooxml/error';
import type { PdfError } from '@scriptorium/pdf/error';
import type { FinishError } from '@scriptorium/pdf/finish';
import type { PkiError } from '@scriptorium/pki/error';
import type { SanitizerError } from '@scriptorium/sanitizer/error';
import type { SignatureError } from '@scriptorium/signatures/error';
import type { UsageError } from '@scriptorium/usage/error';

interface PackageErrors {
  OoxmlError: OoxmlError;
  SanitizerError: SanitizerError;
  TemplateError: TemplateError;
  PdfError: PdfError;
  FinishError: FinishError;
  PkiError: PkiError;
  SignatureError: SignatureError;
  UsageError: UsageError;
}

const UNREADABLE = {
  INVALID_FILE_FORMAT: 'INVALID_FILE_FORMAT',
  DOCUMENT_ENCRYPTED: 'DOCUMENT_ENCRYPTED',
} as const;
const PASSWORD = { PASSWORD_REQUIRED: 'PASSWORD_REQUIRED', PASSWORD_WRONG: 'PASSWORD_WRONG' } as const;
const TOO_COMPLEX = { DOCUMENT_TOO_COMPLEX: 'DOCUMENT_TOO_COMPLEX' } as const;

/** Maps the error codes of the packages to public codes, by the name of the error class. */
const CODES: { [Name in keyof PackageErrors]: Record<PackageErrors[Name]['code'], ErrorCode> } = {
  OoxmlError: { ...UNREADABLE, ...TOO_COMPLEX },
  SanitizerError: { ...UNREADABLE, ...PASSWORD, ...TOO_COMPLEX },
  TemplateError: {
    VALIDATION_ERROR: 'VALIDATION_ERROR',
    FIELD_NOT_FOUND: 'FIELD_NOT_FOUND',
    IMAGE_INVALID: 'IMAGE_INVALID',
    TEMPLATE_INVALID: 'TEMPLATE_INVALID',
    DATA_MISSING: 'DATA_MISSING',
    DATA_UNUSED: 'DATA_UNUSED',
  },
  PdfError: {
    ...UNREADABLE,
    ...TOO_COMPLEX,
    ...PASSWORD,
  },
  FinishError: { VALIDATION_ERROR: 'VALIDATION_ERROR' },
  PkiError: {
    SIGNING_KEY_INVALID: 'SIGNING_KEY_INVALID',
    TIMESTAMP_UNAVAILABLE: 'TIMESTAMP_UNAVAILABLE',
    REVOCATION_UNAVAILABLE: 'REVOCATION_UNAVAILABLE',
  },
  SignatureError: {
    ...TOO_COMPLEX,
    VALIDATION_ERROR: 'VALIDATION_ERROR',
    INVALID_FILE_FORMAT: 'INVALID_FILE_FORMAT',
    DOCUMENT_LOCKED: 'DOCUMENT_LOCKED',
    FIELD_ALREADY_SIGNED: 'FIELD_ALREADY_SIGNED',
    IMAGE_INVALID: 'IMAGE_INVALID',
    SIGNING_KEY_INVALID: 'SIGNING_KEY_INVALID',
    TIMESTAMP_UNAVAILABLE: 'TIMESTAMP_UNAVAILABLE',
    UNPROCESSABLE: 'UNPROCESSABLE',
    UNSUPPORTED_LEVEL: 'UNSUPPORTED_LEVEL',
  },
  UsageError: { DEADLINE_EXCEEDED: 'DEADLINE_EXCEEDED' },
};

/** Names of fields and texts of issues may come from a document or from data of the caller. */
const DETAIL_CHARS_MAX = 500;
const MESSAGE_CHARS_MAX = 5_000;

/** Truncates a text without splitting a character. */
function short(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax).toWellFormed()}…`;
}

/** Uses the name, not the class, so that a service does not load the packages of all errors. */
function publicCode(error: Error & { code?: unknown }): ErrorCode | undefined {
  const codes: Partial<Record<string, ErrorCode>> | undefined = Object.hasOwn(CODES, error.name)
    ? CODES[error.name as keyof PackageErrors]
    : undefined;
  return typeof error.code === 'string' ? codes?.[error.code] : undefined;
}

/**
 * Returns an AppError unchanged, and maps an error of a package to its public code. Anything else becomes INTERNAL_ERROR
 * with the original as the private cause.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error ? publicCode(error) : undefined;
  if (code === undefined || !(error instanceof Error))
    return new AppError('INTERNAL_ERROR', 'The service failed to process this request.', { cause: error });
  const { message, cause, details } = error as Error & { details?: ErrorDetail[] };
  return new AppError(code, short(message, MESSAGE_CHARS_MAX), {
    cause,
    ...(details && {
      details: details.map(({ field, issue }) => ({
        field: short(field, DETAIL_CHARS_MAX),
        issue: short(issue, DETAIL_CHARS_MAX),
      })),
    }),
  });
}
