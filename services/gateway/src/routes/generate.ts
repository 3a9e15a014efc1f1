import { AppError, renamed } from '@scriptorium/contracts/errors';
import {
  type Conversion,
  convertJob,
  pdfOptions,
  TARGET_CONTENT_TYPES,
} from '@scriptorium/contracts/jobs/convert';
import { generateJob } from '@scriptorium/contracts/jobs/generate';
import { signJob } from '@scriptorium/contracts/jobs/sign';
import type { ChainResult } from '@scriptorium/shared/queue/client';
import { signReply } from '@scriptorium/signatures/sign-request';
import { z } from 'zod';
import { type Answer, answeredDocument, type Stage } from '../documents/answer.ts';
import {
  BYTES_TYPE,
  beginsAsPdf,
  documentBytes,
  documentContent,
  JSON_TYPE,
  SIGN_HEADERS,
  uploadedNameOf,
} from '../documents/bytes-or-json.ts';
import {
  conversionHeaders,
  conversionHeadersIf,
  conversionStages,
  lossHeaders,
} from '../documents/conversion.ts';
import { fillingReport, fillingReportOf, GENERATE_HEADERS, generateHeaders } from '../documents/filling.ts';
import { loadGenerateInputs, refuseContradictions, refuseForForm } from '../documents/load-generate.ts';
import { documentOperation } from '../documents/operation.ts';
import { checkFormPassword } from '../requests/document-password.ts';
import { generateQuery, generateRequest } from '../requests/generate-request.ts';

type TargetFormat = z.output<typeof generateQuery>['to'];

const reply = z
  .strictObject({
    document: answeredDocument,
    report: fillingReport,
    ...z.object(signReply.shape).partial().shape,
  })
  .meta({ id: 'GeneratedDocument' });

export const generate = documentOperation({
  operationId: 'generate',
  path: '/v1/generate',
  operation: 'generate',
  summary: 'Make a document from a template and data',
  description:
    'Fills the marks of a DOCX template with `data`: values, loops and conditions in the languages of several template engines. With `fields`, it fills the fields that `POST /v1/annotate` fills, also those of a PDF form with `to=pdf`. `data` fills a PDF form, too: nested names are the names of its fields. ' +
    'Then it converts and signs the document, if the request asks for it. ' +
    '`Accept` selects the answer: JSON, or the bytes of the document (its type or `application/octet-stream`). ' +
    '`POST /v1/templates/inspect` lists the marks of a template.',
  query: generateQuery,
  json: {
    schema: generateRequest,
    hasData: true,
    async load(body, { query: { to }, offer, ...tools }) {
      const type = offer([JSON_TYPE, TARGET_CONTENT_TYPES[to], BYTES_TYPE]);
      refuseContradictions(body, { to, isFile: type !== JSON_TYPE });
      const passwordBox = tools.sealPassword.annotator(body.password, tools.response.locals.requestId);
      const inputs = await loadGenerateInputs(body, tools);
      const isForm = beginsAsPdf(inputs.source);
      checkFormPassword(body.password, isForm);
      if (isForm) refuseForForm(body, to);
      const convert = to === 'pdf' && !isForm ? pdfConversion(body.convert) : undefined;
      const uploadedName = uploadedNameOf(body.document);
      const isData = body.data !== undefined;
      return { inputs, type, uploadedName, options: body.options, convert, isData, isForm, passwordBox };
    },
  },
  example: {
    summary: 'The sample template, filled with data',
    query: { to: 'docx' },
    body: ({ template }) => ({
      document: { base64: template },
      data: { order_number: 1842 },
      options: { locale: 'en-GB', currency: 'GBP' },
    }),
  },
  jobs: [
    { job: generateJob },
    { job: convertJob, isNeeded: ({ to }) => to === 'pdf' },
    { job: signJob, isNeededBy: ({ sign }) => sign !== undefined },
  ],
  success: [
    {
      description: 'The document; with `sign`, also the signature',
      contentType: JSON_TYPE,
      schema: reply,
      headers: {
        ...GENERATE_HEADERS,
        ...conversionHeadersIf('With `to=pdf`'),
        ...SIGN_HEADERS,
        'Server-Timing':
          'Milliseconds: `load` (receiving the request, decoding and fetching its documents), `queue`, `generate`; with `to=pdf` also `sanitize` and `convert`, with `sign` also `sign`',
        Vary: '`Accept`',
      },
    },
    ...documentBytes,
  ],
  errors: [
    'readsDocument',
    'fetchesDocument',
    'takesImages',
    'fillsFields',
    'fillsForm',
    'fillsMarks',
    'converts',
    'requiresFonts',
    'signs',
  ],
  async answer({ query: { to }, blobs, loaded, loadMs, runThrough, forSigner }) {
    const { options, convert, isData, isForm, passwordBox } = loaded;
    const { source, content, images, signing, appearance } = blobs;
    const isSigned = signing !== undefined;
    const job = {
      source,
      content: isData ? { data: content } : { fields: content },
      images,
      isForm,
      passwordBox,
      options,
      thenConvert: convert,
      thenSign: signing && forSigner(signing, appearance),
    };
    const later = [...(convert ? [convertJob] : []), ...(isSigned ? [signJob] : [])];
    const steps = await runThrough(generateJob, job, later).catch(nameParts(later));
    return {
      headers: { ...headersOf(steps, convert !== undefined, isSigned), Vary: 'Accept' },
      stages: [['load', loadMs], ...stagesOf(steps, convert !== undefined, isSigned)],
      content: contentOf(steps, to, loaded, isSigned),
    };
  },
});

function pdfConversion(options: z.output<typeof pdfOptions> = pdfOptions.parse({})): Conversion {
  return { from: 'docx', to: 'pdf', ...options };
}

/** The property of the body with the options of a later job. */
const PARTS: Record<string, string> = { [convertJob.name]: 'convert', [signJob.name]: 'sign' };

/** Throws an error of a later worker with the paths that its fields have in this body. */
function nameParts(later: readonly { name: string }[]): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError) || !error.step) throw error;
    const part = PARTS[later[error.step - 1]?.name ?? ''];
    // The converter calls the document `file`.
    throw renamed(error, (field) => (field === 'file' ? 'document' : `${part}.${field}`));
  };
}

function headersOf(steps: ChainResult, isConverted: boolean, isSigned: boolean): Answer['headers'] {
  const filling = generateHeaders(steps.outputOf(generateJob).report);
  if (!isConverted) return filling;
  const { report } = steps.outputOf(convertJob);
  // A signature may add pages.
  return { ...filling, ...(isSigned ? lossHeaders(report) : conversionHeaders(report)) };
}

function stagesOf({ outputOf, queueMs }: ChainResult, isConverted: boolean, isSigned: boolean): Stage[] {
  const fill: Stage = ['generate', outputOf(generateJob).report.runMs];
  const conversion: Stage[] = isConverted
    ? conversionStages(outputOf(convertJob).report, queueMs)
    : [['queue', queueMs]];
  return [fill, ...conversion, ...(isSigned ? [['sign', outputOf(signJob).runMs] satisfies Stage] : [])];
}

function contentOf(
  { outputOf }: ChainResult,
  to: TargetFormat,
  { type, uploadedName, convert }: { type: string; uploadedName: string | undefined; convert: unknown },
  isSigned: boolean,
): Answer['content'] {
  const filled = convert === undefined ? outputOf(generateJob).result : outputOf(convertJob).result;
  const signed = isSigned ? outputOf(signJob) : undefined;
  const report = fillingReportOf(outputOf(generateJob).report);
  const wanted = {
    type,
    uploadedName,
    reply: signed && { ref: signed.reply, schema: signReply },
    properties: { report },
  };
  return documentContent(signed?.result ?? filled, TARGET_CONTENT_TYPES[to], wanted);
}
