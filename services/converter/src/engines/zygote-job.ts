import type { JobReport } from './host-lines.ts';

/** One document's way through a child. */
export interface ZygoteJob<T> {
  input: Uint8Array;
  /** The suffix that LibreOfficeKit finds the export filter by. */
  suffix: string;
  updateFields?: 'none' | 'toc' | 'all' | undefined;
  comments?: 'hide' | 'margin' | undefined;
  /** Of the export filter; printable ASCII without a space. */
  options?: string | undefined;
  /** Makes the result of what a document that was loaded came to, while the child's directory is still there. */
  accept(report: JobReport, outputPath: string): Promise<T>;
}

export interface ZygoteResult<T> {
  result: T;
  waitMs: number;
  runMs: number;
}

/** The job as the host is told it, behind its child and source format. */
export function orderOf({ suffix, updateFields, comments, options }: ZygoteJob<unknown>): string {
  return [suffix, updateFields ?? 'none', comments ?? 'hide', options ?? '-'].join(' ');
}
