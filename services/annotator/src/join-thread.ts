import { AppError } from '@scriptorium/contracts/errors';
import type { MergeWarning } from '@scriptorium/contracts/jobs/merge';
import { joinedRows, openPack } from '@scriptorium/contracts/jobs/rows';
import { JoinError, Joining, type JoinOptions } from '@scriptorium/pdf/join';
import { answerRequests, asBuffer } from '@scriptorium/shared/threads/thread';

/** A document of a merge: its place in the request, and whether the service has made it. */
export interface JoinPlace {
  document: number;
  isMade: boolean;
}

/** A step of joining: packs with `joinedRows` or documents one after the other, then the end. A thread joins one file. */
export type JoinTask =
  | { pack: Uint8Array; options: JoinOptions }
  | { bytes: Uint8Array; place: JoinPlace; options: JoinOptions }
  | 'end';

/** A finished file. It is empty before the end. */
export interface JoinResult {
  bytes: Uint8Array;
  pages: number;
  /** `document` is set for documents with a place. */
  warnings: MergeWarning[];
}

let joining: Joining | undefined;
/** Of each document that has one. The rows of a batch have none. */
const places: JoinPlace[] = [];

function add(task: Exclude<JoinTask, 'end'>): void {
  joining ??= new Joining(task.options);
  if ('pack' in task) {
    const { list, part } = openPack(asBuffer(task.pack), joinedRows);
    for (const [at, title] of list.entries()) joining.add({ bytes: part(at + 1), title });
    return;
  }
  places.push(task.place);
  joining.add({ bytes: asBuffer(task.bytes) });
}

function finish(): JoinResult {
  if (joining === undefined) throw new Error('there is no document to join');
  const { chunks, pages, warnings } = joining.finish();
  return {
    bytes: Buffer.concat(chunks),
    pages,
    warnings: warnings.map(({ code, message, document: at }) => {
      const document = at === undefined ? undefined : places[at]?.document;
      return { ...(document !== undefined && { document }), code, message };
    }),
  };
}

async function work(task: JoinTask): Promise<JoinResult> {
  try {
    if (task === 'end') return finish();
    add(task);
    return { bytes: new Uint8Array(), pages: 0, warnings: [] };
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

answerRequests(
  work,
  ({ bytes }) => bytes,
  // The documents are read until the end.
  (task) => [task],
);
