import type { ConversionReport } from '@scriptorium/contracts/jobs/conversion-report';
import type { Answer, Stage } from './answer.ts';

const TITLE_CHARS_MAX = 250;
const LIST_CHARS_MAX = 4_000;

/** The name of a file without its ending, as the title of its document; undefined if it has none. */
export const titleOf = (name: string | undefined): string | undefined =>
  name
    ?.replace(/\.[^.]{1,10}$/, '')
    .slice(0, TITLE_CHARS_MAX)
    .toWellFormed() || undefined;

/** The headers of an answer that includes a conversion, with their descriptions. */
export const CONVERSION_HEADERS = {
  'X-Page-Count': 'Number of pages of the result',
  'X-Conversion-Warnings': 'Number of items of the document that differ or are missing in the result',
  'X-Conversion-Report': 'Counts of the conversion report, as a dictionary (RFC 9651)',
  'X-Signature-Fields':
    'The fields that a PDF got for its signers, in order: `landlord, tenant, tenant_2=tenant, witness=`. After an equals sign is the name that a field was to have, if another field has that. Nothing is after it if the place is on no page. Characters other than letters, digits and a few signs are percent-encoded as UTF-8. Absent if there are none',
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

/** The same headers without the page count, since a later step may add pages. Several conversions are added. */
export function lossHeaders(...reports: readonly ConversionReport[]): Answer['headers'] {
  return {
    'X-Conversion-Warnings': reports.reduce((sum, { warnings }) => sum + warnings, 0),
    'X-Conversion-Report': counts(reports),
    ...(reports.length === 1 && fieldsHeader(reports[0]?.signatureFields)),
  };
}

/** Documents that are joined afterwards may need other names. */
function fieldsHeader(fields: ConversionReport['signatureFields']): Answer['headers'] {
  if (fields === undefined || fields.length === 0) return {};
  const written = fields.map(({ wanted, name }) => {
    if (name === undefined) return `${escaped(wanted)}=`;
    return name === wanted ? escaped(name) : `${escaped(name)}=${escaped(wanted)}`;
  });
  const list = written.join(', ');
  // Clients commonly accept 8 KiB of headers in all.
  const end = list.length <= LIST_CHARS_MAX ? list.length : list.lastIndexOf(', ', LIST_CHARS_MAX);
  return { 'X-Signature-Fields': list.slice(0, end) };
}

const escaped = (name: string): string => encodeURIComponent(name).replaceAll('%3A', ':');

/** Formats the counts of the reports as a dictionary (RFC 9651). */
function counts(reports: readonly ConversionReport[]): string {
  const sum = (countOf: (report: ConversionReport) => number): number =>
    reports.reduce((all, report) => all + countOf(report), 0);
  const entries: [string, number][] = [
    ['fonts-replaced', sum(({ fonts }) => fonts.replaced?.length ?? 0)],
    ['scripts-missing', sum(({ fonts }) => fonts.missingScripts.length)],
    ['dropped', sum(({ dropped }) => dropped.count)],
    [
      'revisions',
      sum(
        ({ revisions: { insertions, deletions, moves, formatting } }) =>
          insertions + deletions + moves + formatting,
      ),
    ],
    ['comments', sum(({ comments }) => comments.count)],
    ['fields-frozen', sum(({ fields }) => fields.frozen)],
    ['conformance-missing', sum(({ conformance }) => conformance?.missing.length ?? 0)],
  ];
  const macros = reports.some((report) => report.macros) ? '?1' : '?0';
  return [...entries.map(([name, count]) => `${name}=${count}`), `macros=${macros}`].join(', ');
}

/** The stages of a conversion and their durations. */
export function conversionStages(
  { timings: { gateMs, waitMs, engineMs } }: ConversionReport,
  queueMs: number,
): Stage[] {
  return [
    ['queue', queueMs + waitMs],
    ['sanitize', gateMs],
    ['convert', engineMs],
  ];
}
