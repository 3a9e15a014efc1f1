import type { ErrorDetail } from '@scriptorium/contracts/errors';
import { invalid } from '@scriptorium/shared/http/validation';
import { beginsAsPdf } from '../documents/bytes-or-json.ts';
import type { MergeDocument, MergeOptions } from '../requests/merge-request.ts';

/** What a request says about one document besides its source. */
export type DocumentOptions = Pick<MergeDocument, 'break' | 'headers'>;

/** DOCX documents that become one document, or a PDF. */
export type PlannedPart =
  | { kind: 'run'; first: number; documents: DocumentOptions[] }
  | { kind: 'pdf'; first: number };

/** The options that reach from one document into others, and their values that do. */
const REACHING = { styles: 'first', numbering: 'continue', pageNumbers: 'continue' } as const;
/** Their values that leave each document as it is. */
const NEUTRAL = [
  ['styles', 'keep'],
  ['numbering', 'keep'],
  ['pageNumbers', 'keep'],
] as const;

/**
 * Divides documents into parts. Each DOCX is a part of a PDF if nothing reaches from one into another: its pages are then
 * exactly those that it has alone. Otherwise those that follow each other are one. Throws VALIDATION_ERROR for PDFs without `to=pdf`, and for what a merge cannot do across a
 * PDF, whose pages stay as they are.
 */
export function planMerge(
  documents: readonly Buffer[],
  given: readonly DocumentOptions[],
  options: MergeOptions,
  to: 'docx' | 'pdf',
): PlannedPart[] {
  const pdfs = documents.map(beginsAsPdf);
  if (to !== 'pdf') {
    const details = [...pdfs.entries()]
      .filter(([, pdf]) => pdf)
      .map(([at]) => ({ field: `documents[${at}]`, issue: 'is a PDF, which requires `to=pdf`' }));
    if (details.length > 0) throw invalid(details);
  }
  const details = [...pdfs.keys()].flatMap((at) => contradictions(pdfs, at, given[at] ?? {}, options));
  if (details.length > 0)
    throw invalid([...new Map(details.map((detail) => [detail.field, detail])).values()]);
  const areApart = to === 'pdf' && !reaches(documents.length, given, options);
  const parts: PlannedPart[] = [];
  for (const [at, pdf] of pdfs.entries()) {
    const last = parts.at(-1);
    if (pdf) parts.push({ kind: 'pdf', first: at });
    else if (last?.kind === 'run' && !areApart) last.documents.push(given[at] ?? {});
    else parts.push({ kind: 'run', first: at, documents: [given[at] ?? {}] });
  }
  return parts;
}

/** Whether an option makes a document depend on one before it. */
function reaches(count: number, given: readonly DocumentOptions[], options: MergeOptions): boolean {
  if (NEUTRAL.some(([name, value]) => options[name] !== value)) return true;
  return Array.from({ length: count }, (_, at) => given[at] ?? {}).some(
    (one, at) =>
      at > 0 && ((one.break ?? options.break) !== 'page' || (one.headers ?? options.headers) !== 'keep'),
  );
}

function contradictions(
  pdfs: readonly boolean[],
  at: number,
  given: DocumentOptions,
  options: MergeOptions,
): ErrorDetail[] {
  if (at === 0) return [];
  const details: ErrorDetail[] = [];
  const pathOf = (name: 'break' | 'headers') =>
    given[name] === undefined ? `options.${name}` : `documents[${at}].${name}`;
  const begins = given.break ?? options.break;
  if ((pdfs[at] || pdfs[at - 1]) && begins !== 'page')
    details.push({ field: pathOf('break'), issue: 'must be `page` where a PDF begins or ends' });
  const pdf = pdfs.lastIndexOf(true, at);
  if (pdf < 0) return details;
  const after = `after the PDF \`documents[${pdf}]\``;
  if (pdfs[at]) {
    if (given.headers === 'first')
      details.push({ field: pathOf('headers'), issue: 'must be `keep` for a PDF' });
    return details;
  }
  if ((given.headers ?? options.headers) === 'first')
    details.push({ field: pathOf('headers'), issue: `must be \`keep\` for a document ${after}` });
  for (const [name, value] of Object.entries(REACHING) as [keyof typeof REACHING, string][])
    if (options[name] === value)
      details.push({ field: `options.${name}`, issue: `must not be \`${value}\` with a DOCX ${after}` });
  return details;
}
