import { REPORT_TYPES, type ReportFormat, type Verification, type VerifyReply } from '../verify-report.ts';
import { htmlReport } from './html.ts';
import { reportModel } from './model.ts';
import { pdfReport } from './pdf.ts';
import { type Chain, xmlReport } from './xml.ts';

export interface Report {
  contentType: string;
  bytes: Buffer;
}

/** Writes a reply in the format of the request. `chains` are those of its signatures, in their order. */
export function writeReport(
  reply: VerifyReply,
  chains: readonly Chain[],
  verification: Verification,
): Report {
  const format = verification.report ?? 'json';
  return { contentType: REPORT_TYPES[format], bytes: WRITERS[format](reply, chains, verification) };
}

const WRITERS: Record<ReportFormat, (...given: Parameters<typeof writeReport>) => Buffer> = {
  json: (reply) => Buffer.from(JSON.stringify(reply)),
  html: (reply, _chains, verification) =>
    Buffer.from(htmlReport(reportModel(reply, verification), reply.pictures)),
  pdf: (reply, _chains, verification) => pdfReport(reportModel(reply, verification), reply.pictures),
  xml: (reply, chains) => xmlReport(reply, chains),
};
