import { once } from 'node:events';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import { release } from '@scriptorium/sealing/idle-memory';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { Request } from 'express';
import { z } from 'zod';
import type { Reply } from '../http/context.ts';
import { takeResult } from './blobs.ts';
import { endWith, type FileContent, sendFile } from './file-answer.ts';

/** A multiple of 3, so that the slices can be encoded to base64 one by one. */
const SLICE_BYTES = 3 * 64 * 1024;

/** A stage of the work on an answer, and its duration in milliseconds. */
export type Stage = [name: string, ms: number];

/** The answer of a document operation. Its bytes are still in the store. */
export interface Answer {
  headers?: Record<string, string | number>;
  /** For `Server-Timing`. */
  stages: Stage[];
  content: Written | JsonDocument | FileDocument;
}

/** An answer that a worker wrote: JSON, unless it has another type. */
interface Written {
  written: BlobRef;
  contentType?: string;
}

/** `{document: {base64, contentType}, …more}`. */
interface JsonDocument {
  document: BlobRef;
  /** One of `answeredDocument`. */
  contentType: string;
  /** What a worker wrote beside the document. */
  more?: WrittenBeside;
  /** Properties that need no store. */
  properties?: object;
}

/** A document without an envelope, and what a worker wrote beside it. */
interface FileDocument extends FileContent {
  more?: WrittenBeside;
}

/** JSON that a worker wrote, its schema, and the headers that it causes. */
interface WrittenBeside {
  ref: BlobRef;
  schema: z.ZodObject;
  headersOf?(more: object): Record<string, string>;
}

/** The property `document` of a `JsonDocument`, for the reference. */
export const answeredDocument = z
  .strictObject({
    base64: z.string().min(1).describe('The result as a data URI: `data:<contentType>;base64,…`'),
    contentType: z.enum([TARGET_CONTENT_TYPES.docx, TARGET_CONTENT_TYPES.pdf]),
  })
  .meta({ id: 'AnsweredDocument' });

/** Takes the results out of the store and sends them. Throws UNAVAILABLE if they are missing or incomplete. */
export async function sendAnswer(
  request: Request,
  response: Reply,
  store: BlobStore,
  { headers = {}, stages, content }: Answer,
): Promise<void> {
  const send = await takeContent(store, content);
  setHeaders(response, headers);
  response.setHeader('Server-Timing', stages.map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`).join(', '));
  response.setHeader('Cache-Control', 'no-store');
  await send(request, response);
}

/** Returns a function that sends the content: headers must be set only after the content has been read. */
async function takeContent(
  store: BlobStore,
  content: Answer['content'],
): Promise<(request: Request, response: Reply) => void | Promise<void>> {
  if ('file' in content) {
    const [bytes, beside] = await Promise.all([takeResult(store, content.file), takeBeside(store, content)]);
    return (request, response) => {
      setHeaders(response, beside.headers);
      sendFile(request, response, bytes, content);
    };
  }
  if ('written' in content) {
    const bytes = await takeResult(store, content.written);
    const { contentType = 'application/json' } = content;
    return (_request, response) => {
      const isText = contentType !== TARGET_CONTENT_TYPES.pdf;
      response.setHeader('Content-Type', isText ? `${contentType}; charset=utf-8` : contentType);
      endWith(response, bytes);
    };
  }
  const [bytes, beside] = await Promise.all([
    takeResult(store, content.document),
    takeBeside(store, content),
  ]);
  const contentType = answeredDocument.shape.contentType.parse(content.contentType);
  return (_request, response) => {
    setHeaders(response, beside.headers);
    return sendJsonDocument(response, bytes, contentType, {
      ...content.properties,
      ...beside.more,
    });
  };
}

async function takeBeside(
  store: BlobStore,
  { more }: { more?: WrittenBeside },
): Promise<{ more?: object; headers: Record<string, string> }> {
  if (more === undefined) return { headers: {} };
  const written = more.schema.parse(JSON.parse((await takeResult(store, more.ref)).toString()));
  return { more: written, headers: more.headersOf?.(written) ?? {} };
}

function setHeaders(response: Reply, headers: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Sends slices as fast as the caller reads them, so that the whole answer is never in memory. */
async function sendJsonDocument(
  response: Reply,
  bytes: Buffer,
  contentType: string,
  more: object = {},
): Promise<void> {
  const head = `{"document":{"base64":"data:${contentType};base64,`;
  const rest = JSON.stringify(more).slice(1);
  const tail = `","contentType":"${contentType}"}${rest === '}' ? '' : ','}${rest}`;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader(
    'Content-Length',
    head.length + 4 * Math.ceil(bytes.length / 3) + Buffer.byteLength(tail),
  );
  response.write(head);
  try {
    for (const slice of base64Slices(bytes)) {
      if (response.closed) return;
      if (!response.write(slice, 'latin1')) await drained(response);
    }
  } finally {
    release(bytes);
  }
  response.end(tail);
}

/** Resolves when the caller has read the written bytes or has disconnected. */
async function drained(response: Reply): Promise<void> {
  await once(response, 'drain', { signal: response.locals.signal }).catch((error) => {
    if (!response.destroyed) throw error;
  });
}

/** Encodes bytes to base64, slice by slice. */
export function* base64Slices(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES)
    yield bytes.toString('base64', start, start + SLICE_BYTES);
}
