/** Why a trusted list is not used. */
export type ListFault =
  | 'LIST_UNREACHABLE'
  | 'LIST_TOO_LARGE'
  | 'LIST_UNREADABLE'
  | 'LIST_SIGNATURE_INVALID'
  | 'LIST_SIGNER_UNKNOWN'
  | 'LIST_FROM_THE_FUTURE'
  | 'LIST_OLDER_THAN_KNOWN'
  | 'LIST_OF_ANOTHER_SCHEME';

/** A trusted list that must not be used. The message names the list's own words at most shortly: it is for the log. */
export class TrustedListError extends Error {
  readonly code: ListFault;

  constructor(code: ListFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TrustedListError';
    this.code = code;
  }
}
