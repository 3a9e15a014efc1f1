import { createHash } from 'node:crypto';
import { type BlobRef, type JobDefinition, nextStep } from '@scriptorium/contracts/define-job';
import { annotateJob } from '@scriptorium/contracts/jobs/annotate';
import type { ConversionReport } from '@scriptorium/contracts/jobs/conversion-report';
import { type Conversion, conversion, convertJob, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { generateJob } from '@scriptorium/contracts/jobs/generate';
import { inspectJob } from '@scriptorium/contracts/jobs/inspect';
import { signJob } from '@scriptorium/contracts/jobs/sign';
import { type PublicSigningKey, signingKeyJob } from '@scriptorium/contracts/jobs/signing-key';
import { verifyJob } from '@scriptorium/contracts/jobs/verify';
import type { GenerateReport, Generation } from '@scriptorium/docx-generate/generation';
import type { Inspection } from '@scriptorium/docx-generate/inspection';
import type { AnnotateReport, Annotation } from '@scriptorium/docx-template/annotation';
import { type FieldValue, fieldValues } from '@scriptorium/docx-template/fields';
import { WorkerKeys } from '@scriptorium/sealing/job-keys';
import { getInput } from '@scriptorium/shared/blob/exchange';
import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import type { JobContext, JobHandler } from '@scriptorium/shared/queue/job-handler';
import type { WorkerNotice } from '@scriptorium/shared/queue/reply';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { type Signing, type SignReply, signing } from '@scriptorium/signatures/sign-request';
import {
  REPORT_TYPES,
  type Verification,
  type VerifyReply,
  verification,
} from '@scriptorium/signatures/verify-report';
import type { z } from 'zod';

/** Converts a document in a test. It returns the "PDF" and its report. */
export type TestConversion = (
  bytes: Buffer,
  context: JobContext,
  options: Conversion,
  input: z.output<typeof convertJob.input>,
) => Promise<Buffer | { bytes: Buffer; report: ConversionReport }>;

/** The parsed input of an annotator. */
export interface AnnotationAsked {
  source: Buffer;
  fieldValues: FieldValue[];
  images: Buffer;
  options: Annotation;
}

/** Fills a template in a test. It returns the "DOCX" and its report. */
export type TestAnnotation = (
  asked: AnnotationAsked,
  context: JobContext,
) => Promise<Buffer | { bytes: Buffer; report: AnnotateReport }>;

/** The parsed input of an annotator that generates: `json` is the data or the field values. */
export interface GenerationAsked {
  source: Buffer;
  kind: 'data' | 'fields';
  json: unknown;
  images: Buffer;
  options: Generation;
  passwordBox?: string | undefined;
}

/** Fills a template with data in a test. It returns the "DOCX" and its report. */
export type TestGeneration = (
  asked: GenerationAsked,
  context: JobContext,
) => Promise<{ bytes: Buffer; report: GenerateReport }>;

/** The parsed input of a signer. */
export interface SigningAsked {
  source: Buffer;
  signing: Signing;
  images: Buffer;
}

/** Signs a document in a test. It returns the signed document and its reply. */
export type TestSigning = (
  asked: SigningAsked,
  context: JobContext,
) => Promise<{ bytes: Buffer; contentType: string; reply: SignReply }>;

/** The parsed input of a verifier. */
export interface VerificationAsked {
  source: Buffer;
  verification: Verification;
}

/** Verifies a document in a test. It returns the reply. */
export type TestVerification = (asked: VerificationAsked, context: JobContext) => Promise<VerifyReply>;
export type TestInspection = (source: Buffer, data?: unknown) => Promise<Inspection>;

/** The report of a conversion without losses. */
export const REPORT: ConversionReport = {
  pages: 1,
  warnings: 0,
  fonts: { replaced: [], missingScripts: [] },
  dropped: { count: 0, items: [] },
  macros: false,
  revisions: { insertions: 0, deletions: 0, moves: 0, formatting: 0, shown: 'markup' },
  comments: { count: 0, shown: 'hide' },
  fields: { updated: 'none', frozen: 0, kinds: {} },
  engine: { name: 'test', attempts: 1 },
  timings: { gateMs: 1, waitMs: 0, loadMs: 1, updateMs: 0, exportMs: 1, engineMs: 2, totalMs: 3 },
};

const NOTHING_REMOVED = {
  ...{ signaturesRemoved: false, macrosRemoved: false, linksRemoved: false },
  ...{ partsRemoved: false, contentRemoved: [] },
};

/** The report of an annotation that filled one field and missed none. */
export const ANNOTATE_REPORT: AnnotateReport = {
  filled: 1,
  unmatched: { count: 0, fields: [] },
  ...NOTHING_REMOVED,
  ...{ templateRowGuessed: false, remaining: 0 },
  runMs: 4,
};

/** The report of a generation that filled one place and missed none. */
export const GENERATE_REPORT: GenerateReport = {
  filled: 1,
  unmatched: { count: 0, names: [] },
  ...NOTHING_REMOVED,
  runMs: 7,
};

/** The secret of a role, as a setting. The rig gives all of them to its gateway. */
export const jobSecretOf = (role: string): string =>
  createHash('sha256').update(`the jobs of ${role}s`).digest('hex');

/** The addresses of the Redis of the queue and of the documents. */
export interface Servers {
  queue: string;
  blobs: string;
}

/** What a converter reports about its engine. */
export type EngineNotice = Pick<WorkerNotice, 'sandbox' | 'loader'>;

interface Desk {
  blobs: BlobStore;
  /** `requestId` opens what only a signer can open. */
  take(ref: BlobRef | undefined, requestId?: string): Promise<Buffer>;
}

/** Starts a worker on its own connections. Returns a function that stops it. */
export function startWorker<Input extends z.ZodType, Output extends z.ZodType>(
  servers: Servers,
  definition: JobDefinition<Input, Output>,
  handlerAt: (desk: Desk) => JobHandler<z.output<Input>, z.input<Output>>,
  concurrency: number,
  engine?: EngineNotice,
): () => Promise<void> {
  const [redis, store] = [servers.queue, servers.blobs].map((url) => connectPatient(new Secret(url)));
  if (redis === undefined || store === undefined) throw new Error('two addresses make two connections');
  const blobs = createRedisBlobStore(store, redis);
  const secret = [Buffer.from(jobSecretOf(definition.role), 'hex')] as const;
  const ignore = () => undefined;
  const desk: Desk = {
    blobs,
    async take(ref, requestId = '') {
      if (ref?.boxed === undefined) return ref === undefined ? Buffer.alloc(0) : await getInput(blobs, ref);
      const seal = new WorkerKeys(secret, definition.name).openBlobKey(requestId, ref.boxed);
      return await getInput(blobs, { ...ref, seal });
    },
  };
  const worker = startJobWorker(definition, handlerAt(desk), {
    redis,
    secret,
    concurrency,
    blobs,
    capacity: () => concurrency,
    engine: () => engine ?? {},
    events: { answered: ignore, failed: ignore, dropped: ignore, queueError: ignore },
  });
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= worker.close().then(async () => void (await Promise.all([redis, store].map(disconnect))));
    return stopped;
  };
}

export const startConverter = (
  servers: Servers,
  convert: TestConversion,
  concurrency: number,
  engine: EngineNotice,
) =>
  startWorker(
    servers,
    convertJob,
    (desk) => async (job, context) => {
      const made = await convert(await desk.take(job.source), context, job.options, job);
      const { bytes, report } = Buffer.isBuffer(made) ? { bytes: made, report: REPORT } : made;
      const result = context.keep(Buffer.from(bytes));
      const next = job.thenSign && nextStep(signJob, { ...job.thenSign, source: result });
      return { output: { result, contentType: 'application/pdf', report }, next };
    },
    concurrency,
    engine,
  );

const DEFAULT_CONVERSION = conversion.parse(convertOptions.parse({ from: 'docx' }));

export const startAnnotator = (servers: Servers, annotate: TestAnnotation, concurrency: number) =>
  startWorker(
    servers,
    annotateJob,
    (desk) => async (job, context) => {
      const asked = {
        source: await desk.take(job.source),
        fieldValues: fieldValues.parse(JSON.parse((await desk.take(job.fields)).toString())),
        images: await desk.take(job.images),
        options: job.options,
      };
      const made = await annotate(asked, context);
      const { bytes, report } = Buffer.isBuffer(made) ? { bytes: made, report: ANNOTATE_REPORT } : made;
      const result = context.keep(Buffer.from(bytes));
      const next =
        job.to === 'pdf' ? nextStep(convertJob, { source: result, options: DEFAULT_CONVERSION }) : undefined;
      return { output: { result, contentType: 'application/x', report }, next };
    },
    concurrency,
  );

export const startGenerator = (servers: Servers, generate: TestGeneration, concurrency: number) =>
  startWorker(
    servers,
    generateJob,
    (desk) => async (job, context) => {
      const { content, options, passwordBox, thenConvert, thenSign } = job;
      const [kind, ref] =
        'data' in content ? (['data', content.data] as const) : (['fields', content.fields] as const);
      const json: unknown = JSON.parse((await desk.take(ref)).toString());
      const images = await desk.take(job.images);
      const asked = { source: await desk.take(job.source), kind, json, images, options, passwordBox };
      const { bytes, report } = await generate(asked, context);
      const result = context.keep(Buffer.from(bytes));
      const next =
        thenConvert === undefined
          ? thenSign && nextStep(signJob, { ...thenSign, source: result })
          : nextStep(convertJob, { source: result, options: thenConvert, thenSign });
      return { output: { result, contentType: 'application/x', report }, next };
    },
    concurrency,
  );

export const startInspector = (servers: Servers, inspect: TestInspection) =>
  startWorker(
    servers,
    inspectJob,
    (desk) => async (job, context) => {
      const data = job.data && JSON.parse((await desk.take(job.data)).toString());
      const found = await inspect(await desk.take(job.source), data);
      const result = context.keep(Buffer.from(JSON.stringify(found)));
      return { output: { result } };
    },
    2,
  );

export const startSigner = (servers: Servers, sign: TestSigning, concurrency: number) =>
  startWorker(
    servers,
    signJob,
    (desk) => async (job, context) => {
      const asked = {
        source: await desk.take(job.source),
        signing: signing.parse(JSON.parse((await desk.take(job.request, context.requestId)).toString())),
        images: await desk.take(job.images, context.requestId),
      };
      const { bytes, contentType, reply: answer } = await sign(asked, context);
      const result = context.keep(Buffer.from(bytes));
      const reply = context.keep(Buffer.from(JSON.stringify(answer)));
      return { output: { result, reply, contentType, runMs: 5 } };
    },
    concurrency,
  );

export const startVerifier = (servers: Servers, verify: TestVerification, concurrency: number) =>
  startWorker(
    servers,
    verifyJob,
    (desk) => async (job, context) => {
      const asked = {
        source: await desk.take(job.source),
        verification: verification.parse(JSON.parse((await desk.take(job.request)).toString())),
      };
      const answer = await verify(asked, context);
      const reply = context.keep(Buffer.from(JSON.stringify(answer)));
      const contentType = REPORT_TYPES[asked.verification.report ?? 'json'];
      return { output: { reply, contentType, runMs: 6 } };
    },
    concurrency,
  );

export const startKeyTeller = (servers: Servers, key: () => Promise<PublicSigningKey>) =>
  startWorker(servers, signingKeyJob, () => async () => ({ output: await key() }), 2);
