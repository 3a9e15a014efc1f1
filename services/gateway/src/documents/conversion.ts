import type { ConversionReport } from '@scriptorium/shared/jobs/conversion-report';
import type { Answer, Stage } from './answer.ts';

/** The headers of an answer that includes a conversion, with their descriptions. */
export const CONVERSION_HEADERS = {
  'X-Page-Count': 'Number of pages of the result',
  'X-Conversion-Warnings': 'Number of items of the document that differ or are missing in the result',
  'X-Conversion-Report': 'Counts of the conversion report, as a dictionary (RFC 9651)',
};

/** The same headers for an operation that converts on a condition; only those in `names`. */
export function conversionHeadersIf(
  condition: string,
  names = Object.keys(CONVERSION_HEADERS) as (keyof typeof CONVERSION_HEADERS)[],
): Record<string, string> {
  const described = names.map((name) => {
    const text = CONVERSION_HEADERS[name];
    return [name, `${condition}: ${text[0]?.toLowerCase()}${text.slice(1)}`];
  });
  return Object.fromEntries(described);
}

export function conversionHeaders(report: ConversionReport): Answer['headers'] {
  return { 'X-Page-Count': report.pages, ...lossHeaders(report) };
}

/** The same headers without the page count, since a later step may add pages. */
export function lossHeaders(report: ConversionReport): Answer['headers'] {
  return { 'X-Conversion-Warnings': report.warnings, 'X-Conversion-Report': counts(report) };
}

/** Formats the counts of the report as a dictionary (RFC 9651). */
function counts({ fonts, dropped, revisions, comments, fields, macros }: ConversionReport): string {
  const { insertions, deletions, moves, formatting } = revisions;
  const entries: [string, number][] = [
    ['fonts-replaced', fonts.replaced?.length ?? 0],
    ['scripts-missing', fonts.missingScripts.length],
    ['dropped', dropped.count],
    ['revisions', insertions + deletions + moves + formatting],
    ['comments', comments.count],
    ['fields-frozen', fields.frozen],
  ];
  return [...entries.map(([name, count]) => `${name}=${count}`), `macros=${macros ? '?1' : '?0'}`].join(', ');
}

/** The stages of a conversion and their durations. */
export function conversionStages(
  { timings: { gateMs, waitMs, engineMs } }: ConversionReport,
  queueMs: number,
): Stage[] {
  return [
    ['queue', queueMs + waitMs],
    ['gate', gateMs],
    ['convert', engineMs],
  ];
}
