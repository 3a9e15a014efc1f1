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
  type Option,
  SIGN_OPTIONS,
  USAGE_OPTIONS,
  VERIFY_OPTIONS,
} from '@scriptorium/client/options';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import type { Connection } from '../connection.ts';
import type { Folder } from './folder.ts';

interface Context extends Connection {
  folder: Folder;
  signal: AbortSignal;
}

/** A tool for models. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** Whether it writes a file. */
  writes: boolean;
  run(args: Record<string, unknown>, context: Context): Promise<object>;
}

const tool = <Shape extends z.ZodRawShape>(
  definition: Omit<Tool, 'input' | 'run'> & {
    input: z.ZodObject<Shape>;
    run(args: z.output<z.ZodObject<Shape>>, context: Context): Promise<object>;
  },
): Tool => definition as unknown as Tool;

const path = (what: string) => z.string().min(1).max(4_096).describe(`${what}: a path within the folder`);
const output = path('The file to write, which must not exist. Its extension chooses the format');
const data = z.record(z.string(), z.unknown());

/** The names of files say the formats. */
const isFormat = ({ name, type }: Option): boolean => type === 'choice' && (name === 'from' || name === 'to');

/** Returns options of the service as inputs of a tool. */
function inputsOf(options: readonly Option[]): Record<string, z.ZodType> {
  const inputs = options.filter((option) => !isFormat(option));
  return Object.fromEntries(
    inputs.map((option) => [option.name, inputOf(option).optional().describe(option.help)]),
  );
}

function inputOf({ type, choices = [], min = 0, max = Number.MAX_SAFE_INTEGER }: Option): z.ZodType {
  if (type === 'switch') return z.boolean();
  if (type === 'number') return z.int().min(min).max(max);
  return type === 'choice' ? z.enum(choices) : z.string();
}

const choicesOf = (name: string): readonly string[] =>
  CONVERT_OPTIONS.find((option) => option.name === name)?.choices ?? [];
const TARGETS = choicesOf('to');

type Format = 'docx' | 'pdf';

/** Returns the format that the name of a result ends in. Throws DATA_INVALID for others than `formats`. */
function formatOf<Name extends string>(name: string, formats: readonly Name[]): Name {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  const format = formats.find((one) => one === extension);
  if (format !== undefined) return format;
  throw new CliError(
    'DATA_INVALID',
    `The name of the result must end in ${formats.map((one) => `.${one}`).join(' or ')}.`,
  );
}

const fileOf = async (name: string, { folder, limits }: Context): Promise<File> =>
  folder.read(name, (await limits()).sizes.documentBytesMax);

/** Makes a document, and writes it to a new file. Returns the facts about it. */
async function create(name: string, { folder }: Context, make: () => Promise<Made>): Promise<object> {
  await folder.checkNew(name);
  const { bytes, fileName: _, ...facts } = await make();
  await folder.create(name, bytes);
  return { output: name, bytes: bytes.length, ...facts };
}

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'convert_document',
    title: 'Convert a document',
    description:
      `Converts a text, a spreadsheet or a presentation. It reads ${choicesOf('from').join(', ')}. ` +
      `It writes ${TARGETS.join(', ')}; spreadsheets and presentations become pdf or png.`,
    input: z.object({ input: path('The document'), output, ...inputsOf(CONVERT_OPTIONS) }),
    writes: true,
    run: async ({ input, output: name, ...options }, context) =>
      create(name, context, async () => {
        const to = formatOf(name, TARGETS);
        const { client, signal } = context;
        return client.convert(await fileOf(input, context), { ...options, to, signal } as ConvertOptions);
      }),
  }),
  tool({
    name: 'inspect_template',
    title: 'Inspect a template',
    description:
      'Lists the fields of a DOCX template for fill_template, and TypeScript of the data for generate_document.',
    input: z.object({ template: path('The DOCX template') }),
    writes: false,
    async run(args, context) {
      const report = await context.client.inspect(await fileOf(args.template, context), {
        signal: context.signal,
      });
      const fields = report.fields.map(({ id, names, type, label, count, current, options }) => ({
        ...{ id, names, type, label, count, current, options },
      }));
      return { fields, data: typesOf(report), issues: report.template.issues ?? [] };
    },
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
      'Fills fields of a DOCX template by their id, or all fields of one name by it. A text is a value; a table is a list of rows, which are lists of cells. ' +
      'Check the answer: `unmatched` values found no place, and `remaining` marks are still in the text.',
    input: z.object({
      template: path('The DOCX template'),
      fields: data.describe('Values by id or name'),
      output,
      ...inputsOf(FILL_OPTIONS),
    }),
    writes: true,
    run: async ({ template, fields, output: name, ...options }, context) =>
      create(name, context, async () => {
        const to: Format = formatOf(name, ['docx', 'pdf']);
        const { client, signal } = context;
        const values = fields as FieldRecord | Field[];
        return client.fill(await fileOf(template, context), values, { ...options, to, signal });
      }),
  }),
  tool({
    name: 'generate_document',
    title: 'Generate a document from data',
    description:
      'Fills the marks of a DOCX template, loops and conditions among them, with JSON data. ' +
      'Check the answer: `unmatched` values are missing in the data, and no mark reads `unused` ones.',
    input: z.object({
      template: path('The DOCX template'),
      data: data.describe('The data of the template'),
      output,
      ...inputsOf(GENERATE_OPTIONS),
    }),
    writes: true,
    run: async ({ template, data: value, output: name, ...options }, context) =>
      create(name, context, async () => {
        const to: Format = formatOf(name, ['docx', 'pdf']);
        const { client, signal } = context;
        return client.generate(await fileOf(template, context), value, { options, to, signal });
      }),
  }),
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
    writes: true,
    run: async ({ input, output: place, ...options }, context) =>
      create(place, context, async () => {
        const { client, signal } = context;
        return client.augment(await fileOf(input, context), { ...options, signal });
      }),
  }),
  tool({
    name: 'verify_document',
    title: 'Verify signatures',
    description:
      'Verifies the signatures of a PDF or DOCX. Only the verdict `valid` means that all is well; `reason` says what is not.',
    input: z.object({
      input: path('The PDF or DOCX'),
      trust: z.string().optional().describe('A trust profile; `service` trusts the key of the service'),
      ...inputsOf(VERIFY_OPTIONS),
    }),
    writes: false,
    async run({ input, trust: profile, ...options }, context) {
      const { client, signal } = context;
      const file = await fileOf(input, context);
      const anchors = profile === undefined ? {} : { trust: { profile } };
      const report = await client.verify(file, { ...options, ...anchors, signal });
      const { verdict, valid, reason, integrity, trust, time, documentModified, signatures } = report;
      const list = signatures.map(
        ({ id, format, level, indication, signer, claimedSigningTime, reasons }) => ({
          ...{ id, format, level, indication, signer: signer?.commonName, claimedSigningTime, reasons },
        }),
      );
      return { verdict, valid, reason, integrity, trust, time, documentModified, signatures: list };
    },
  }),
  tool({
    name: 'get_usage',
    title: 'Read the usage',
    description: 'Returns counts of opened documents and operations, by day or month.',
    input: z.object(inputsOf(USAGE_OPTIONS)),
    writes: false,
    run: async (args, { client, signal }) =>
      client.usage({ ...args, signal } as Parameters<typeof client.usage>[0]),
  }),
];
