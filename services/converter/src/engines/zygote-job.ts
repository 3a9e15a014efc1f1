import type { JobReport } from './host-lines.ts';

/** The job of one child: one document. */
export interface ZygoteJob<T> {
  input: Uint8Array;
  /** The suffix by which LibreOfficeKit finds the export filter. */
  suffix: string;
  /** The export filter's name. */
  filter: string;
  updateFields?: 'none' | 'toc' | 'all' | undefined;
  comments?: 'hide' | 'margin' | undefined;
  /** The export filter's options; printable ASCII without a space. */
  options?: string | undefined;
  /** Makes the result from the report about a loaded document, while the child's directory still exists. */
  accept(report: JobReport, outputPath: string): Promise<T>;
}

export interface ZygoteResult<T> {
  result: T;
  waitMs: number;
  runMs: number;
}

/** The job in the host's protocol, after the child's id and the source format. */
export function orderOf({ suffix, filter, updateFields, comments, options }: ZygoteJob<unknown>): string {
  return [
    suffix,
    filter.replaceAll(' ', '+'),
    updateFields ?? 'none',
    comments ?? 'hide',
    options ?? '-',
  ].join(' ');
}
