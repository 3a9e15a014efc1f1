import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openPackage } from '@scriptorium/ooxml/package';
import type { VerifyReply } from '@scriptorium/signatures/verify-report';
import { documentXml, docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { postDocument } from './service.ts';

const run = promisify(execFile);

/** The response to one caller's document. */
export interface Answer {
  /** A word that is in this caller's document and in no other. */
  marker: string;
  /** 0 if the connection broke. */
  status: number;
  /** The error's code; the connection's error without a response. */
  code: string | undefined;
  retryAfter: string | null;
  ms: number;
  /** For a PDF: the wait for a converter, and the time of its engine. */
  queueMs: number;
  convertMs: number;
  /** Or the DOCX, if that was requested. */
  pdf: Buffer | undefined;
}

export const newMarker = (): string => `m${randomBytes(8).toString('hex')}`;

/** Sends a document of these paragraphs and a marker, and accepts any response. Never throws. */
export async function ask(url: string, key: string, paragraphs: string[] = []): Promise<Answer> {
  const marker = newMarker();
  return await answerTo(marker, () => postDocument(url, key, docxWith([marker, ...paragraphs])));
}

const CONTROL =
  '<w:sdt><w:sdtPr><w:id w:val="7"/></w:sdtPr><w:sdtContent><w:p/></w:sdtContent></w:sdt><w:sectPr>';

/** Fills a marker into a template of these paragraphs, and requests the PDF or the DOCX. Never throws. */
export async function askFilled(
  url: string,
  key: string,
  paragraphs: string[] = [],
  to: 'pdf' | 'docx' = 'pdf',
): Promise<Answer> {
  const marker = newMarker();
  const template = zip(packageEntries({ mainXml: documentXml(paragraphs).replace('<w:sectPr>', CONTROL) }));
  const body = {
    document: { base64: template.toString('base64') },
    fields: [{ id: '7', type: 'text', value: marker }],
  };
  return await answerTo(marker, () => postJson(`${url}/v1/annotate?to=${to}`, key, body), documentIn);
}

const MARKS = '<w:p><w:r><w:t>{#lines}{text}{/lines}</w:t></w:r></w:p><w:sectPr>';

/** Has a document generated from a marker, converted and signed. Never throws. */
export async function askGenerated(url: string, key: string, paragraphs: string[] = []): Promise<Answer> {
  const marker = newMarker();
  const template = zip(packageEntries({ mainXml: documentXml(paragraphs).replace('<w:sectPr>', MARKS) }));
  const body = {
    document: { base64: template.toString('base64') },
    data: { lines: [{ text: marker }] },
    sign: {
      signer: { name: 'Ada Lovelace', email: 'ada@example.com' },
      auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }],
    },
  };
  return await answerTo(marker, () => postJson(`${url}/v1/generate?to=pdf`, key, body), documentIn);
}

/** Has DOCX and PDF documents in turns merged into one PDF; a marker is in the last one. Never throws. */
export async function askMerged(url: string, key: string, paragraphs: string[] = []): Promise<Answer> {
  const marker = newMarker();
  const parts = [docxWith(paragraphs), plainPdf(), docxWith(paragraphs), plainPdf(), docxWith([marker])];
  const body = { documents: parts.map((bytes) => ({ base64: bytes.toString('base64') })) };
  return await answerTo(marker, () => postJson(`${url}/v1/merge?to=pdf`, key, body), documentIn);
}

/** Has a document with a marker signed, as a PDF. Never throws. */
export async function askSigned(url: string, key: string): Promise<Answer> {
  const marker = newMarker();
  const body = {
    document: { base64: docxWith([marker]).toString('base64') },
    signer: { name: 'Ada Lovelace', email: 'ada@example.com' },
    auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }],
  };
  return await answerTo(marker, () => postJson(`${url}/v1/sign?to=pdf`, key, body), documentIn);
}

/**
 * Has a signed PDF verified; the result counts as that PDF if the report is about it and calls it valid. Never throws.
 */
export async function askVerified(
  url: string,
  key: string,
  { marker, pdf = NOTHING }: Answer,
): Promise<Answer> {
  const body = { document: { base64: pdf.toString('base64') } };
  const sha256 = createHash('sha256').update(pdf).digest('hex');
  return await answerTo(
    marker,
    () => postJson(`${url}/v1/verify`, key, body),
    (report) => {
      const { valid, document } = JSON.parse(report.toString()) as VerifyReply;
      return valid && document.sha256 === sha256 ? pdf : NOTHING;
    },
  );
}

const NOTHING = Buffer.alloc(0);

const postJson = (url: string, key: string, body: object): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

function documentIn(answer: Buffer): Buffer {
  const { document } = JSON.parse(answer.toString()) as { document: { base64: string } };
  return Buffer.from(document.base64.slice(document.base64.indexOf(',')), 'base64');
}

/** The response to a pending request, or to one about to be sent; `pdfOf` reads its body. */
export async function answerTo(
  marker: string,
  send: () => Promise<Response>,
  pdfOf: (body: Buffer) => Buffer = (body) => body,
): Promise<Answer> {
  const startedAt = performance.now();
  const answer: Answer = {
    marker,
    status: 0,
    code: undefined,
    retryAfter: null,
    ms: 0,
    queueMs: Number.NaN,
    convertMs: Number.NaN,
    pdf: undefined,
  };
  try {
    const response = await send();
    const bytes = Buffer.from(await response.arrayBuffer());
    answer.status = response.status;
    answer.retryAfter = response.headers.get('retry-after');
    const timing = response.headers.get('server-timing') ?? '';
    answer.queueMs = Number(/queue;dur=([\d.]+)/.exec(timing)?.[1]);
    answer.convertMs = Number(/convert;dur=([\d.]+)/.exec(timing)?.[1]);
    if (response.ok) answer.pdf = pdfOf(bytes);
    else answer.code = (JSON.parse(bytes.toString()) as { code: string }).code;
  } catch (error) {
    const { cause = error } = error as Error;
    answer.status = 0;
    answer.code = `broken: ${(cause as NodeJS.ErrnoException).code ?? cause}`;
  }
  answer.ms = performance.now() - startedAt;
  return answer;
}

/** Callers who send one document after another until they are stopped. */
export interface Callers {
  /** Responses received so far. */
  readonly answers: Answer[];
  /** Resolves with one response for each sent request. */
  stop(): Promise<Answer[]>;
}

export function startCallers(url: string, keys: string[], pauseMs = 50, paragraphs: string[] = []): Callers {
  return startAsking(keys, pauseMs, (key) => ask(url, key, paragraphs));
}

/** The same for callers with another request. */
export function startAsking(
  keys: string[],
  pauseMs: number,
  askOnce: (key: string) => Promise<Answer>,
): Callers {
  const answers: Answer[] = [];
  let sent = 0;
  let stopped = false;
  const call = async (key: string): Promise<void> => {
    while (!stopped) {
      sent += 1;
      answers.push(await askOnce(key));
      await sleep(pauseMs);
    }
  };
  const calling = Promise.all(keys.map(call));
  return {
    answers,
    async stop() {
      stopped = true;
      await calling;
      if (answers.length !== sent) throw new Error(`${sent} requests got ${answers.length} answers`);
      return answers;
    },
  };
}

/** How often each outcome occurred: `{ 200: 12, '503 UNAVAILABLE': 3 }`. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) {
    const outcome = code === undefined ? `${status}` : `${status} ${code}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

/** Whether the response is a PDF or DOCX with the caller's own text. */
export async function isOwn({ marker, pdf = NOTHING }: Answer): Promise<boolean> {
  if (pdf.subarray(0, 2).toString() === 'PK') return (await openPackage(pdf)).main.bytes.includes(marker);
  const text = run('pdftotext', ['-', '-']);
  text.child.stdin?.on('error', () => undefined).end(pdf);
  return (await text).stdout.includes(marker);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
