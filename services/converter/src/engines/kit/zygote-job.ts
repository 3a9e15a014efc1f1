import { join } from 'node:path';
import type { EngineSource } from '@scriptorium/sanitizer/sources';
import type { EngineEnd, EngineRun } from '../engine.ts';
import { writeFontConfig } from '../font-config.ts';
import { namedFilterOf, targetFilterOf } from '../formats.ts';
import { engineEnvironment } from '../profile.ts';
import type { SandboxDemand } from '../sandbox.ts';
import type { JobReport } from './host-lines.ts';
import type { WearLimits } from './zygote-wear.ts';

export interface ZygoteOptions {
  hostPath: string;
  programDir: string;
  /** Private to this zygote; it must exist. */
  workDir: string;
  /** The one format that it reads. */
  source: EngineSource;
  /** Documents in that format, converted before the first job. */
  warmUps: readonly Uint8Array[];
  sandbox: SandboxDemand;
  /** A folder with more fonts. */
  fonts?: string | undefined;
  /** When it should be replaced. */
  wear?: Partial<WearLimits> | undefined;
}

/** The environment of the host and of its children. Also writes the configuration that it names. */
export const environmentOf = ({ workDir, fonts }: ZygoteOptions): Record<string, string> => ({
  ...engineEnvironment(workDir),
  ...writeFontConfig(join(workDir, 'profile'), fonts),
});

/** How a host ended; see `EngineEnd`. `detail` is for the log. */
export interface ZygoteEnd {
  how: Exclude<EngineEnd, 'not-started'>;
  detail: string;
}

/** The job of one child: one document. */
export interface ZygoteJob<T> {
  input: Uint8Array;
  /** The suffix by which LibreOfficeKit finds the export filter. */
  suffix: string;
  /** The export filter's name. */
  filter: string;
  updateFields?: 'none' | 'toc' | 'all' | undefined;
  comments?: 'hide' | 'margin' | undefined;
  isInPieces?: boolean | undefined;
  /** The export filter's options; printable ASCII without a space. */
  options?: string | undefined;
  /** Makes the result from the report about a loaded document, while the child's directory still exists. */
  accept(report: JobReport, outputPath: string): Promise<T>;
}

/** How a conversion runs; see `EngineRun`. */
export type ZygoteRun = Pick<EngineRun, 'slow' | 'isLow' | 'isProbe'> & Required<Pick<EngineRun, 'onStart'>>;

export interface ZygoteResult<T> {
  result: T;
  waitMs: number;
  runMs: number;
}

/** What the host gets about a conversion. */
type Order = Pick<ZygoteJob<unknown>, 'filter' | 'updateFields' | 'comments' | 'isInPieces' | 'options'>;

/** The files of a job, in the directory of its child. */
interface JobFiles {
  from: string;
  to: string;
}

/** The arguments of `engine-host/main.c`. */
export function hostArguments(options: ZygoteOptions, warmUps: readonly string[]): string[] {
  const { programDir, workDir, sandbox, source } = options;
  const filters = [namedFilterOf(source), targetFilterOf('pdf', source)];
  return [String(process.pid), programDir, workDir, sandbox, ...filters, ...warmUps];
}

/** The job in the host's protocol, after the child's id. */
export function orderOf(
  { filter, updateFields = 'none', comments = 'hide', isInPieces, options = '-' }: Order,
  { from, to }: JobFiles,
): string {
  const tables = isInPieces ? 'pieces' : 'whole';
  return [from, to, filterWord(filter), updateFields, comments, tables, options].join(' ');
}

/** The texts that are put into a form of the child, in the host's protocol. */
export function fillOrderOf({ filter, options }: Order, form: number, { from, to }: JobFiles): string {
  return [form, from, to, filterWord(filter), options ?? '-'].join(' ');
}

const filterWord = (filter: string): string => filter.replaceAll(' ', '+');
