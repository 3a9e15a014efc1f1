import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ConversionRequest, EngineError, type EngineResult, type EngineTimings } from '../engine.ts';
import { checkOutput, readOutput } from '../output.ts';
import { requirePages } from '../page-range.ts';
import { type JobReport, parseMissingFonts } from './host-lines.ts';

export type KitResult = Omit<EngineResult, 'timings'> & { stages: Omit<EngineTimings, 'waitMs' | 'runMs'> };

/** Turns a child's report about a loaded document into a result. Throws an `EngineError`. */
export async function readKitResult(
  request: ConversionRequest,
  report: JobReport,
  outputPath: string,
): Promise<KitResult> {
  if (report.pages < 1) throw new EngineError('crashed', 'the document has no page');
  // This comes first: the export fails if none of the pages exists.
  if (request.pages !== undefined) requirePages(request.pages, report.pages);
  if (report.outcome === 'failed') throw new EngineError('crashed', `export failed: ${report.text}`);
  const { bytes, pages } = await checkOutput(request.to, await readOutput(outputPath));
  return {
    bytes,
    pages: pages ?? report.pages,
    // The page tree shows what was exported: the document's own count can differ by blank pages.
    documentPages: request.pages === undefined && pages !== undefined ? pages : report.pages,
    missingFonts: parseMissingFonts(report.text),
    folder: pathToFileURL(dirname(outputPath)).href,
    stages: {
      loadMs: report.loadMs,
      updateMs: report.updateMs,
      exportMs: report.exportMs,
      ...(report.cpuMs !== undefined && { cpuMs: report.cpuMs }),
    },
  };
}
