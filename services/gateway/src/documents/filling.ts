import type { GenerateReport } from '@scriptorium/docx-generate/generation';
import { z } from 'zod';
import type { Answer } from './answer.ts';

const count = z.number().int().nonnegative();
const counted = z.strictObject({ count, names: z.array(z.string()) }).optional();

/** What filling reports, in JSON. */
export const fillingReport = z.strictObject({
  filled: count.describe('Places of the document that were filled'),
  unmatched: counted.describe('As `X-Fields-Unmatched` and `X-Fields-Unmatched-List` of `POST /v1/generate`'),
  unused: counted.describe('As `X-Data-Unused` and `X-Data-Unused-List` of `POST /v1/generate`'),
  remaining: count.optional().describe('With `fields`: as `X-Marks-Remaining` of `POST /v1/generate`'),
  warnings: z.array(z.string()).optional().describe('As `X-Generate-Warnings` of `POST /v1/generate`'),
});

export function fillingReportOf(report: Omit<GenerateReport, 'runMs'>): z.output<typeof fillingReport> {
  const { filled, unmatched, unused, remaining = 0 } = report;
  const warnings = fillingWarnings(report);
  return {
    filled,
    ...(unmatched.count > 0 && { unmatched }),
    ...(unused !== undefined && unused.count > 0 && { unused }),
    ...(remaining > 0 && { remaining }),
    ...(warnings !== '' && { warnings: warnings.split(', ') }),
  };
}

/** Description of the header with the warnings of filling. */
export const FILLING_WARNINGS =
  '`signatures-removed` (filling invalidates them), `macros-removed`, `template-row-guessed` (a table has several rows ' +
  'that could be its template row; `templateRow` names it). `links-removed` (hyperlinks without a target, or with one that is not safe to follow), ' +
  '`parts-removed` (parts to which no relationship leads). `fields-removed` (fields that read or start something outside of the document; ' +
  'their text stays), `external-content-removed` (linked pictures and objects, data sources), `remote-template-removed`. For PDF forms: `xfa-removed` (a second form beside the fields) and `usage-rights-removed` (what Adobe Reader may do with the form). ' +
  'Also for them: `scripts-not-run` (calculations, or formats of a script of its own). `nothing-filled` (the document has no place that was filled). Absent if there are none';

type Warnings = Pick<
  GenerateReport,
  | 'filled'
  | 'signaturesRemoved'
  | 'macrosRemoved'
  | 'templateRowGuessed'
  | 'linksRemoved'
  | 'partsRemoved'
  | 'contentRemoved'
  | 'scriptsSkipped'
>;

/** Empty if there are none. */
export function fillingWarnings(report: Warnings): string {
  const warnings = [
    ...(report.signaturesRemoved ? ['signatures-removed'] : []),
    ...(report.macrosRemoved ? ['macros-removed'] : []),
    ...(report.templateRowGuessed ? ['template-row-guessed'] : []),
    ...(report.linksRemoved ? ['links-removed'] : []),
    ...(report.partsRemoved ? ['parts-removed'] : []),
    ...report.contentRemoved.map((content) => `${content}-removed`),
    ...(report.scriptsSkipped ? ['scripts-not-run'] : []),
    ...(report.filled === 0 ? ['nothing-filled'] : []),
  ];
  return warnings.join(', ');
}

/** The header with the number of marks that filling fields left in the text. */
export const REMAINING_HEADER = {
  'X-Marks-Remaining':
    'Number of marks in braces that are still in the text, such as `{name}` without a value and `{#loops}`, which `POST /v1/generate` fills from `data`. Absent if there are none',
};

export const remainingHeader = (remaining = 0): Record<string, number> =>
  remaining > 0 ? { 'X-Marks-Remaining': remaining } : {};

/** Descriptions of the headers that report the result of generating. */
export const GENERATE_HEADERS = {
  'X-Fields-Filled': 'Number of places of the document that were filled',
  'X-Fields-Unmatched':
    'Number of values that the template needs and `data` lacks, or of entries of `fields` that match nothing. Absent if there are none',
  'X-Fields-Unmatched-List':
    'The first of them: `data.customer.name, data.items[3].price` or `fields[3], fields[7]`. Characters other than printable ASCII, commas and `%` are percent-encoded as UTF-8',
  'X-Data-Unused':
    'Number of properties of `data` that no mark of the template reads. Absent if there are none',
  'X-Data-Unused-List':
    'The first of them, written as in `X-Fields-Unmatched-List`. A property of several items of a list is named once',
  ...REMAINING_HEADER,
  'X-Generate-Warnings': FILLING_WARNINGS,
};

/** Clients commonly accept 8 KiB of headers in all. */
const LIST_CHARS_MAX = 4_000;

export function generateHeaders(report: GenerateReport): Answer['headers'] {
  const { filled, unmatched, unused, remaining } = report;
  const warnings = fillingWarnings(report);
  return {
    ...remainingHeader(remaining),
    'X-Fields-Filled': filled,
    ...(unmatched.count > 0 && {
      'X-Fields-Unmatched': unmatched.count,
      'X-Fields-Unmatched-List': listOf(unmatched.names),
    }),
    ...(unused !== undefined &&
      unused.count > 0 && { 'X-Data-Unused': unused.count, 'X-Data-Unused-List': listOf(unused.names) }),
    ...(warnings !== '' && { 'X-Generate-Warnings': warnings }),
  };
}

/** As many names as the header may have, each one whole. */
function listOf(names: readonly string[]): string {
  let list = '';
  for (const name of names) {
    const next = `${list}${list === '' ? '' : ', '}${inHeader(name)}`;
    if (next.length > LIST_CHARS_MAX) break;
    list = next;
  }
  return list;
}

/** Names come from the template and the data, and may have any character. */
function inHeader(name: string): string {
  return name.toWellFormed().replace(/[^!-+\--~]|%/gu, (character) => encodeURIComponent(character));
}
