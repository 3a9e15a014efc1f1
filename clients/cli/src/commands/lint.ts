import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ScriptoriumError } from '@scriptorium/client';
import { CliError, EXIT } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION } from '../command.ts';
import { say } from '../io.ts';
import { sourceOf } from '../sources.ts';

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
  options: { ...JSON_OPTION },
  async run(call: Call) {
    const { io } = call;
    const [folder = ''] = call.arguments;
    const files = await templatesIn(folder);
    const findings: Finding[] = [];
    for (const file of files) {
      const found = await findingsIn(call, file);
      findings.push(...found);
      if (!call.isJson) for (const { field, issue } of found) say(io.stdout, `${file}: ${field}: ${issue}`);
    }
    if (call.isJson) io.stdout.write(`${JSON.stringify({ templates: files.length, findings })}\n`);
    else say(io.stderr, `${files.length} templates, ${findings.length} mistakes`);
    return findings.length > 0 ? EXIT.refused : EXIT.ok;
  },
};

/** The DOCX templates below a folder, without the lock files of Word. Throws FILE_NOT_FOUND if there are none. */
async function templatesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new CliError('FILE_NOT_FOUND', `There is no folder ${folder}.`, error);
  });
  const templates = names.filter((name) => /^(?!.*(?:^|[\\/])~\$).*\.do[ct][xm]$/i.test(name)).sort();
  if (templates.length === 0) throw new CliError('FILE_NOT_FOUND', `There are no templates in ${folder}.`);
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
    if (!(error instanceof ScriptoriumError) || error.status !== 400) throw error;
    return [{ file, field: 'document', issue: error.message }];
  }
}
