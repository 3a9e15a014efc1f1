/** A failure that a program can tell from others by its code. */
export interface CodedError extends Error {
  code: string;
}

function isCoded(error: unknown): error is CodedError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** The coded error that something fails with; fails the test where there is none. */
export async function failureOf(work: Promise<unknown>): Promise<CodedError> {
  const outcome = await work.catch((error: unknown) => error);
  if (isCoded(outcome)) return outcome;
  throw new Error(`expected an error with a code, not ${String(outcome)}`, { cause: outcome });
}

/** How `work` is refused: `CODE: message`, as a caller reads it. */
export async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (isCoded(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'not refused';
}

/** The causes of a failure, one after the other: what the log holds. */
export function causeOf(error: Error): string {
  const causes = [error.cause, ...(error instanceof AggregateError ? error.errors : [])];
  return causes
    .filter((cause) => cause instanceof Error)
    .map((cause) => `${cause.message} ${causeOf(cause)}`)
    .join(' ');
}
