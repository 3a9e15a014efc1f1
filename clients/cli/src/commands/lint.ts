import { readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type InspectRequest, ScriptoriumError } from '@scriptorium/client';
import { CliError, EXIT } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION } from '../command.ts';
import { say } from '../io.ts';
import { deliver, makeFolder } from '../outputs.ts';
import { readJson, sourceOf } from '../sources.ts';

interface Finding {
  file: string;
  field: string;
  issue: string;
}

export const lint: Command = {
  name: 'lint',
  synopsis: 'FOLDER',
  summary: 'Check the marks of all templates in a folder and its folders. Ends with 1 if one has mistakes.',
  arguments: [1, 1],
  options: {
    out: {
      type: 'string',
      short: 'o',
      value: 'FOLDER',
      help: 'Write a copy of each template with mistakes or doubts here, with comments at their places',
    },
    data: {
      type: 'string',
      short: 'd',
      value: 'FILE',
      help: 'JSON to compare with the marks, for the comments',
    },
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const [folder = ''] = call.arguments;
    const files = await templatesIn(folder);
    const copies = await copiesOf(call, folder, files);
    const findings: Finding[] = [];
    for (const file of files) {
      const found = await findingsIn(call, file);
      findings.push(...found);
      await copies?.write(file);
      if (!call.isJson) for (const { field, issue } of found) say(io.stdout, `${file}: ${field}: ${issue}`);
    }
    if (call.isJson) io.stdout.write(`${JSON.stringify({ templates: files.length, findings })}\n`);
    else say(io.stderr, `${files.length} templates, ${findings.length} mistakes`);
    return findings.length > 0 ? EXIT.refused : EXIT.ok;
  },
};

/** Writes the copies with comments, under the names that the templates have in their folder. */
async function copiesOf(call: Call, folder: string, files: readonly string[]) {
  const { io } = call;
  const out = call.text('out');
  const file = call.text('data');
  if (out === undefined && file !== undefined)
    throw new CliError('USAGE', 'Name a folder for the copies with -o.');
  if (out === undefined) return undefined;
  const data = file === undefined ? {} : { data: (await readJson(io, file)) as InspectRequest['data'] };
  const targets = new Map(
    files.map((name) => [name, join(out, relative(folder, name)).replace(/[^.]*$/, 'docx')]),
  );
  const inputs = new Set(files.map((name) => resolve(name)));
  for (const target of targets.values())
    if (inputs.has(resolve(target))) throw new CliError('USAGE', `${target} would replace a template.`);
  return {
    async write(name: string): Promise<void> {
      const { client, limits } = await call.connection();
      const source = await sourceOf(io, name, (await limits()).sizes.documentBytesMax);
      const target = targets.get(name) ?? '';
      try {
        const { bytes, mistakes, doubts } = await client.lint(source.file, { ...data, signal: io.signal });
        if (mistakes + doubts === 0) return;
        await makeFolder(dirname(target));
        await deliver(io, { path: target }, bytes);
      } catch (error) {
        // A template that cannot be read has no comments. It is a finding.
        if (!isRefusal(error)) throw error;
      }
    },
  };
}

function isRefusal(error: unknown): error is ScriptoriumError {
  return error instanceof ScriptoriumError && error.status === 400;
}

/** The DOCX templates below a folder, without the lock files of Word. Throws FILE_NOT_FOUND if there are none. */
async function templatesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new CliError('FILE_NOT_FOUND', `The folder ${folder} does not exist.`, error);
  });
  const templates = names.filter((name) => /^(?!.*(?:^|[\\/])~\$).*\.do[ct][xm]$/i.test(name)).sort();
  if (templates.length === 0) throw new CliError('FILE_NOT_FOUND', `The folder ${folder} has no templates.`);
  return templates.map((name) => join(folder, name));
}

/** What the service says against a template. It may also refuse it as a whole. */
async function findingsIn(call: Call, file: string): Promise<Finding[]> {
  const { client, limits } = await call.connection();
  const source = await sourceOf(call.io, file, (await limits()).sizes.documentBytesMax);
  try {
    const { template } = await client.inspect(source.file, { signal: call.io.signal });
    return (template.issues ?? []).map((issue) => ({ file, ...issue }));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return [{ file, field: 'document', issue: error.message }];
  }
}
