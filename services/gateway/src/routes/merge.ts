import type { BlobRef } from '@scriptorium/contracts/define-job';
import { convertJob, TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import {
  joinJob,
  MERGED_DOCUMENTS_MAX,
  type MergeWarning,
  mergeJob,
  mergeWarning,
} from '@scriptorium/contracts/jobs/merge';
import { z } from 'zod';
import { type Answer, answeredDocument, type Stage } from '../documents/answer.ts';
import { BYTES_TYPE, documentBytes, JSON_TYPE } from '../documents/bytes-or-json.ts';
import {
  conversionHeaders,
  conversionHeadersIf,
  conversionStages,
  lossHeaders,
} from '../documents/conversion.ts';
import { documentOperation, type LoadTools } from '../documents/operation.ts';
import { type DocumentOptions, planMerge } from '../merging/merge-plan.ts';
import { nameRun, runInput, runParts, type StoredMerge } from '../merging/run-parts.ts';
import { loadDocuments } from '../requests/load-documents.ts';
import {
  type MergeOptions,
  mergeOptionsPart,
  mergeQuery,
  mergeRequest,
  readOptionsPart,
} from '../requests/merge-request.ts';

const TITLE = 'Merged documents';
const RESULT_SHARE = 2;

type Query = z.output<typeof mergeQuery>;

export const merge = documentOperation({
  operationId: 'merge',
  path: '/v1/merge',
  operation: 'merge',
  summary: 'Merge documents into one',
  description:
    'Combines 1 to 100 DOCX documents into one, in their order. Each keeps its formatting, lists, sections, headers, footers, notes, comments and bookmarks. ' +
    'With `to=pdf`, the documents may also be PDFs, whose pages are joined with those of the others. ' +
    'A form has one part `file` for each document, and may have a part `options` with JSON. ' +
    '`Accept` selects the answer: JSON, or the bytes of the document (its type or `application/octet-stream`).',
  query: mergeQuery,
  json: {
    schema: mergeRequest,
    async load({ documents, options }, tools) {
      const type = typeOf(tools);
      const bytes = await loadDocuments(documents, tools.loading, tools.response);
      return loaded(bytes, documents, options, { ...tools, type });
    },
  },
  files: {
    description: 'The documents in their order: DOCX, and PDF if the result is a PDF',
    max: MERGED_DOCUMENTS_MAX,
    options: mergeOptionsPart,
    load(files, options, tools) {
      const type = typeOf(tools);
      const bytes = files.map((file) => file.bytes);
      return loaded(bytes, [], readOptionsPart(options), { ...tools, type });
    },
  },
  example: {
    summary: 'The sample document and the sample template in one DOCX',
    query: { to: 'docx' },
    body: ({ document, template }) => ({
      documents: [{ base64: document }, { base64: template, break: 'odd', headers: 'first' }],
      options: { pageNumbers: 'continue' },
    }),
  },
  jobs: [
    { job: mergeJob },
    { job: convertJob, isNeeded: ({ to }) => to === 'pdf' },
    { job: joinJob, isNeeded: ({ to }) => to === 'pdf' },
  ],
  success: [
    {
      description: 'The merged document, and what it lacks or has otherwise',
      contentType: JSON_TYPE,
      schema: z
        .strictObject({
          document: answeredDocument,
          warnings: z
            .array(mergeWarning)
            .describe('`document` is the place in `documents`, from 0. Without it, a warning is about all'),
        })
        .meta({ id: 'MergedDocument' }),
      headers: {
        'X-Merge-Warnings': 'The codes of `warnings`, each once. Absent if there are none',
        ...conversionHeadersIf('With `to=pdf`'),
        'Server-Timing':
          'Milliseconds: `load` (receiving the request, decoding and fetching its documents), `queue`, `merge`; with `to=pdf` also `sanitize` and `convert`, with PDFs also `join`',
        Vary: '`Accept`',
      },
    },
    ...documentBytes,
  ],
  errors: ['readsDocument', 'fetchesDocument', 'converts', 'mergesPdfs'],
  async answer({ query: { to }, blobs, loaded: { type, parts, options, bytesMax }, loadMs, ...runner }) {
    const documents = Object.values<BlobRef>(blobs);
    const stored = { documents, parts, options };
    const made =
      parts.length > 1 || parts.some(({ kind }) => kind === 'pdf')
        ? await joined({ ...stored, bytesMax }, runner)
        : await merged(stored, to, runner);
    const { result, warnings, headers, stages } = made;
    return {
      headers: { ...headers, ...warningHeaders(warnings), Vary: 'Accept' },
      stages: [['load', loadMs], ...stages],
      content:
        type === JSON_TYPE
          ? { document: result, contentType: TARGET_CONTENT_TYPES[to], properties: { warnings } }
          : { file: result, contentType: type, uploadedName: 'merged', ending: to },
    };
  },
});

const typeOf = ({ offer, query: { to } }: Pick<LoadTools<Query>, 'offer' | 'query'>): string =>
  offer([JSON_TYPE, TARGET_CONTENT_TYPES[to], BYTES_TYPE]);

function loaded(
  documents: readonly Buffer[],
  given: readonly DocumentOptions[],
  options: MergeOptions,
  { query: { to }, loading, type }: Pick<LoadTools<Query>, 'query' | 'loading'> & { type: string },
) {
  // The sources do not belong to the queue entry.
  const own = given.map(({ break: begins, headers }) => ({ break: begins, headers }));
  return {
    inputs: Object.fromEntries(documents.map((bytes, at) => [`document${at}`, bytes])),
    parts: planMerge(documents, own, options, to),
    options,
    type,
    bytesMax: RESULT_SHARE * loading.limits.mergeBytesMax,
  };
}

interface MergeOutcome {
  result: BlobRef;
  warnings: readonly MergeWarning[];
  headers: Answer['headers'];
  stages: Stage[];
}

type Runner = Parameters<Parameters<typeof documentOperation>[0]['answer']>[0];

/** Merges DOCX documents into one, which one chain of workers does. */
async function merged(
  stored: StoredMerge,
  to: Query['to'],
  { run, runThrough }: Pick<Runner, 'run' | 'runThrough'>,
): Promise<MergeOutcome> {
  const [part] = stored.parts;
  if (part?.kind !== 'run') throw new Error('there is no run of documents');
  if (to === 'docx') {
    const { output, queueMs } = await run(mergeJob, runInput(stored, part, false));
    const { result, warnings, runMs } = output;
    const stages: Stage[] = [
      ['queue', queueMs],
      ['merge', runMs],
    ];
    return { result, warnings, headers: {}, stages };
  }
  const steps = await runThrough(mergeJob, runInput(stored, part, true), [convertJob]).catch(nameRun(part));
  const { warnings, runMs } = steps.outputOf(mergeJob);
  const { result, report } = steps.outputOf(convertJob);
  const stages: Stage[] = [['merge', runMs], ...conversionStages(report, steps.queueMs)];
  return { result, warnings, headers: conversionHeaders(report), stages };
}

/** Converts the DOCX documents, alone or merged, and joins the PDFs. */
async function joined(
  stored: StoredMerge & { bytesMax: number },
  runner: Pick<Runner, 'runPart' | 'removeBlobs'>,
): Promise<MergeOutcome> {
  const { result, pages, warnings, reports, queueMs, mergeMs, joinMs } = await runParts(
    { ...stored, titleIfNone: TITLE },
    runner,
  );
  const sum = (stage: 'gateMs' | 'engineMs'): number =>
    reports.reduce((all, { timings }) => all + timings[stage], 0);
  const headers = { 'X-Page-Count': pages, ...(reports.length > 0 && lossHeaders(...reports)) };
  const stages: Stage[] = [
    ['queue', queueMs],
    ['merge', mergeMs],
    ['sanitize', sum('gateMs')],
    ['convert', sum('engineMs')],
    ['join', joinMs],
  ];
  return { result, warnings, headers, stages };
}

function warningHeaders(warnings: readonly MergeWarning[]): Record<string, string> {
  const codes = [...new Set(warnings.map(({ code }) => code))];
  return codes.length > 0 ? { 'X-Merge-Warnings': codes.join(', ') } : {};
}
