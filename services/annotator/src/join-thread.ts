import { AppError } from '@scriptorium/contracts/errors';
import type { MergeWarning } from '@scriptorium/contracts/jobs/merge';
import { joinedRows, openPack } from '@scriptorium/contracts/jobs/rows';
import { isSafeLink } from '@scriptorium/ooxml/package';
import { JoinError, Joining, type JoinOptions } from '@scriptorium/pdf/join';
import { overwrite } from '@scriptorium/sealing/idle-memory';

/** A document of a merge: its place in the request, and whether the service has made it. */
export interface JoinPlace {
  document: number;
  isMade: boolean;
}

/** A finished file. */
export interface JoinResult {
  bytes: Buffer;
  pages: number;
  /** `document` is set for documents with a place. */
  warnings: MergeWarning[];
}

/** The file that the calls of this thread make, until it is finished. */
interface JoinedFile {
  joining: Joining;
  /** The bytes of each call. They are read until the end. */
  given: Buffer[];
  /** For each document that has one. The rows of a batch have none. */
  places: JoinPlace[];
}

let file: JoinedFile | undefined;

export const keeps = (input: unknown): unknown[] => [input];

/** Loads the code before the first document. */
export function ready(): void {}

function fileWith(bytes: Buffer, options: JoinOptions): JoinedFile {
  file ??= { joining: new Joining(options, isSafeLink), given: [], places: [] };
  file.given.push(bytes);
  return file;
}

/** Adds the documents of a pack with `joinedRows`. */
export function addPack({ pack, options }: { pack: Buffer; options: JoinOptions }): void {
  withPublicErrors(() => {
    const { joining } = fileWith(pack, options);
    const { list, part } = openPack(pack, joinedRows);
    for (const [at, title] of list.entries()) joining.add({ bytes: part(at + 1), title });
  });
}

/** Adds one document. */
export function add(document: { bytes: Buffer; place: JoinPlace; options: JoinOptions }): void {
  withPublicErrors(() => {
    const { joining, places } = fileWith(document.bytes, document.options);
    places.push(document.place);
    joining.add({ bytes: document.bytes });
  });
}

/**
 * Ends the file; the next call begins another one. A file that lacks something must never be an answer, so this throws if
 * other than `made.calls` calls added to it.
 */
export function finish(made: { calls: number }): JoinResult {
  return withPublicErrors(() => {
    const { joining, given = [], places = [] } = file ?? {};
    if (joining === undefined || given.length !== made.calls)
      throw new Error(`the thread has what ${given.length} of ${made.calls} calls gave it`);
    const { chunks, pages, warnings } = joining.finish();
    const result = {
      bytes: Buffer.concat(chunks),
      pages,
      warnings: warnings.map(({ code, message, document: at }) => {
        const document = at === undefined ? undefined : places[at]?.document;
        return { ...(document !== undefined && { document }), code, message };
      }),
    };
    overwrite([given, chunks], []);
    file = undefined;
    return result;
  });
}

function withPublicErrors<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof JoinError ? publicError(error) : error;
  }
}

/** What is wrong with a document that the caller sent is the fault of the caller. The service has made the others. */
function publicError(error: JoinError): AppError {
  const { code, message } = error;
  const cause = { cause: error };
  if (code === 'RESULT_TOO_LARGE') return new AppError('PAYLOAD_TOO_LARGE', message, cause);
  const place = error.document === undefined ? undefined : file?.places[error.document];
  const isOurFault = place === undefined || (place.isMade && code !== 'DOCUMENT_TOO_COMPLEX');
  if (isOurFault) return new AppError('INTERNAL_ERROR', message, cause);
  const details = [{ field: `documents[${place.document}]`, issue: message }];
  return new AppError(code === 'DOCUMENT_SIGNED' ? 'UNPROCESSABLE' : code, message, { ...cause, details });
}
