import { AppError } from '@scriptorium/shared/errors';
import { invalid } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import multer, { MulterError } from 'multer';
import type { Middleware } from '../context.ts';
import type { ByteBudget } from './byte-budget.ts';

/** Room for boundaries and part headers around the file. */
const MULTIPART_OVERHEAD_BYTES = 16 * 1024;

/**
 * Reads the single file part named `field` into memory as `request.file`. A defect of the form causes a 4xx that names it.
 * A gateway whose memory budget is exhausted answers 503 before it reads.
 */
export function receiveFile(field: string, uploadBytesMax: number, budget: ByteBudget): Middleware {
  const upload = multer({
    storage: multer.memoryStorage(),
    defParamCharset: 'utf8',
    limits: {
      files: 1,
      fields: 0,
      parts: 2,
      fileSize: uploadBytesMax,
      headerPairs: 20,
      fieldNameSize: 100,
    },
  }).single(field);

  const sizeMax = (request: Request): number => {
    const declared = Number(request.headers['content-length']);
    const bytesMax = uploadBytesMax + MULTIPART_OVERHEAD_BYTES;
    if (declared > bytesMax) throw tooLarge(uploadBytesMax);
    return Number.isFinite(declared) ? declared : bytesMax;
  };

  return async (request, response, next) => {
    if (!request.headers['content-type']?.toLowerCase().startsWith('multipart/form-data'))
      throw new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        'Send multipart/form-data with one file part named "file".',
      );
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.');
    budget.hold(response, sizeMax(request));
    if (request.headers.expect !== undefined) response.writeContinue();
    await new Promise<void>((resolve, reject) => {
      // The parser does not report a lost connection.
      const onClose = () => reject(new AppError('DEADLINE_EXCEEDED', 'The caller disconnected.'));
      response.once('close', onClose);
      refuseEndless(request, uploadBytesMax, () => {
        response.setHeader('Connection', 'close');
        reject(tooLarge(uploadBytesMax));
      });
      upload(request, response, (error: unknown) => {
        response.off('close', onClose);
        if (error) reject(explain(error, field, uploadBytesMax));
        else resolve();
      });
    });
    if (request.file === undefined) throw invalid([{ field, issue: 'is required: one file part' }]);
    if (request.file.size === 0) throw new AppError('INVALID_FILE_FORMAT', 'The file is empty.');
    next();
  };
}

/** Cuts off an endless body. The parser reports a body that is too large only at its end. */
function refuseEndless(request: Request, uploadBytesMax: number, refuse: () => void): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > 2 * uploadBytesMax + MULTIPART_OVERHEAD_BYTES) refuse();
  });
}

function tooLarge(uploadBytesMax: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The file exceeds the limit of ${uploadBytesMax} bytes.`);
}

/** The caller causes all errors of the multipart parser, so its texts are returned. */
function explain(error: unknown, field: string, uploadBytesMax: number): AppError {
  if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE') return tooLarge(uploadBytesMax);
  if (error instanceof MulterError)
    return invalid([
      {
        field: error.field?.slice(0, 100) ?? 'body',
        issue: `must have exactly one file part named "${field}"`,
      },
    ]);
  return new AppError('VALIDATION_ERROR', 'The multipart form is malformed or incomplete.', {
    details: [{ field: 'body', issue: error instanceof Error ? error.message.slice(0, 200) : 'malformed' }],
    cause: error,
  });
}
