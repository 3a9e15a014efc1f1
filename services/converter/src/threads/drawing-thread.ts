import { AppError } from '@scriptorium/contracts/errors';
import { drawPage } from '@scriptorium/rendering/draw-page';
import { answerRequests } from '@scriptorium/shared/threads/thread';

/** A PDF whose first page is drawn. */
export interface DrawingRequest {
  pdf: Uint8Array;
  dpi: number;
}

answerRequests(
  async ({ pdf, dpi }: DrawingRequest) => await drawPage(pdf, 0, dpi).catch(nameOption),
  (png) => png,
);

/** A page that is too large for the resolution is the caller's to change; the rest is not. */
function nameOption(error: Error & { code?: string }): never {
  if (error.code !== 'TOO_LARGE') throw error;
  const details = [{ field: 'dpi', issue: `is too high: ${error.message}` }];
  throw new AppError('VALIDATION_ERROR', 'Invalid request: dpi.', { cause: error, details });
}
