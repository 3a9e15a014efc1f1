import { AppError } from '@scriptorium/contracts/errors';
import { drawPage } from '@scriptorium/rendering/draw-page';

/** Draws the first page of a PDF as PNG. Rejects with VALIDATION_ERROR if it has too many pixels. */
export async function draw({ pdf, dpi }: { pdf: Buffer; dpi: number }): Promise<Buffer> {
  return await drawPage(pdf, 0, dpi).catch(nameOption);
}

/** A page that is too large for the resolution is the caller's to change; the rest is not. */
function nameOption(error: Error & { code?: string }): never {
  if (error.code !== 'TOO_LARGE') throw error;
  const details = [{ field: 'dpi', issue: `is too high: ${error.message}` }];
  throw new AppError('VALIDATION_ERROR', 'Invalid request: dpi.', { cause: error, details });
}
