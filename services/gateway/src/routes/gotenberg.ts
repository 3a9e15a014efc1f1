import type { BlobRef } from '@scriptorium/contracts/define-job';
import { AppError } from '@scriptorium/contracts/errors';
import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { joinJob } from '@scriptorium/contracts/jobs/merge';
import { ZipWriter } from '@scriptorium/ooxml/zip-writer';
import type { Request } from 'express';
import { FileNames } from '../batches/file-names.ts';
import { PacedWriter } from '../batches/paced-writer.ts';
import { sendAnswer } from '../documents/answer.ts';
import { putInputs, takeResult } from '../documents/blobs.ts';
import { attachment } from '../documents/file-answer.ts';
import { type DocumentRoute, runOptions } from '../documents/operation.ts';
import { partRunner } from '../documents/part-runner.ts';
import type { DocumentParts } from '../documents/parts.ts';
import { type Middleware, ownerOf, type Reply } from '../http/context.ts';
import { type ConvertedForm, makeAll, type StoredForm } from '../merging/convert-form.ts';
import { takeFiles, takeText } from '../middleware/receive-files.ts';
import { EMBEDS, INVOICE } from '../requests/gotenberg-finishing.ts';
import { FORM_FIELDS, readForm } from '../requests/gotenberg-form.ts';

const PATH = '/forms/libreoffice/convert';
const JOBS = [convertJob, joinJob];
const PDF_TYPE = 'application/pdf';
const RESULT_SHARE = 2;
const TRACE = /^[\w.:-]{1,128}$/;
const BASIC = /^basic +([A-Za-z0-9+/=_-]{1,400})$/i;

/** What callers of Gotenberg send for office documents, with answers and errors as Gotenberg sends them. */
export const gotenberg: DocumentRoute = {
  jobs: JOBS,
  route: (parts) => ({
    method: 'post',
    path: PATH,
    access: 'key',
    scope: 'convert',
    operation: 'convert',
    tag: 'Documents',
    summary: 'Convert office documents as Gotenberg does',
    queues: JOBS.map(({ name }) => name),
    success: [],
    errors: [],
    takesWebhook: true,
    before: speakPlainly,
    middleware: [refuseEarly(parts), (...step) => parts.receive.gotenberg(...step)],
    handle: (request, response) => answer(request, response, parts),
  }),
};

/** Errors are plain text, and the key may be the password of basic authentication, as Gotenberg's clients can send it. */
function speakPlainly(...[request, response, next]: Parameters<Middleware>): void {
  const { authorization = '', 'gotenberg-trace': sent } = request.headers;
  const { locals } = response;
  locals.isPlain = true;
  const trace = typeof sent === 'string' && TRACE.test(sent) ? sent : undefined;
  locals.callerRequestId ??= trace;
  response.setHeader('Gotenberg-Trace', trace ?? locals.requestId);
  const [, credentials] = BASIC.exec(authorization) ?? [];
  if (credentials !== undefined) {
    const text = Buffer.from(credentials, 'base64').toString();
    request.headers.authorization = `Bearer ${text.slice(text.indexOf(':') + 1)}`;
  }
  next();
}

/** Refuses a request before its body is read when stores or workers are not available. */
function refuseEarly({ checkStores, clients }: DocumentParts): Middleware {
  return async (_request, response, next) => {
    await checkStores();
    await clients.of(convertJob).shedder.check(response.locals.waiting?.[convertJob.name]);
    next();
  };
}

/** A text may come with a file name, too. */
function takeFields(request: Request): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const name of FORM_FIELDS) {
    const text = takeText(request, name);
    if (text !== undefined) fields[name] = text.toString();
  }
  return fields;
}

/** A separate function, so that no local variable keeps the documents in memory while the jobs run. */
async function storeForm(request: Request, response: Reply, parts: DocumentParts): Promise<StoredForm> {
  const embedded = { embeds: takeFiles(request, EMBEDS), invoice: takeText(request, INVOICE) };
  const { documents, finishing, ...form } = readForm(
    takeFiles(request, 'files'),
    embedded,
    takeFields(request),
  );
  // Its documents are counted by the request.
  if (documents.length > 1 && ownerOf(response).rights.origin === 'trial')
    throw new AppError('FORBIDDEN', 'A trial key converts one document at a time.');
  const inputs: Record<string, Buffer> = {};
  for (const [at, { bytes }] of documents.entries()) {
    inputs[`document${at}`] = bytes;
    // Each conversion takes its own out of the store.
    if (finishing !== undefined) inputs[`finishing${at}`] = at === 0 ? finishing : Buffer.from(finishing);
  }
  const { refs, stored } = await putInputs(parts.blobs, response.locals, inputs);
  return {
    ...form,
    documents: documents.map(({ name, conversion }, at) => ({
      ...{ name, conversion },
      source: refs[`document${at}`] as BlobRef,
      finishing: refs[`finishing${at}`],
    })),
    ...{ stored, blobs: Object.values<BlobRef>(refs) },
  };
}

async function answer(request: Request, response: Reply, parts: DocumentParts): Promise<void> {
  const form = await storeForm(request, response, parts);
  const { documents, blobs, stored, merge } = form;
  const options = {
    ...runOptions(response, parts.queueWaitMsMax),
    blobs: blobs.map(({ key }) => key),
    stored,
  };
  const runner = partRunner(parts, options);
  const bytesMax = RESULT_SHARE * parts.loading.limits.mergeBytesMax;
  const seal = (id: string) => parts.sealPassword.converter(form.passwords, id);
  const passwordBox = (part: string) => seal(`${options.requestId}.${part}`);
  const { pdfs, headers, stages } = await makeAll(form, { bytesMax, runner, passwordBox });
  const name = outputName(request);
  const [first] = pdfs;
  if (first === undefined) throw new Error('a form has a document');
  if (pdfs.length > 1) return sendArchive(response, parts, { documents, pdfs, headers, name });
  const ownName = merge && documents.length > 1 ? 'merged.pdf' : (documents[0]?.name ?? '');
  await sendAnswer(request, response, parts.blobs, {
    headers,
    stages,
    content: {
      file: first,
      contentType: PDF_TYPE,
      uploadedName: name === undefined ? ownName : `${name}.pdf`,
      ending: 'pdf',
    },
  });
}

/** The name that `Gotenberg-Output-Filename` asks for, without folders and control characters. */
function outputName({ headers: { 'gotenberg-output-filename': sent } }: Request): string | undefined {
  if (typeof sent !== 'string') return undefined;
  // Node reads a header as ISO 8859-1.
  const name = Buffer.from(sent, 'latin1').toString();
  return (
    name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).replace(/\p{Cc}/gu, '') ||
    undefined
  );
}

async function sendArchive(
  response: Reply,
  { blobs: store }: DocumentParts,
  {
    documents,
    pdfs,
    headers,
    name,
  }: Omit<ConvertedForm, 'stages'> & Pick<StoredForm, 'documents'> & { name: string | undefined },
): Promise<void> {
  const left = [...pdfs];
  const takeNext = () => takeResult(store, left.shift() as BlobRef);
  try {
    // The first document is there before the headers are sent.
    let next = await takeNext();
    for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
    response.setHeader('Content-Type', 'application/zip');
    response.setHeader('Content-Disposition', attachment(`${name ?? 'documents'}.zip`));
    response.setHeader('Cache-Control', 'no-store');
    const writer = new PacedWriter(response);
    const archive = new ZipWriter({ isCompressed: false });
    const names = new FileNames('pdf', []);
    for (const [at, document] of documents.entries()) {
      if (at > 0) next = await takeNext();
      const file = { name: names.of(at, document.name), data: next };
      for (const piece of archive.add(file)) await writer.write(piece);
    }
    for (const piece of archive.end()) await writer.write(piece);
    response.end();
  } finally {
    if (left.length > 0) void store.remove(left.map(({ key }) => key)).catch(() => undefined);
  }
}
