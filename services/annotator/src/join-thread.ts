import { AppError } from '@scriptorium/contracts/errors';
import type { MergeWarning } from '@scriptorium/contracts/jobs/merge';
import { joinedRows, openPack } from '@scriptorium/contracts/jobs/rows';
import { isSafeLink } from '@scriptorium/ooxml/package';
import { JoinError, Joining, type JoinOptions } from '@scriptorium/pdf/join';

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

let joining: Joining | undefined;
let calls = 0;
/** Of each document that has one. The rows of a batch have none. */
const places: JoinPlace[] = [];

/** The documents are read until the end. */
export const keeps = (input: unknown): unknown[] => [input];

/** Adds the documents of a pack with `joinedRows`. A thread joins one file, of packs or of documents. */
export function addPack({ pack, options }: { pack: Buffer; options: JoinOptions }): void {
  withPublicErrors(() => {
    joining ??= new Joining(options, isSafeLink);
    calls++;
    const { list, part } = openPack(pack, joinedRows);
    for (const [at, title] of list.entries()) joining.add({ bytes: part(at + 1), title });
  });
}

/** Adds one document. */
export function add(document: { bytes: Buffer; place: JoinPlace; options: JoinOptions }): void {
  withPublicErrors(() => {
    joining ??= new Joining(document.options, isSafeLink);
    calls++;
    places.push(document.place);
    joining.add({ bytes: document.bytes });
  });
}

/** Ends the file. A file that lacks something must never be an answer, so this throws if other than `made.calls` calls added to it. */
export function finish(made: { calls: number }): JoinResult {
  return withPublicErrors(() => {
    if (joining === undefined || calls !== made.calls)
      throw new Error(`the thread has what ${calls} of ${made.calls} calls gave it`);
    const { chunks, pages, warnings } = joining.finish();
    return {
      bytes: Buffer.concat(chunks),
      pages,
      warnings: warnings.map(({ code, message, document: at }) => {
        const document = at === undefined ? undefined : places[at]?.document;
        return { ...(document !== undefined && { document }), code, message };
      }),
    };
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
  const place = error.document === undefined ? undefined : places[error.document];
  const isOurFault = place === undefined || (place.isMade && code !== 'DOCUMENT_TOO_COMPLEX');
  if (isOurFault) return new AppError('INTERNAL_ERROR', message, cause);
  const details = [{ field: `documents[${place.document}]`, issue: message }];
  return new AppError(code === 'DOCUMENT_SIGNED' ? 'UNPROCESSABLE' : code, message, { ...cause, details });
}
