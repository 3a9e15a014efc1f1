import { randomBytes } from 'node:crypto';
import type { ConversionReport } from '@scriptorium/shared/jobs/conversion-report';
import { create as contentDisposition } from 'content-disposition';
import type { Request } from 'express';
import type { Reply } from '../context.ts';
import { type Stage, showTiming } from './server-timing.ts';

const FILE_STEM_LENGTH_MAX = 150;

export interface ConvertedDocument {
  bytes: Buffer;
  contentType: string;
  /** Name of the uploaded file. */
  uploadedName: string;
  ending: string;
  report: ConversionReport;
  queueMs: number;
}

/** Sends the document; with the report behind it to a caller that accepts `multipart/mixed` (RFC 2046 §5.1.3). */
export function sendDocument(request: Request, response: Reply, document: ConvertedDocument): void {
  const { bytes, contentType, report, queueMs } = document;
  const disposition = attachment(`${stemOf(document.uploadedName)}.${document.ending}`);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Vary', 'Accept');
  showConversion(response, report);
  showTiming(response, conversionStages(report, queueMs));
  if (request.accepts([contentType, 'multipart/mixed']) !== 'multipart/mixed') {
    response.setHeader('Content-Disposition', disposition);
    response.setHeader('Content-Type', contentType);
    response.end(bytes);
    return;
  }
  const boundary = `scriptorium-${randomBytes(16).toString('hex')}`;
  const head =
    `--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Disposition: ${disposition}\r\n` +
    `Content-Length: ${bytes.length}\r\n\r\n`;
  const json = JSON.stringify({ ...report, timings: { queueMs, ...report.timings } });
  const tail =
    `\r\n--${boundary}\r\nContent-Type: application/json\r\n` +
    `Content-Disposition: inline; filename="report.json"\r\n\r\n${json}\r\n--${boundary}--\r\n`;
  response.setHeader('Content-Type', `multipart/mixed; boundary=${boundary}`);
  response.end(Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail)]));
}

/** The headers that tell what a conversion did, and what the reference says of them. */
export const CONVERSION_HEADERS = {
  'X-Page-Count': 'Pages of the result',
  'X-Conversion-Warnings': 'How many things of the document the result does not show as they were',
  'X-Conversion-Report': 'The counts of the report, as a dictionary of RFC 9651',
};

export function showConversion(response: Reply, report: ConversionReport): void {
  response.setHeader('X-Page-Count', report.pages);
  showLosses(response, report);
}

/** The same without the pages, of which a later step may add more. */
export function showLosses(response: Reply, report: ConversionReport): void {
  response.setHeader('X-Conversion-Warnings', report.warnings);
  response.setHeader('X-Conversion-Report', counts(report));
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

/** Where the time of a conversion went, for `Server-Timing`. */
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

/** Always with quotes, which RFC 6266 §4.1 leaves open for plain names and simple clients rely on. */
function attachment(name: string): string {
  return contentDisposition(name).replace(/^attachment; filename=([^";]+)/, 'attachment; filename="$1"');
}

/** The uploaded name without folders, ending and control characters. */
function stemOf(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  const stem = (dot > 0 ? base.slice(0, dot) : base).toWellFormed().replace(/\p{Cc}/gu, '');
  return [...stem].slice(0, FILE_STEM_LENGTH_MAX).join('') || 'document';
}
