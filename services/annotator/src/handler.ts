import { type BlobRef, type NextStep, nextStep } from '@scriptorium/contracts/define-job';
import type { annotateJob } from '@scriptorium/contracts/jobs/annotate';
import {
  type Conversion,
  convertJob,
  pdfOptions,
  TARGET_CONTENT_TYPES,
} from '@scriptorium/contracts/jobs/convert';
import type { generateJob } from '@scriptorium/contracts/jobs/generate';
import type { inspectJob } from '@scriptorium/contracts/jobs/inspect';
import { signJob } from '@scriptorium/contracts/jobs/sign';
import { getInput, onOwnBytes } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import type { Unseal } from '@scriptorium/shared/secrets/unsealer';
import type { z } from 'zod';
import type { DataReport } from './fill-group.ts';
import type { AnnotateThreads } from './threads.ts';

/** Options of the conversion of a filled template: the defaults. */
const TO_PDF: Conversion = { from: 'docx', to: 'pdf', ...pdfOptions.parse({}) };

/** Names of missing values may be as long as the data. */
const NAME_CHARS_MAX = 500;

/** Gets the template, its field values and images, and keeps the filled document for the gateway or the converter. */
export function annotateHandler(
  threads: Pick<AnnotateThreads, 'fill' | 'fillForm'>,
  blobs: BlobStore,
  unseal: Unseal,
): JobHandler<z.output<typeof annotateJob.input>, z.input<typeof annotateJob.output>> {
  return async (input, { requestId, signal, keep }, share) => {
    const startedAt = performance.now();
    const [source, fields, images] = await inputsOf(blobs, input.source, input.fields, input.images);
    const { to, isForm, options } = input;
    const password = passwordIn(input, requestId, unseal);
    const request = { source, owner: share?.owner, fields, images, options, password };
    const { bytes, report } = await onOwnBytes([source, fields, images], () =>
      threads[isForm ? 'fillForm' : 'fill'](request, signal),
    );
    const result = keep(bytes);
    return {
      output: {
        result,
        contentType: TARGET_CONTENT_TYPES[isForm ? 'pdf' : 'docx'],
        report: { ...report, runMs: performance.now() - startedAt },
      },
      next: to === 'pdf' && !isForm ? nextStep(convertJob, { source: result, options: TO_PDF }) : undefined,
    };
  };
}

/** The password of a PDF form. Throws INTERNAL_ERROR if the gateway did not seal it for this request. */
const passwordIn = (
  { passwordBox }: { passwordBox?: string | undefined },
  requestId: string,
  unseal: Unseal,
): string | undefined => (passwordBox === undefined ? undefined : unseal(requestId, passwordBox).toString());

/** Gets a template, the JSON that fills it, and its images, if there are any. */
function inputsOf(
  blobs: BlobStore,
  source: BlobRef,
  content: BlobRef,
  images: BlobRef | undefined,
): Promise<[Buffer, Buffer, Buffer]> {
  return Promise.all([
    getInput(blobs, source),
    getInput(blobs, content),
    images === undefined ? Buffer.alloc(0) : getInput(blobs, images),
  ]);
}

type GenerateInput = z.output<typeof generateJob.input>;

/** The same for data or field values. The document then goes to the converter, the signer, both or the gateway. */
export function generateHandler(
  threads: Pick<AnnotateThreads, 'fill' | 'fillForm' | 'generate'>,
  blobs: BlobStore,
  unseal: Unseal,
): JobHandler<GenerateInput, z.input<typeof generateJob.output>> {
  return async (input, { requestId, signal, keep }, share) => {
    const startedAt = performance.now();
    const password = passwordIn(input, requestId, unseal);
    const { bytes, report } = await generated(threads, blobs, input, {
      signal,
      owner: share?.owner,
      password,
    });
    const result = keep(bytes);
    return {
      output: {
        result,
        contentType: TARGET_CONTENT_TYPES[input.isForm ? 'pdf' : 'docx'],
        report: { ...report, runMs: performance.now() - startedAt },
      },
      next: stepAfter(input, result),
    };
  };
}

async function generated(
  threads: Pick<AnnotateThreads, 'fill' | 'fillForm' | 'generate'>,
  blobs: BlobStore,
  { source: template, content, images: pictures, options, isForm }: GenerateInput,
  {
    signal,
    owner,
    password,
  }: { signal: AbortSignal; owner: string | undefined; password: string | undefined },
): Promise<{ bytes: Buffer; report: DataReport }> {
  const json = 'data' in content ? content.data : content.fields;
  const [source, bytes, images] = await inputsOf(blobs, template, json, pictures);
  const own = [source, bytes, images];
  if ('data' in content) {
    const filled = await onOwnBytes(own, () =>
      threads.generate({ source, owner, password, data: bytes, images, options, isForm }, signal),
    );
    return { bytes: filled.bytes, report: withShortNames(filled.report) };
  }
  const onMissing = options.onMissing === 'error' ? 'error' : 'ignore';
  const filling = { onMissing, flatten: false } as const;
  const request = { source, owner, password, fields: bytes, images, options: filling };
  const { bytes: filled, report } = await onOwnBytes(own, () =>
    threads[isForm ? 'fillForm' : 'fill'](request, signal),
  );
  const { count, fields } = report.unmatched;
  const names = fields.map((at) => `fields[${at}]`);
  return { bytes: filled, report: { ...report, unmatched: { count, names } } };
}

export function withShortNames(report: DataReport): DataReport {
  const { unmatched, unused } = report;
  const short = ({ count, names }: DataReport['unmatched']) => ({
    count,
    names: names.map((name) => name.slice(0, NAME_CHARS_MAX)),
  });
  return { ...report, unmatched: short(unmatched), ...(unused && { unused: short(unused) }) };
}

function stepAfter({ thenConvert, thenSign }: GenerateInput, source: BlobRef): NextStep | undefined {
  if (thenConvert !== undefined) return nextStep(convertJob, { source, options: thenConvert, thenSign });
  return thenSign && nextStep(signJob, { ...thenSign, source });
}

/** Gets the template, and keeps the list of its fields or the template with comments for the gateway. */
export function inspectHandler(
  threads: Pick<AnnotateThreads, 'inspect' | 'inspectForm' | 'lint'>,
  blobs: BlobStore,
  unseal: Unseal,
): JobHandler<z.output<typeof inspectJob.input>, z.input<typeof inspectJob.output>> {
  return async (input, { requestId, signal, keep }, share) => {
    const source = await getInput(blobs, input.source);
    const data = input.data && (await getInput(blobs, input.data));
    const password = passwordIn(input, requestId, unseal);
    const request = { source, owner: share?.owner, data, password };
    const own = data === undefined ? [source] : [source, data];
    if (input.to === 'docx') {
      const { bytes, report } = await onOwnBytes(own, () => threads.lint(request, signal));
      return { output: { result: keep(bytes), lint: report } };
    }
    const inspection = await onOwnBytes(own, () =>
      threads[input.isForm ? 'inspectForm' : 'inspect'](request, signal),
    );
    return { output: { result: keep(inspection) } };
  };
}
