import { JoinError, Joining } from '@scriptorium/pdf/join';
import { AppError } from '@scriptorium/shared/errors';
import { joinedRows, openPack } from '@scriptorium/shared/jobs/rows';
import { answerRequests, asBuffer } from '@scriptorium/shared/threads/thread';

/** A step of joining: one pack with `joinedRows` after the other, then the end. A thread joins one file. */
export type JoinTask = { pack: Uint8Array; bytesMax: number } | 'end';

let joining: Joining | undefined;

function add(pack: Buffer, bytesMax: number): void {
  joining ??= new Joining({ bytesMax });
  const { list, part } = openPack(pack, joinedRows);
  for (const [at, title] of list.entries()) joining.add({ bytes: part(at + 1), title });
}

function finish(): Uint8Array {
  if (joining === undefined) throw new Error('there is no document to join');
  return Buffer.concat(joining.finish().chunks);
}

async function work(task: JoinTask): Promise<Uint8Array> {
  try {
    if (task === 'end') return finish();
    add(asBuffer(task.pack), task.bytesMax);
    return new Uint8Array();
  } catch (error) {
    throw error instanceof JoinError ? publicError(error) : error;
  }
}

/** The service has made the documents, so any other reason is its own fault. */
function publicError(error: JoinError): AppError {
  const code = error.code === 'RESULT_TOO_LARGE' ? 'PAYLOAD_TOO_LARGE' : 'INTERNAL_ERROR';
  return new AppError(code, error.message, { cause: error });
}

answerRequests(work, (bytes) => bytes);
