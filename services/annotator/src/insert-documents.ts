import { AppError } from '@scriptorium/contracts/errors';
import type { Generated } from '@scriptorium/docx-generate/generate';
import { insertDocuments, MergeError } from '@scriptorium/docx-merge/insert';

/**
 * Puts the documents of the data where their values stand. `files` has their bytes. Rejects with AppError, which names the
 * value whose document cannot be read.
 */
export async function withDocuments({ bytes, report, insertions }: Generated, files: Buffer) {
  if (insertions.length === 0) return { bytes, report };
  const sources = new Map<number, Buffer>();
  const list = insertions.map(({ paragraph, place: { start, bytes: length } }) => {
    const source = sources.get(start) ?? files.subarray(start, start + length);
    sources.set(start, source);
    return { paragraph, source };
  });
  try {
    const inserted = await insertDocuments(bytes, list);
    const content = new Set([...report.contentRemoved, ...inserted.activeContent]);
    const linksRemoved = report.linksRemoved || inserted.hasLostLinks;
    return { bytes: inserted.bytes, report: { ...report, linksRemoved, contentRemoved: [...content] } };
  } catch (error) {
    if (!(error instanceof MergeError)) throw error;
    const { code, message, document } = error;
    const field = document === undefined ? undefined : insertions[document]?.path;
    throw new AppError(code, message, {
      cause: error,
      ...(field && { details: [{ field, issue: message }] }),
    });
  }
}
