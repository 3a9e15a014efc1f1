import { AppError } from '@scriptorium/contracts/errors';
import { invalid } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import multer, { MulterError } from 'multer';
import type { Middleware, Reply } from '../http/context.ts';
import { BodyBytes, watchPace } from './arriving-body.ts';
import type { ByteBudget } from './byte-budget.ts';
import { declaredBytes } from './receive-json.ts';

/** Room for boundaries and part headers around one file. */
const PART_OVERHEAD_BYTES = 16 * 1024;
/**
 * Limit of a text without a file name. The parser keeps what has come of it until the request ends, even if the form was
 * refused. A text with a file name is dropped at once.
 */
const PLAIN_TEXT_BYTES_MAX = 256 * 1024;
/** Name of the parts with files, by default. */
const FIELD = 'file';
/** More texts are not listed in an error. */
const LISTED_TEXTS_MAX = 3;
/** The parser puts it in place of what is not UTF-8. */
const REPLACEMENT = '\ufffd';

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
export type HeldFile = Express.Multer.File & { held: Held };

/** What forgets the bytes of a form that was refused: its parser may live on while the rest of the body arrives. */
const forgetting = new WeakMap<object, (() => void)[]>();

/** Keeps the parts of a form in memory, up to `bytesMaxOf` their name. A part that is longer keeps only its size. */
const storage = (bytesMaxOf: (name: string) => number): multer.StorageEngine => ({
  _handleFile(request, file, callback) {
    const body = new BodyBytes();
    const held: Held = { bytes: Buffer.alloc(0) };
    const bytesMax = bytesMaxOf(file.fieldname);
    let size = 0;
    forgetting.get(request)?.push(() => {
      body.drop();
      held.bytes = Buffer.alloc(0);
    });
    file.stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) body.append(chunk);
      else body.drop();
    });
    file.stream.once('end', () => {
      held.bytes = body.take();
      callback(null, { held, size } as Partial<HeldFile>);
    });
  },
  _removeFile(_request, file, callback) {
    // A file that was not read to its end holds nothing.
    const { held }: Partial<HeldFile> = file;
    if (held !== undefined) held.bytes = Buffer.alloc(0);
    callback(null);
  },
});

/** The parts that a form may have. */
export interface FormBounds {
  /** Name of the parts with files. By default `file`. */
  field?: string;
  filesMax: number;
  fileBytesMax: number;
  /** All files together. */
  bytesMax: number;
  /** Name of further parts with files, which may be empty or absent, and their number at most. */
  more?: { field: string; filesMax: number };
  /** The parts with a text, by name: their maximum size. */
  texts: ReadonlyMap<string, number>;
}

/**
 * Reads the file parts named `field` into memory as `request.files`, and texts into `request.body`. A text with a file name, as
 * browsers send a blob, is in `request.files`, too. A defect of the form causes a 4xx that names it. A gateway whose memory
 * budget is exhausted answers 503 before it reads.
 */
export function receiveFiles(bounds: FormBounds, budget: ByteBudget): Middleware {
  const { field = FIELD, fileBytesMax, bytesMax, texts, more } = bounds;
  const filesMax = bounds.filesMax + (more?.filesMax ?? 0);
  const names = [...texts.keys()];
  const textBytes = [...texts.values()];
  const upload = multer({
    storage: storage((name) =>
      name === field || name === more?.field ? fileBytesMax : (texts.get(name) ?? 0),
    ),
    defParamCharset: 'utf8',
    limits: {
      files: filesMax + names.length,
      fields: names.length,
      parts: filesMax + names.length + 1,
      fileSize: Math.max(fileBytesMax, ...textBytes),
      fieldSize: Math.min(PLAIN_TEXT_BYTES_MAX, Math.max(0, ...textBytes)),
      headerPairs: 20,
      fieldNameSize: 100,
    },
  }).fields([
    { name: field, maxCount: bounds.filesMax },
    ...(more === undefined ? [] : [{ name: more.field, maxCount: more.filesMax }]),
    ...names.map((name) => ({ name, maxCount: 1 })),
  ]);
  const filesBytesMax = bytesMax + filesMax * PART_OVERHEAD_BYTES;
  const bodyBytesMax = textBytes.reduce((sum, bytes) => sum + bytes, filesBytesMax);

  return async (request, response, next) => {
    if (!request.headers['content-type']?.toLowerCase().startsWith('multipart/form-data'))
      throw new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        `Send multipart/form-data with ${wordsFor(bounds.filesMax)} named "${field}".`,
      );
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.');
    if ((declaredBytes(request) ?? 0) > bodyBytesMax) throw tooLarge(bounds);
    await new Promise<void>((resolve, reject) => {
      const arrival = followForm(request, response, { bounds, bodyBytesMax, budget }, reject);
      upload(request, response, (error: unknown) => {
        // A file that was not read to its end has no size.
        arrival.end(error ? 0 : heldBytes(request, [field, more?.field ?? []].flat(), names));
        if (error) reject(explain(error, bounds));
        else resolve();
      });
    });
    checkForm(request, bounds);
    next();
  };
}

interface Following {
  bounds: FormBounds;
  bodyBytesMax: number;
  budget: ByteBudget;
}

/**
 * Charges a form as it arrives. Refuses one that is endless or too slow, and one whose caller left, which the parser does not
 * report. The parser reports a file that is too large only at the end of the body. So a form with one file may be somewhat too
 * long; the parser does not keep the rest. It knows no limit for all files together.
 */
function followForm(
  request: Request,
  response: Reply,
  { bounds, bodyBytesMax, budget }: Following,
  reject: (error: AppError) => void,
): { end(bytes: number): void } {
  let received = 0;
  const parts: (() => void)[] = [];
  forgetting.set(request, parts);
  const stop = (): void => {
    pace.stop();
    request.off('data', count);
    response.off('close', onClose);
  };
  const refuse = (error: AppError): void => {
    stop();
    // What still arrives is discarded, since a connection that is closed with unread data would lose the answer.
    request.unpipe();
    request.resume();
    for (const forget of parts) forget();
    holding.settle(0);
    reject(error);
  };
  const count = (chunk: Buffer): void => {
    received += chunk.length;
    pace.came(chunk.length);
    if (received > bodyBytesMax + (bounds.filesMax === 1 ? bounds.bytesMax : 0)) {
      response.setHeader('Connection', 'close');
      refuse(tooLarge(bounds));
    } else holding.add(chunk.length);
  };
  const onClose = (): void => refuse(new AppError('DEADLINE_EXCEEDED', 'The caller disconnected.'));
  const holding = budget.open(response, declaredBytes(request) ?? bodyBytesMax, refuse);
  if (request.headers.expect !== undefined) response.writeContinue();
  const pace = watchPace(() => !request.isPaused(), refuse);
  response.once('close', onClose);
  request.on('data', count);
  return {
    end(bytes) {
      stop();
      holding.settle(bytes);
    },
  };
}

function checkForm(request: Request, bounds: FormBounds): void {
  const { field = FIELD, more } = bounds;
  const files = sentFiles(request, field);
  const all = more === undefined ? files : [...files, ...sentFiles(request, more.field)];
  if (all.some(({ size }) => size > bounds.fileBytesMax)) throw tooLarge(bounds, true);
  if (files.length === 0) throw invalid([{ field, issue: `is required: ${wordsFor(bounds.filesMax)}` }]);
  const empty = files.findIndex(({ size }) => size === 0);
  if (empty >= 0) {
    if (bounds.filesMax === 1) throw new AppError('INVALID_FILE_FORMAT', 'The file is empty.');
    const name = field === FIELD ? 'documents' : field;
    const details = [{ field: `${name}[${empty}]`, issue: 'is empty' }];
    throw new AppError('INVALID_FILE_FORMAT', `The file ${empty + 1} of the form is empty.`, { details });
  }
  if (sizeOf(all) > bounds.bytesMax) throw tooLarge(bounds);
  for (const [name, bytesMax] of bounds.texts) checkText(request, name, bytesMax);
  const strange = Object.keys(request.body ?? {}).filter((name) => !bounds.texts.has(name));
  if (strange.length > 0)
    throw invalid(strange.map((name) => ({ field: name.slice(0, 100), issue: 'is not a known part' })));
}

/** The parser has one limit for all parts, and takes the same name as a text and as a file. */
function checkText(request: Request, name: string, bytesMax: number): void {
  const [blob] = sentFiles(request, name);
  const text: unknown = request.body?.[name];
  const refuse = (issue: string): AppError => invalid([{ field: name, issue }]);
  const isTwice = blob !== undefined && text !== undefined;
  if (isTwice || (text !== undefined && typeof text !== 'string')) throw refuse('must be one part');
  if ((blob?.size ?? Buffer.byteLength(text ?? '')) > bytesMax)
    throw refuse(`has more than ${bytesMax} bytes`);
  if (text?.includes(REPLACEMENT))
    throw refuse('is not valid UTF-8, or has U+FFFD, which then must be escaped');
}

/** The files of a form with this name, in their order. */
function sentFiles({ files }: Request, name: string): HeldFile[] {
  if (files === undefined || Array.isArray(files)) return [];
  return (files[name] ?? []) as HeldFile[];
}

const sizeOf = (files: HeldFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

function heldBytes(request: Request, fields: readonly string[], texts: readonly string[]): number {
  const parts = [...fields, ...texts].flatMap((name) => sentFiles(request, name));
  const text = texts.map((name) => request.body?.[name]).filter((value) => typeof value === 'string');
  return (
    parts.reduce((sum, { held }) => sum + held.bytes.length, 0) +
    text.reduce((sum, value) => sum + Buffer.byteLength(value), 0)
  );
}

/** Takes the files of a form out of its request, so that they are in memory only as long as the caller needs them. */
export function takeFiles(request: Request, field = FIELD): UploadedFile[] {
  return sentFiles(request, field).map(takeFile);
}

/** Takes a part with a text out of a form. Returns undefined if the form does not have it. */
export function takeText(request: Request, name: string): Buffer | undefined {
  const [blob] = sentFiles(request, name);
  if (blob !== undefined) return takeFile(blob).bytes;
  const text: unknown = request.body?.[name];
  if (typeof text !== 'string') return undefined;
  delete request.body[name];
  return Buffer.from(text);
}

function takeFile({ held, originalname: name }: HeldFile): UploadedFile {
  const { bytes } = held;
  held.bytes = Buffer.alloc(0);
  return { bytes, name };
}

const wordsFor = (filesMax: number): string =>
  filesMax === 1 ? 'one file part' : `1 to ${filesMax} file parts`;

function tooLarge({ filesMax, fileBytesMax, bytesMax }: FormBounds, isOneFile = filesMax === 1): AppError {
  const message = isOneFile
    ? `The file exceeds the limit of ${fileBytesMax} bytes.`
    : `The documents exceed the limit of ${bytesMax} bytes in all.`;
  return new AppError('PAYLOAD_TOO_LARGE', message);
}

/** The caller causes all errors of the multipart parser, so its texts are returned. */
function explain(error: unknown, bounds: FormBounds): AppError {
  if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE') return tooLarge(bounds, true);
  if (error instanceof MulterError && error.code === 'LIMIT_FIELD_VALUE') {
    const bytesMax = bounds.texts.get(error.field ?? '') ?? 0;
    const issue =
      bytesMax > PLAIN_TEXT_BYTES_MAX
        ? `has more than ${PLAIN_TEXT_BYTES_MAX} bytes: send it with a file name`
        : `has more than ${bytesMax} bytes`;
    return invalid([{ field: error.field?.slice(0, 100) ?? 'body', issue }]);
  }
  if (error instanceof MulterError) {
    const { field = FIELD, more } = bounds;
    const names = [...bounds.texts.keys()];
    if (error.code === 'LIMIT_UNEXPECTED_FILE' && more !== undefined && error.field === more.field)
      return invalid([{ field: more.field, issue: `has more than ${more.filesMax} files` }]);
    if (names.length > LISTED_TEXTS_MAX && error.code === 'LIMIT_UNEXPECTED_FILE' && error.field !== field)
      return invalid([{ field: error.field?.slice(0, 100) ?? 'body', issue: 'is not supported as a file' }]);
    const texts = names
      .slice(0, LISTED_TEXTS_MAX)
      .map((name) => `, and at most one text part named "${name}"`)
      .join('');
    const files = bounds.filesMax === 1 ? `exactly ${wordsFor(1)}` : wordsFor(bounds.filesMax);
    const issue = `must have ${files} named "${field}"${names.length > LISTED_TEXTS_MAX ? '' : texts}`;
    return invalid([{ field: error.field?.slice(0, 100) ?? 'body', issue }]);
  }
  return new AppError('VALIDATION_ERROR', 'The multipart form is malformed or incomplete.', {
    details: [{ field: 'body', issue: error instanceof Error ? error.message.slice(0, 200) : 'malformed' }],
    cause: error,
  });
}
