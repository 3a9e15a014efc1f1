import { AppError } from '@scriptorium/contracts/errors';
import {
  type Merged,
  MergeError,
  type MergeOptions,
  type MergePart,
  merge,
} from '@scriptorium/docx-merge/merge';
import { answerRequests, asBuffer } from '@scriptorium/shared/threads/thread';

/** DOCX documents to merge. */
export interface MergeTask {
  parts: (Omit<MergePart, 'source'> & { source: Uint8Array })[];
  /** The place of the first of them in the request. Errors and warnings count from there. */
  first: number;
  options: MergeOptions;
}

export interface MergeResult {
  bytes: Uint8Array;
  warnings: Merged['warnings'];
}

async function work({ parts, first, options }: MergeTask): Promise<MergeResult> {
  try {
    const sources = parts.map(({ source, ...part }) => ({ ...part, source: asBuffer(source) }));
    const { bytes, warnings } = await merge(sources, options);
    return {
      bytes,
      warnings: warnings.map((warning) => ({ ...warning, document: first + warning.document })),
    };
  } catch (error) {
    throw error instanceof MergeError ? publicError(error, first) : error;
  }
}

function publicError(error: MergeError, first: number): AppError {
  const { code, message, document } = error;
  const details = document === undefined ? [] : [{ field: `documents[${first + document}]`, issue: message }];
  return new AppError(code, message, { cause: error, ...(details.length > 0 && { details }) });
}

answerRequests(work, ({ bytes }) => bytes);
