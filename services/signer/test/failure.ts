import { AppError } from '@scriptorium/shared/errors';

/** What `work` is refused with: `CODE: message`, as a caller reads it. */
export async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'not refused';
}
