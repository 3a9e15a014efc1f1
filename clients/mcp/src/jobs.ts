import { ScriptoriumError } from '@scriptorium/client';
import { CONVERT_OPTIONS } from '@scriptorium/client/options';
import { z } from 'zod';
import { choicesOf, fileOf, formatOf, inputsOf, output, path, tool } from './define.ts';
import type { Tool } from './tool.ts';

/** Less than models wait for a tool. */
const WAIT_SECONDS = 45;
const id = z.string().min(1).max(100);

/** Work that takes longer than a call may: a job, and a tool that waits for it. */
export const JOB_TOOLS: readonly Tool[] = [
  tool({
    name: 'start_conversion',
    title: 'Start to convert a long document',
    description:
      'Starts a job that converts as convert_document does, for a document that takes longer than a minute. ' +
      'Call wait_for_job with the id that it returns, and with the same output.',
    input: z.object({ input: path('The document'), output, ...inputsOf(CONVERT_OPTIONS) }),
    output: z.object({ job: z.string(), status: z.string(), output: z.string() }),
    writes: true,
    async run({ input, output: name, ...query }, context) {
      const { client, documents, signal } = context;
      const to = formatOf(name, choicesOf('to'));
      await documents.checkNew(name);
      const file = await fileOf(input, context);
      const from = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? 'docx';
      const base64 = Buffer.from(await file.arrayBuffer()).toString('base64');
      const options = { query: { ...query, from, to } as never, signal };
      const { id: job, status } = await client.jobs.start('convert', { document: { base64 } }, options);
      return { facts: { job, status, output: name } };
    },
  }),
  tool({
    name: 'wait_for_job',
    title: 'Wait for a job, and write its document',
    description:
      `Waits for up to ${WAIT_SECONDS} seconds. If the job is \`queued\` or \`running\` then, call it again. ` +
      'The result of a job can be written once, within ten minutes after its end.',
    input: z.object({ job: id.describe('The id that start_conversion returned'), output }),
    output: z.looseObject({
      status: z.string(),
      output: z.string().optional().describe('The document that was written'),
      bytes: z.int().optional(),
    }),
    writes: true,
    async run({ job: asked, output: name }, context) {
      const { client, signal, documents } = context;
      await documents.checkNew(name);
      const { status, error } = await client.jobs.get(asked, { waitSeconds: WAIT_SECONDS, signal });
      if (error !== undefined) throw new ScriptoriumError(error);
      if (status !== 'succeeded') return { facts: { status } };
      const { bytes } = await client.jobs.result(asked, { signal });
      await documents.create(name, bytes);
      return { facts: { status, output: name, bytes: bytes.length } };
    },
  }),
];
