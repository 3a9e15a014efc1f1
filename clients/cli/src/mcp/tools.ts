import { type Field, type FieldRecord, type Made, typesOf } from '@scriptorium/client';
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
    description: 'Converts DOCX, ODT, RTF, DOC, HTML, Markdown or text to PDF, DOCX, ODT, HTML, text or PNG.',
    input: z.object({ input: path('The document'), output }),
    writes: true,
    run: async (args, context) =>
      create(args.output, context, async () => {
        const to = formatOf(args.output, ['pdf', 'docx', 'odt', 'html', 'txt', 'png'] as const);
        const { client, signal } = context;
        return client.convert(await fileOf(args.input, context), { to, signal });
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
    name: 'fill_template',
    title: 'Fill a template',
    description:
      'Fills fields of a DOCX template by their id, or all fields of one name by it. A text is a value; a table is a list of rows, which are lists of cells. ' +
      'Check `unmatched` in the answer: these values found no place.',
    input: z.object({
      template: path('The DOCX template'),
      fields: data.describe('Values by id or name'),
      output,
    }),
    writes: true,
    run: async (args, context) =>
      create(args.output, context, async () => {
        const to: Format = formatOf(args.output, ['docx', 'pdf']);
        const { client, signal } = context;
        return client.fill(await fileOf(args.template, context), args.fields as FieldRecord | Field[], {
          to,
          signal,
        });
      }),
  }),
  tool({
    name: 'generate_document',
    title: 'Generate a document from data',
    description:
      'Fills the marks of a DOCX template, loops and conditions among them, with JSON data. ' +
      'Check `unmatched` in the answer: these values are missing in the data.',
    input: z.object({
      template: path('The DOCX template'),
      data: data.describe('The data of the template'),
      output,
    }),
    writes: true,
    run: async (args, context) =>
      create(args.output, context, async () => {
        const to: Format = formatOf(args.output, ['docx', 'pdf']);
        const { client, signal } = context;
        return client.generate(await fileOf(args.template, context), args.data, { to, signal });
      }),
  }),
  tool({
    name: 'merge_documents',
    title: 'Merge documents',
    description:
      'Combines documents into one DOCX or PDF, in their order. A PDF can only become part of a PDF.',
    input: z.object({ inputs: z.array(path('A document')).min(1).max(100), output }),
    writes: true,
    run: async (args, context) =>
      create(args.output, context, async () => {
        const to: Format = formatOf(args.output, ['docx', 'pdf']);
        const files: File[] = [];
        for (const name of args.inputs) files.push(await fileOf(name, context));
        return context.client.merge(files, { to, signal: context.signal });
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
      reason: z.string().optional(),
      profile: z.string().optional().describe('A key of the service other than its own'),
      output,
    }),
    writes: true,
    run: async (args, context) =>
      create(args.output, context, async () => {
        const { client, signal } = context;
        const file = await fileOf(args.input, context);
        const isPdf = (await file.slice(0, 5).text()) === '%PDF-';
        const to = formatOf(args.output, isPdf ? (['pdf'] as const) : (['pdf', 'docx'] as const));
        return client.sign(file, {
          signer: { name: args.name, email: args.email },
          auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }],
          ...(args.reason !== undefined && { reason: args.reason }),
          ...(args.profile !== undefined && { key: { profile: args.profile } }),
          ...(to === 'pdf' && !isPdf && { to }),
          signal,
        });
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
    }),
    writes: false,
    async run(args, context) {
      const { client, signal } = context;
      const trust = args.trust === undefined ? {} : { trust: { profile: args.trust } };
      const report = await client.verify(await fileOf(args.input, context), { ...trust, signal });
      const {
        verdict,
        valid,
        reason,
        integrity,
        trust: trusted,
        time,
        documentModified,
        signatures,
      } = report;
      const list = signatures.map(
        ({ id, format, level, indication, signer, claimedSigningTime, reasons }) => ({
          ...{ id, format, level, indication, signer: signer?.commonName, claimedSigningTime, reasons },
        }),
      );
      return { verdict, valid, reason, integrity, trust: trusted, time, documentModified, signatures: list };
    },
  }),
  tool({
    name: 'get_usage',
    title: 'Read the usage',
    description: 'Returns counts of opened documents and operations, by day or month.',
    input: z.object({
      from: z.string().optional().describe('First day (YYYY-MM-DD)'),
      to: z.string().optional().describe('Day after the last one'),
      granularity: z.enum(['day', 'month']).optional(),
      groupBy: z.string().optional().describe('Such as operation'),
    }),
    writes: false,
    run: async (args, { client, signal }) =>
      client.usage({ ...args, signal } as Parameters<typeof client.usage>[0]),
  }),
];
