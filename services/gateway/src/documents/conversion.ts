import type { ConversionReport } from '@scriptorium/shared/jobs/conversion-report';
import type { Answer, Stage } from './answer.ts';

/** The headers of an answer that a conversion was a step of, and what the reference says of them. */
export const CONVERSION_HEADERS = {
  'X-Page-Count': 'Pages of the result',
  'X-Conversion-Warnings': 'How many things of the document the result does not show as they were',
  'X-Conversion-Report': 'The counts of the report, as a dictionary of RFC 9651',
};

/** The same for an operation that converts on a condition; only those that are named. */
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

/** The same without the pages, of which a later step may add more. */
export function lossHeaders(report: ConversionReport): Answer['headers'] {
  return { 'X-Conversion-Warnings': report.warnings, 'X-Conversion-Report': counts(report) };
}

/** The report's counts as a dictionary of RFC 9651. */
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

/** Where the time of a conversion went. */
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
