import {
  type ConvertOptions,
  type Field,
  type FieldRecord,
  type InspectRequest,
  type Made,
  typesOf,
} from '@scriptorium/client';
import {
  AUGMENT_OPTIONS,
  CONVERT_OPTIONS,
  FILL_OPTIONS,
  GENERATE_OPTIONS,
  MERGE_OPTIONS,
  SIGN_OPTIONS,
  USAGE_OPTIONS,
} from '@scriptorium/client/options';
import { z } from 'zod';
import { choicesOf, data, type Format, fileOf, formatOf, inputsOf, output, path, tool } from './define.ts';
import { generateDocuments } from './generate-documents.ts';
import { JOB_TOOLS } from './jobs.ts';
import { pictureOf, show } from './pictures.ts';
import { create, filled, made } from './results.ts';
import type { Context, Tool, ToolAnswer } from './tool.ts';
import { verifyDocument } from './verify-document.ts';

const TARGETS = choicesOf('to');

/** What fills a template: its fields, and TypeScript of its data. */
export async function inspected(file: File, { client, signal }: Pick<Context, 'client' | 'signal'>) {
  const report = await client.inspect(file, { signal });
  const fields = report.fields.map(({ id, names, type, label, count, current, options }) => ({
    ...{ id, names, type, label, count, current, options },
  }));
  return { fields, data: typesOf(report), issues: report.template.issues ?? [] };
}

/** Writes a filled template. A page of it is shown as Word would, whatever its format. */
async function createFilled(
  name: string,
  context: Context,
  fill: (to: Format) => Promise<Made>,
  page: number | undefined,
): Promise<ToolAnswer> {
  const to: Format = formatOf(name, ['docx', 'pdf']);
  let letter: Uint8Array<ArrayBuffer> | undefined;
  const make = async () => {
    const result = await fill(to);
    if (to === 'docx') letter = result.bytes;
    return result;
  };
  const picture = async (shown: number) =>
    pictureOf(new File([letter ?? (await fill('docx')).bytes], 'filled.docx'), shown, context);
  return create(name, context, make, page === undefined ? undefined : () => picture(page));
}

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'convert_document',
    title: 'Convert a document',
    description:
      `Converts a text, a spreadsheet or a presentation. It reads ${choicesOf('from').join(', ')}. ` +
      `It writes ${TARGETS.join(', ')}; spreadsheets and presentations become pdf or png.`,
    input: z.object({ input: path('The document'), output, show, ...inputsOf(CONVERT_OPTIONS) }),
    output: made,
    writes: true,
    async run({ input, output: name, show: page, ...options }, context) {
      const to = formatOf(name, TARGETS);
      const file = await fileOf(input, context);
      const { client, signal } = context;
      const make = () => client.convert(file, { ...options, to, signal } as ConvertOptions);
      return create(
        name,
        context,
        make,
        page === undefined ? undefined : () => pictureOf(file, page, context, options),
      );
    },
  }),
  tool({
    name: 'show_page',
    title: 'Show a page',
    description:
      'Returns a page of a text, a spreadsheet or a presentation as a picture, so that you see what it looks like. ' +
      'It shows no pages of a PDF: show the document that the PDF was made of.',
    input: z.object({
      input: path('The document'),
      page: z.int().min(1).default(1),
      dpi: z.int().min(10).max(200).default(80).describe('Pixels per inch'),
    }),
    output: z.object({ page: z.int(), bytes: z.int() }),
    writes: false,
    async run({ input, page, dpi }, context) {
      const picture = await pictureOf(await fileOf(input, context), page, context, { dpi });
      return { facts: { page, bytes: picture.length }, pictures: [picture] };
    },
  }),
  tool({
    name: 'inspect_template',
    title: 'Inspect a template',
    description:
      'Lists the fields of a DOCX template or a PDF form for fill_template, and TypeScript of the data for generate_document.',
    input: z.object({ template: path('The DOCX template or PDF form') }),
    output: z.object({
      fields: z.array(z.looseObject({ id: z.string(), type: z.string() })),
      data: z.string().describe('TypeScript of the data and of the fields'),
      issues: z.array(z.object({ field: z.string(), issue: z.string() })),
    }),
    writes: false,
    run: async ({ template }, context) => ({
      facts: await inspected(await fileOf(template, context), context),
    }),
  }),
  tool({
    name: 'lint_template',
    title: 'Comment a template',
    description:
      'Writes a copy of a DOCX template with a comment at each mistake in its marks, for its author. ' +
      'Without mistakes, the comments are at what the language does not have, and at what `data` lacks.',
    input: z.object({
      template: path('The DOCX template'),
      data: data.optional().describe('Data to compare with the marks'),
      output,
    }),
    output: made.extend({ mistakes: z.int(), doubts: z.int() }),
    writes: true,
    run: async ({ template, data: value, output: name }, context) =>
      create(name, context, async () => {
        formatOf(name, ['docx']);
        const given = value === undefined ? {} : { data: value as InspectRequest['data'] };
        return context.client.lint(await fileOf(template, context), { ...given, signal: context.signal });
      }),
  }),
  tool({
    name: 'fill_template',
    title: 'Fill a template',
    description:
      'Fills fields of a DOCX template or a PDF form by their id, or all fields of one name by it. A text is a value; a table is a list of rows, which are lists of cells. ' +
      'Check the answer: `unmatched` values found no place, and `remaining` marks are still in the text.',
    input: z.object({
      template: path('The DOCX template, or PDF form for a PDF'),
      fields: data.describe('Values by id or name'),
      output,
      show,
      ...inputsOf(FILL_OPTIONS),
    }),
    output: filled,
    writes: true,
    async run({ template, fields, output: name, show: page, ...options }, context) {
      const file = await fileOf(template, context);
      const { client, signal } = context;
      const values = fields as FieldRecord | Field[];
      const fill = (to: Format) => client.fill(file, values, { ...options, to, signal });
      return createFilled(name, context, fill, page);
    },
  }),
  tool({
    name: 'generate_document',
    title: 'Generate a document from data',
    description:
      'Fills the marks of a DOCX template, loops and conditions among them, or the fields of a PDF form, with JSON data. ' +
      'Check the answer: `unmatched` values are missing in the data, and no mark reads `unused` ones.',
    input: z.object({
      template: path('The DOCX template or PDF form'),
      data: data.describe('The data of the template'),
      output,
      show,
      ...inputsOf(GENERATE_OPTIONS),
    }),
    output: filled,
    writes: true,
    async run({ template, data: value, output: name, show: page, ...options }, context) {
      const file = await fileOf(template, context);
      const { client, signal } = context;
      const generate = (to: Format) => client.generate(file, value, { options, to, signal });
      return createFilled(name, context, generate, page);
    },
  }),
  generateDocuments,
  tool({
    name: 'merge_documents',
    title: 'Merge documents',
    description:
      'Combines documents into one DOCX or PDF, in their order. A PDF can only become part of a PDF.',
    input: z.object({
      inputs: z.array(path('A document')).min(1).max(100),
      output,
      ...inputsOf(MERGE_OPTIONS),
    }),
    output: made,
    writes: true,
    run: async ({ inputs, output: name, ...options }, context) =>
      create(name, context, async () => {
        const to: Format = formatOf(name, ['docx', 'pdf']);
        const files: File[] = [];
        for (const input of inputs) files.push(await fileOf(input, context));
        return context.client.merge(files, { ...options, to, signal: context.signal });
      }),
  }),
  tool({
    name: 'sign_document',
    title: 'Sign a document',
    description:
      'Signs a PDF or DOCX with a key of the service, on behalf of a person. Call it only if this person asked for it. ' +
      'A DOCX whose result ends in .pdf is converted first.',
    input: z.object({
      input: path('The PDF or DOCX'),
      name: z.string().describe('Name of the signer'),
      email: z.string().describe('Address of the signer'),
      profile: z.string().optional().describe('A key of the service other than its own'),
      output,
      ...inputsOf(SIGN_OPTIONS),
    }),
    output: made,
    writes: true,
    run: async ({ input, name, email, profile, output: place, ...options }, context) =>
      create(place, context, async () => {
        const { client, signal } = context;
        const file = await fileOf(input, context);
        const isPdf = (await file.slice(0, 5).text()) === '%PDF-';
        const to = formatOf(place, isPdf ? (['pdf'] as const) : (['pdf', 'docx'] as const));
        return client.sign(file, {
          signer: { name, email },
          auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }],
          ...options,
          ...(profile !== undefined && { key: { profile } }),
          ...(to === 'pdf' && !isPdf && { to }),
          signal,
        });
      }),
  }),
  tool({
    name: 'augment_document',
    title: 'Raise the level of signatures',
    description:
      'Adds time-stamps and validation data to the signatures of a PDF or DOCX, so that they can be verified for longer.',
    input: z.object({ input: path('The signed PDF or DOCX'), output, ...inputsOf(AUGMENT_OPTIONS) }),
    output: made,
    writes: true,
    run: async ({ input, output: place, ...options }, context) =>
      create(place, context, async () => {
        const { client, signal } = context;
        return client.augment(await fileOf(input, context), { ...options, signal });
      }),
  }),
  verifyDocument,
  tool({
    name: 'get_usage',
    title: 'Read the usage',
    description: 'Returns counts of opened documents and operations, by day or month.',
    input: z.object(inputsOf(USAGE_OPTIONS)),
    output: z.looseObject({ granularity: z.string() }),
    writes: false,
    run: async (args, { client, signal }) => ({
      facts: { ...(await client.usage({ ...args, signal } as Parameters<typeof client.usage>[0])) },
    }),
  }),
  ...JOB_TOOLS,
];
