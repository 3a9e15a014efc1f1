import { AppError } from '@scriptorium/contracts/errors';
import { type EngineError, KilledError, NoSuchPageError } from '../engines/engine.ts';

/** The public error for a failure of an engine. */
export function toAppError(
  error: EngineError,
  { signal, deadlineAt }: { signal: AbortSignal; deadlineAt: number },
): AppError {
  const cause = { cause: error };
  if (signal.aborted) return new AppError('DEADLINE_EXCEEDED', 'The conversion was canceled.', cause);
  if (Date.now() >= deadlineAt) {
    return new AppError('DEADLINE_EXCEEDED', 'The conversion did not finish before the deadline.', cause);
  }
  if (error instanceof NoSuchPageError) return noSuchPage(error);
  switch (error.kind) {
    case 'unreadable':
      return new AppError('INVALID_FILE_FORMAT', 'The document cannot be read; it may be damaged.', cause);
    case 'exhausted':
      return new AppError(
        'DOCUMENT_TOO_COMPLEX',
        'The document exceeds the limit on output size, memory or processor time.',
        cause,
      );
    case 'timeout':
      return new AppError('DEADLINE_EXCEEDED', 'The conversion did not finish in time.', cause);
    case 'unavailable':
    case 'unsupported':
      return toUnavailable(error);
    default:
      if (error instanceof KilledError) return killed(error);
      return new AppError(
        'CONVERSION_FAILED',
        'The engine failed on the document twice, in two ways.',
        cause,
      );
  }
}

function killed(cause: KilledError): AppError {
  const message = 'The engine was killed while it had the document, twice.';
  return new AppError('UNAVAILABLE', message, { cause, retryAfterSeconds: 5 });
}

/** No engine could try. */
export function toUnavailable(cause: EngineError): AppError {
  return new AppError('UNAVAILABLE', 'No available conversion engine supports this request.', {
    cause,
    retryAfterSeconds: 5,
  });
}

function noSuchPage({ page, documentPages }: NoSuchPageError): AppError {
  const has = documentPages === 1 ? '1 page' : `${documentPages} pages`;
  const issue = `asks for page ${page}; the document has ${has}`;
  return new AppError('VALIDATION_ERROR', `The option “pages” ${issue}.`, {
    details: [{ field: 'pages', issue }],
  });
}
