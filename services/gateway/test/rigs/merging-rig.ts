import { once } from 'node:events';
import { expect } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import type { JoinAsked, MergeAsked } from './merge-workers.ts';
import { type Rig, startRig } from './rig.ts';
import { inBase64, until } from './signing-rig.ts';
import { REPORT } from './workers.ts';

export const docxOf = (name: string): Buffer => Buffer.from(`PK\x03\x04<${name}>`);
export const pdfOf = (name: string): Buffer => Buffer.from(`%PDF-1.7<${name}>`);
export const asDocument = (bytes: Buffer, more: object = {}) => ({ ...inBase64(bytes), ...more });

/** A gateway with workers that show what they got: a merge is the names in brackets, and so on. */
export interface MergingRig {
  rig: Rig;
  key: string;
  merges: MergeAsked['job'][];
  joins: JoinAsked['job'][];
  conversions: Conversion[];
  /** The steps that wait, and those of them that were canceled. */
  begun: string[];
  ended: string[];
  merge(
    body: unknown,
    query?: string,
    options?: { headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>;
  send(form: FormData, query?: string, headers?: Record<string, string>): Promise<Response>;
  /** Expects that nothing of a document is left, and forgets the jobs. */
  clear(): Promise<void>;
}

const namesIn = (bytes: Buffer): string =>
  bytes.toString().replaceAll('PK\x03\x04', '').replaceAll('%PDF-1.7', '');

export async function startMergingRig(settings: Record<string, string> = {}): Promise<MergingRig> {
  const rig = await startRig(settings);
  const { key } = await rig.newKey();
  const begun: string[] = [];
  const ended: string[] = [];
  /** A worker fails at a document with the name of its step, such as `bad-join`, and waits at `slow-join` until it is canceled. */
  const meet = async (
    step: string,
    sources: Buffer[],
    signal: AbortSignal,
    fieldOf: (at: number) => string,
  ): Promise<void> => {
    for (const [at, bytes] of sources.entries()) {
      if (bytes.includes(`slow-${step}`)) {
        begun.push(step);
        if (!signal.aborted) await once(signal, 'abort');
        ended.push(step);
        throw new AppError('DEADLINE_EXCEEDED', 'It is too late.');
      }
      if (bytes.includes(`bad-${step}`))
        throw new AppError('DOCUMENT_TOO_COMPLEX', 'It is too long.', {
          details: [{ field: fieldOf(at), issue: 'is too long' }],
        });
    }
  };
  const merges: MergeAsked['job'][] = [];
  const joins: JoinAsked['job'][] = [];
  rig.mergeWith(async ({ sources, job }, { signal }) => {
    merges.push(job);
    await meet('merge', sources, signal, (at) => `documents[${job.first + at}]`);
    const warnings = [{ document: job.first, code: 'TESTED', message: 'It is a test.' }];
    return { bytes: Buffer.from(`PK\x03\x04[${sources.map(namesIn).join('')}]`), warnings };
  }, 4);
  rig.joinWith(async ({ pdfs, job }, { signal }) => {
    joins.push(job);
    await meet('join', pdfs, signal, (at) => `documents[${job.parts[at]?.document}]`);
    const warnings = [{ code: 'CONFORMANCE_LOST', message: 'Not PDF/A.' }];
    return { bytes: Buffer.from(`%PDF-1.7{${pdfs.map(namesIn).join('+')}}`), warnings };
  });
  const conversions: Conversion[] = [];
  await rig.convertWith(async (bytes, { signal }, options) => {
    conversions.push(options);
    await meet('convert', [bytes], signal, () => 'file');
    return {
      bytes: Buffer.from(`%PDF-1.7(${namesIn(bytes)})`),
      report: { ...REPORT, pages: 3, warnings: 2 },
    };
  }, 4);
  return {
    rig,
    key,
    merges,
    joins,
    conversions,
    begun,
    ended,
    merge: (body, query = '', options = {}) => rig.postJson(key, `/v1/merge${query}`, body, options),
    send: (form, query = '', headers = {}) =>
      fetch(`${rig.url}/v1/merge${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, ...headers },
        body: form,
      }),
    async clear() {
      merges.length = 0;
      joins.length = 0;
      conversions.length = 0;
      begun.length = 0;
      ended.length = 0;
      expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
    },
  };
}

/** Returns the document and the warnings of an answer. */
export async function mergedIn(response: Response) {
  const body = (await response.json()) as {
    document: { base64: string; contentType: string };
    warnings: { document?: number; code: string }[];
  };
  expect({ status: response.status, body }).toMatchObject({ status: 200 });
  const [, base64 = ''] = body.document.base64.split(';base64,');
  const text = namesIn(Buffer.from(base64, 'base64'));
  return { text, contentType: body.document.contentType, warnings: body.warnings };
}

/** Returns the status, the code and the details of an error: `documents[2]: must be …`. */
export async function errorIn(response: Response) {
  const { code, message, details } = (await response.json()) as {
    code: string;
    message: string;
    details?: { field: string; issue: string }[];
  };
  const named = details?.map(({ field, issue }) => `${field}: ${issue}`);
  return { status: response.status, code, message, details: named };
}

export function formOf(files: Buffer[], options?: string): FormData {
  const form = new FormData();
  for (const bytes of files) form.append('file', new Blob([new Uint8Array(bytes)]), 'part.docx');
  if (options !== undefined) form.append('options', options);
  return form;
}
