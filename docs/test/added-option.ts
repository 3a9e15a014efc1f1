import { registerHooks } from 'node:module';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

// A program of its own: it loads the contract with one more option, and prints what each face then has.

const TABLE = 'export const CONVERT_OPTIONS = {\n';
const ADDED = `
  added: z.enum(['one', 'two']).default('one').meta({
    title: 'An added option',
    description: 'What is added',
    'x-enumDescriptions': { one: 'First', two: 'Second' },
    'x-gotenberg': 'addedField',
  }),
`;

/** The sources that differ from those on disk, by the end of their address. */
const changed = new Map<string, (source: string) => string>([
  ['/src/jobs/convert-options.ts', (source) => source.replace(TABLE, TABLE + ADDED)],
]);
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const [, change] = [...changed].find(([end]) => url.endsWith(end)) ?? [];
    return change === undefined ? loaded : { ...loaded, source: change(String(loaded.source)) };
  },
});

const { generatedFiles } = await import('../generated.ts');
const files = await generatedFiles();
const options = 'clients/sdk/src/options.gen.ts';
changed.set(options, () => files.get(options) ?? '');

/** Loads a module of a face, which the documents do not depend on. */
const load = async <Module>(path: string): Promise<Module> =>
  (await import(new URL(`../../${path}`, import.meta.url).href)) as Module;

interface Cli {
  run(args: readonly string[], io: object): Promise<number>;
}
const { run } = await load<Cli>('clients/cli/src/run.ts');
const stdout = new PassThrough();
await run(['help', 'convert'], { stdout });
stdout.end();

interface Mcp {
  TOOLS: readonly { name: string; input: { shape: Record<string, { description?: string }> } }[];
}
const { TOOLS } = await load<Mcp>('clients/mcp/src/tools.ts');
const tool = TOOLS.find(({ name }) => name === 'convert_document');

interface Form {
  optionsFor(from: string, to: string): readonly { name: string }[];
}
const { optionsFor } = await load<Form>('pages/try/src/tabs/convert-options.ts');

const { readForm } = await import('@scriptorium/gateway/requests/gotenberg-form');
const gotenberg = readForm(
  [{ name: 'a.docx', bytes: Buffer.alloc(0) }],
  { embeds: [], invoice: undefined },
  { addedField: 'two' },
);

const faces = {
  files: Object.fromEntries(files),
  help: await text(stdout),
  tool: tool?.input.shape.added?.description,
  form: optionsFor('docx', 'pdf').find(({ name }) => name === 'added'),
  gotenberg: gotenberg.documents[0]?.conversion,
};
process.stdout.write(JSON.stringify(faces));
