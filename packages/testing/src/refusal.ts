/** A failure with a code. */
export interface CodedError extends Error {
  code: string;
}

function isCoded(error: unknown): error is CodedError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** The coded error with which something fails; fails the test if there is none. */
export async function failureOf(work: Promise<unknown>): Promise<CodedError> {
  const outcome = await work.catch((error: unknown) => error);
  if (isCoded(outcome)) return outcome;
  throw new Error(`expected an error with a code, not ${String(outcome)}`, { cause: outcome });
}

/** The refusal of `work`: `CODE: message`, as a caller reads it. */
export async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (isCoded(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'not refused';
}

/** The causes of a failure, in order, as the log contains them. */
export function causeOf(error: Error): string {
  const causes = [error.cause, ...(error instanceof AggregateError ? error.errors : [])];
  return causes
    .filter((cause) => cause instanceof Error)
    .map((cause) => `${cause.message} ${causeOf(cause)}`)
    .join(' ');
}
