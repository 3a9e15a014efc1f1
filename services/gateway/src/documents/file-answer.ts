import { randomBytes } from 'node:crypto';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { release } from '@scriptorium/sealing/idle-memory';
import { create as contentDisposition } from 'content-disposition';
import type { Request } from 'express';
import type { Reply } from '../http/context.ts';

const FILE_STEM_CHARS_MAX = 150;

/** A document without an envelope. */
export interface FileContent {
  file: BlobRef;
  contentType: string;
  /** Name of the uploaded file, if there was one, and the extension that replaces its own. */
  uploadedName?: string;
  ending: string;
  /** Callers that accept `multipart/mixed` (RFC 2046 §5.1.3) get it as a second part. */
  report?: object;
}

export function sendFile(request: Request, response: Reply, bytes: Buffer, content: FileContent): void {
  const { contentType, uploadedName = '', ending, report } = content;
  const disposition = attachment(`${stemOf(uploadedName)}.${ending}`);
  response.setHeader('Vary', 'Accept');
  if (report === undefined || request.accepts([contentType, 'multipart/mixed']) !== 'multipart/mixed') {
    response.setHeader('Content-Disposition', disposition);
    response.setHeader('Content-Type', contentType);
    endWith(response, bytes);
    return;
  }
  const boundary = `scriptorium-${randomBytes(16).toString('hex')}`;
  const head =
    `--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Disposition: ${disposition}\r\n` +
    `Content-Length: ${bytes.length}\r\n\r\n`;
  const tail =
    `\r\n--${boundary}\r\nContent-Type: application/json\r\n` +
    `Content-Disposition: inline; filename="report.json"\r\n\r\n${JSON.stringify(report)}\r\n--${boundary}--\r\n`;
  response.setHeader('Content-Type', `multipart/mixed; boundary=${boundary}`);
  const answer = Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail)]);
  release(bytes);
  endWith(response, answer);
}

/** Sends bytes that nothing else uses. */
export function endWith(response: Reply, bytes: Buffer): void {
  response.setHeader('Content-Length', bytes.length);
  // After an error, the system may still read them.
  response.write(bytes, (error) => error ?? release(bytes));
  response.end();
}

/** Always quotes the name: RFC 6266 §4.1 makes this optional, but simple clients rely on it. */
export function attachment(name: string): string {
  return contentDisposition(name).replace(/^attachment; filename=([^";]+)/, 'attachment; filename="$1"');
}

/** Returns the uploaded name without folders, extension and control characters. */
function stemOf(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  const stem = (dot > 0 ? base.slice(0, dot) : base).toWellFormed().replace(/\p{Cc}/gu, '');
  return [...stem].slice(0, FILE_STEM_CHARS_MAX).join('') || 'document';
}
