import { nextStep } from '@scriptorium/contracts/define-job';
import { AppError } from '@scriptorium/contracts/errors';
import {
  convertRowsJob,
  filledRows,
  fillRowsJob,
  joinedRows,
  joinRowsJob,
  openPack,
  requestedRows,
} from '@scriptorium/contracts/jobs/rows';
import { packParts } from '@scriptorium/contracts/pack';
import type { JobContext } from '@scriptorium/shared/queue/job-handler';
import { GENERATE_REPORT, REPORT, type Servers, startWorker } from './workers.ts';

/** Fills one row in a test: `json` is its data or its fields. A thrown AppError fails the row. */
export type TestRow = (asked: { json: unknown; images: Buffer; way: string }) => Promise<Buffer>;

/** What befalls a whole pack in a test, before its rows are filled. */
export type TestPack = (rows: number, context: JobContext) => Promise<void>;

/** Fills packs without a conversion, or forwards them. */
export const startRowFiller = (servers: Servers, fillRow: TestRow, atPack: TestPack, concurrency: number) =>
  startWorker(
    servers,
    fillRowsJob,
    (desk) => async (job, context) => {
      const { list, part } = openPack(await desk.take(job.rows), requestedRows);
      const source = await desk.take(job.template.blob);
      await atPack(list.length, context);
      const parts: Buffer[] = [];
      const rows = [];
      for (const row of list) {
        const json: unknown = JSON.parse(part('data' in row ? row.data : row.fields).toString());
        const images = row.images === undefined ? Buffer.alloc(0) : part(row.images);
        try {
          const made = Buffer.concat([source, await fillRow({ json, images, way: job.way })]);
          rows.push({ document: { part: parts.push(made) }, report: GENERATE_REPORT });
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          const { code, message, details } = error;
          rows.push({ error: { code, message, details } });
        }
      }
      const result = context.keep(packParts([Buffer.from(JSON.stringify({ forms: [], rows })), ...parts]));
      const next =
        job.thenConvert !== undefined && list.length > 0
          ? nextStep(convertRowsJob, { source: result, options: job.thenConvert })
          : undefined;
      return { output: { result, runMs: 5 }, next };
    },
    concurrency,
  );

/** Makes a "PDF" of each document of a pack. */
export const startRowConverter = (servers: Servers, compared: () => 'same' | 'different' | undefined) =>
  startWorker(
    servers,
    convertRowsJob,
    (desk) => async (job, context) => {
      const { list, part } = openPack(await desk.take(job.source), filledRows);
      const parts: Buffer[] = [];
      const rows = list.rows.map((row) => {
        if ('error' in row || row.document === undefined || !('part' in row.document)) return row;
        const made = Buffer.concat([Buffer.from('%PDF of '), part(row.document.part)]);
        return { document: { part: parts.push(made) }, report: row.report, conversion: REPORT };
      });
      const pack = { rows, compared: compared() };
      const result = context.keep(packParts([Buffer.from(JSON.stringify(pack)), ...parts]));
      return { output: { result, runMs: 5 } };
    },
    2,
  );

/** Joins "PDF" documents with their bookmarks. */
export const startRowJoiner = (servers: Servers) =>
  startWorker(
    servers,
    joinRowsJob,
    (desk) =>
      async ({ packs, title }, context) => {
        const pieces: Buffer[] = [];
        for (const pack of packs) {
          const { list, part } = openPack(await desk.take(pack), joinedRows);
          for (const [at, title] of list.entries()) pieces.push(Buffer.from(`[${title}]`), part(at + 1));
        }
        const result = context.keep(Buffer.concat(pieces));
        return { output: { result, warnings: [`TITLED_${title}`], runMs: 5 } };
      },
    2,
  );
