import { AppError } from '@scriptorium/shared/errors';
import { invalid } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import multer, { MulterError } from 'multer';
import type { Middleware } from '../context.ts';
import type { ByteBudget } from './byte-budget.ts';

/** Room for boundaries and part headers around one file. */
const PART_OVERHEAD_BYTES = 16 * 1024;
const TEXT_BYTES_MAX = 16 * 1024;
/** Name of the parts with files. */
const FIELD = 'file';

/** A file of a form. */
export interface UploadedFile {
  bytes: Buffer;
  name: string;
}

/**
 * The bytes of a file. The parser lives as long as the request and keeps copies of its files, but those lead here, where the
 * bytes can be taken out.
 */
interface Held {
  bytes: Buffer;
}
type HeldFile = Express.Multer.File & { held: Held };

const storage: multer.StorageEngine = {
  _handleFile(_request, file, callback) {
    const chunks: Buffer[] = [];
    file.stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    file.stream.once('end', () => {
      const bytes = Buffer.concat(chunks.splice(0));
      callback(null, { held: { bytes }, size: bytes.length } as Partial<HeldFile>);
    });
  },
  _removeFile(_request, file, callback) {
    // A file that was not read to its end holds nothing.
    const { held }: Partial<HeldFile> = file;
    if (held !== undefined) held.bytes = Buffer.alloc(0);
    callback(null);
  },
};

/** The parts that a form may have. */
export interface FormBounds {
  filesMax: number;
  fileBytesMax: number;
  /** All files together. */
  bytesMax: number;
  /** Names of parts with a text. */
  texts: readonly string[];
}

/**
 * Reads the file parts named `file` into memory as `request.files`, and texts into `request.body`. A defect of the form causes
 * a 4xx that names it. A gateway whose memory budget is exhausted answers 503 before it reads.
 */
export function receiveFiles(bounds: FormBounds, budget: ByteBudget): Middleware {
  const { filesMax, fileBytesMax, bytesMax, texts } = bounds;
  const upload = multer({
    storage,
    defParamCharset: 'utf8',
    limits: {
      files: filesMax,
      fields: texts.length,
      parts: filesMax + texts.length + 1,
      fileSize: fileBytesMax,
      fieldSize: TEXT_BYTES_MAX,
      headerPairs: 20,
      fieldNameSize: 100,
    },
  }).array(FIELD, filesMax);
  const bodyBytesMax = bytesMax + filesMax * PART_OVERHEAD_BYTES;

  const sizeMax = (request: Request): number => {
    const declared = Number(request.headers['content-length']);
    if (declared > bodyBytesMax) throw tooLarge(bounds);
    return Number.isFinite(declared) ? declared : bodyBytesMax;
  };

  return async (request, response, next) => {
    if (!request.headers['content-type']?.toLowerCase().startsWith('multipart/form-data'))
      throw new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        `Send multipart/form-data with ${wordsFor(filesMax)} named "${FIELD}".`,
      );
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.');
    budget.hold(response, sizeMax(request));
    if (request.headers.expect !== undefined) response.writeContinue();
    await new Promise<void>((resolve, reject) => {
      // The parser does not report a lost connection.
      const onClose = () => reject(new AppError('DEADLINE_EXCEEDED', 'The caller disconnected.'));
      response.once('close', onClose);
      refuseEndless(request, bounds, bodyBytesMax, () => {
        response.setHeader('Connection', 'close');
        reject(tooLarge(bounds));
      });
      upload(request, response, (error: unknown) => {
        response.off('close', onClose);
        if (error) reject(explain(error, bounds));
        else resolve();
      });
    });
    checkForm(request, bounds);
    next();
  };
}

function checkForm(request: Request, bounds: FormBounds): void {
  const files = sentFiles(request);
  if (files.length === 0)
    throw invalid([{ field: FIELD, issue: `is required: ${wordsFor(bounds.filesMax)}` }]);
  const empty = files.findIndex(({ size }) => size === 0);
  if (empty >= 0) {
    if (bounds.filesMax === 1) throw new AppError('INVALID_FILE_FORMAT', 'The file is empty.');
    const details = [{ field: `documents[${empty}]`, issue: 'is empty' }];
    throw new AppError('INVALID_FILE_FORMAT', `The file ${empty + 1} of the form is empty.`, { details });
  }
  if (files.reduce((sum, { size }) => sum + size, 0) > bounds.bytesMax) throw tooLarge(bounds);
  const strange = Object.keys(request.body ?? {}).filter((name) => !bounds.texts.includes(name));
  if (strange.length > 0)
    throw invalid(strange.map((name) => ({ field: name.slice(0, 100), issue: 'is not a known part' })));
}

/** The files of a form in their order. */
const sentFiles = ({ files }: Request): HeldFile[] => (Array.isArray(files) ? (files as HeldFile[]) : []);

/** Takes the files of a form out of its request, so that they are in memory only as long as the caller needs them. */
export function takeFiles(request: Request): UploadedFile[] {
  return sentFiles(request).map(({ held, originalname: name }) => {
    const { bytes } = held;
    held.bytes = Buffer.alloc(0);
    return { bytes, name };
  });
}

const wordsFor = (filesMax: number): string =>
  filesMax === 1 ? 'one file part' : `1 to ${filesMax} file parts`;

/**
 * Cuts off an endless body. The parser reports a file that is too large only at the end of the body, so a form with one file may
 * be somewhat too long; the parser does not keep the rest. It knows no limit for all files together.
 */
function refuseEndless(
  request: Request,
  { filesMax }: FormBounds,
  bodyBytesMax: number,
  refuse: () => void,
): void {
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= (filesMax === 1 ? 2 * bodyBytesMax : bodyBytesMax)) return;
    request.off('data', count);
    // What still arrives is discarded, since a connection that is closed with unread data would lose the answer.
    request.unpipe();
    request.resume();
    refuse();
  };
  request.on('data', count);
}

function tooLarge({ filesMax, fileBytesMax, bytesMax }: FormBounds, isOneFile = filesMax === 1): AppError {
  const message = isOneFile
    ? `The file exceeds the limit of ${fileBytesMax} bytes.`
    : `The documents exceed the limit of ${bytesMax} bytes in all.`;
  return new AppError('PAYLOAD_TOO_LARGE', message);
}

/** The caller causes all errors of the multipart parser, so its texts are returned. */
function explain(error: unknown, bounds: FormBounds): AppError {
  if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE') return tooLarge(bounds, true);
  if (error instanceof MulterError && error.code === 'LIMIT_FIELD_VALUE')
    return invalid([
      { field: error.field?.slice(0, 100) ?? 'body', issue: `has more than ${TEXT_BYTES_MAX} bytes` },
    ]);
  if (error instanceof MulterError) {
    const texts = bounds.texts.map((name) => `, and at most one text part named "${name}"`).join('');
    const files = bounds.filesMax === 1 ? `exactly ${wordsFor(1)}` : wordsFor(bounds.filesMax);
    const issue = `must have ${files} named "${FIELD}"${texts}`;
    return invalid([{ field: error.field?.slice(0, 100) ?? 'body', issue }]);
  }
  return new AppError('VALIDATION_ERROR', 'The multipart form is malformed or incomplete.', {
    details: [{ field: 'body', issue: error instanceof Error ? error.message.slice(0, 200) : 'malformed' }],
    cause: error,
  });
}
