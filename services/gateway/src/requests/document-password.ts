import { AppError } from '@scriptorium/contracts/errors';
import { seal } from '@scriptorium/sealing/sealed-box';
import type { Secret } from '@scriptorium/shared/config';
import { invalid } from '@scriptorium/shared/http/validation';
import { password } from './key-source.ts';

/** The password of an encrypted PDF in a request. */
export const documentPassword = password
  .optional()
  .describe(
    'Password of an encrypted PDF, of its user or owner. Not required if the PDF opens without a password',
  );

/** Throws VALIDATION_ERROR for the password of a template that is not a PDF. */
export function checkFormPassword(password: string | undefined, isForm: boolean): void {
  if (password && !isForm) throw invalid([{ field: 'password', issue: 'is an option for PDF forms' }]);
}

/** Encrypts the password of a document for a worker; undefined if there is none. Throws VALIDATION_ERROR if not enabled. */
export type SealPassword = (password: string | undefined, requestId: string) => string | undefined;

/** `setting` is the name of the setting that has the secret. */
export function passwordSealingWith(secret: Secret | undefined, setting: string): SealPassword {
  return (given, requestId) => {
    if (given === undefined || given === '') return undefined;
    if (secret === undefined)
      throw new AppError(
        'VALIDATION_ERROR',
        `This service does not accept passwords of documents: the operator has not enabled them (${setting}).`,
        { details: [{ field: 'password', issue: 'is not enabled on this service' }] },
      );
    return seal(secret, requestId, Buffer.from(given));
  };
}
