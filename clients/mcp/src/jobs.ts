import { JOB_OPERATIONS, ScriptoriumError, withDocuments } from '@scriptorium/client';
import { z } from 'zod';
import { data, fileOf, output, tool } from './define.ts';
import type { Tool } from './tool.ts';

/** Less than models wait for a tool. */
const WAIT_SECONDS = 45;
/** A document, where the answer would otherwise be JSON with one. */
const BYTES = 'application/octet-stream, */*;q=0.1';
const id = z.string().min(1).max(100);

/** Work that takes longer than a call may: a job, and a tool that waits for it. */
export const JOB_TOOLS: readonly Tool[] = [
  tool({
    name: 'start_job',
    title: 'Start work that takes longer than a minute',
    description:
      'Starts a job of an operation of the API, and returns its id. ' +
      'Call wait_for_job with the id, and with the document to write.',
    input: z.object({
      operation: z.enum(JOB_OPERATIONS),
      request: data.describe(
        'The JSON body of the operation, such as {"document": {"path": "long.docx"}} or {"documents": […]}. {"path": …} stands for a document, by its name',
      ),
      query: data
        .optional()
        .describe('The query of the operation, such as {"from": "docx", "to": "pdf"} of `convert`'),
    }),
    output: z.object({ job: z.string(), status: z.string() }),
    writes: true,
    async run({ operation, request, query }, context) {
      const { client, signal } = context;
      const body = await withDocuments(request, (path) => fileOf(path, context));
      const options = { query: query as never, accept: BYTES, signal };
      const { id: job, status } = await client.jobs.start(operation, body as never, options);
      return { facts: { job, status } };
    },
  }),
  tool({
    name: 'wait_for_job',
    title: 'Wait for a job, and write its document',
    description:
      `Waits for up to ${WAIT_SECONDS} seconds. If the job is \`queued\`, \`running\` or \`delivering\` then, call it again. ` +
      'The result of a job can be written once, within ten minutes after its end.',
    input: z.object({ job: id.describe('The id that start_job returned'), output }),
    output: z.looseObject({
      status: z.string(),
      output: z
        .string()
        .optional()
        .describe('The document that was written, unless the job has delivered it'),
      bytes: z.int().optional(),
    }),
    writes: true,
    async run({ job: asked, output: name }, context) {
      const { client, signal, documents } = context;
      await documents.checkNew(name);
      const job = await client.jobs.get(asked, { waitSeconds: WAIT_SECONDS, signal });
      const { status, error, result, progress } = job;
      if (error !== undefined) throw new ScriptoriumError(error);
      if (result?.url === undefined) return { facts: { status, ...(progress && { progress }) } };
      const { bytes } = await client.jobs.result(asked, { signal });
      await documents.create(name, bytes);
      return { facts: { status, output: name, bytes: bytes.length } };
    },
  }),
];
