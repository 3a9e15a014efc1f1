import { PdfError, type PdfErrorCode } from '../pdf-error.ts';

export type JoinErrorCode =
  | Exclude<PdfErrorCode, 'PASSWORD_REQUIRED' | 'PASSWORD_WRONG'>
  /** A signature cannot survive in another file. */
  | 'DOCUMENT_SIGNED'
  | 'RESULT_TOO_LARGE';

/** The reason why documents cannot be joined. `message` is public; `cause` may quote a document. */
export class JoinError extends Error {
  readonly code: JoinErrorCode;
  /** The document's place in the order of joining, from 0; undefined if no document alone is the reason. */
  readonly document: number | undefined;

  constructor(code: JoinErrorCode, message: string, options: { document?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'JoinError';
    this.code = code;
    this.document = options.document;
  }
}

/** Runs a step on one document, and adds its place to what the reader throws. */
export function ofDocument<T>(document: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PdfError)) throw error;
    const needsPassword = error.code === 'PASSWORD_REQUIRED' || error.code === 'PASSWORD_WRONG';
    const code = needsPassword ? 'DOCUMENT_ENCRYPTED' : (error.code as JoinErrorCode);
    throw new JoinError(code, error.message, { document, cause: error });
  }
}
