import { AppError } from '@scriptorium/contracts/errors';
import { mergeJob } from '@scriptorium/contracts/jobs/merge';
import {
  type Merged,
  MergeError,
  type MergeOptions,
  type MergePart,
  merge as mergeDocuments,
} from '@scriptorium/docx-merge/merge';
import { minimalDocx } from '@scriptorium/ooxml/package';

/** DOCX documents to merge. */
export interface MergeTask {
  parts: MergePart[];
  /** The place of the first of them in the request. Errors and warnings count from there. */
  first: number;
  options: MergeOptions;
}

/** Merges two documents, so that the code is loaded before the first request. */
export async function ready(): Promise<void> {
  const parts = ['one', 'two'].map((text) => ({
    source: minimalDocx(`<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`),
  }));
  await merge({ parts, first: 0, options: mergeJob.input.shape.options.parse({}) });
}

/** Rejects with the errors of `merge` of the package, and the places of the documents in the request. */
export async function merge({ parts, first, options }: MergeTask): Promise<Merged> {
  try {
    const { bytes, warnings } = await mergeDocuments(parts, options);
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
