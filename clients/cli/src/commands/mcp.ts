import { stat } from 'node:fs/promises';
import { CliError, EXIT } from '../cli-error.ts';
import type { Call, Command } from '../command.ts';
import { Folder } from '../mcp/folder.ts';

export const mcp: Command = {
  name: 'mcp',
  synopsis: 'FOLDER',
  summary: `Serve tools for models over standard input and output (Model Context Protocol). They read and write files in this
folder only, and replace none.`,
  arguments: [1, 1],
  options: {},
  async run(call: Call) {
    const [path = ''] = call.arguments;
    const found = await stat(path).catch(() => undefined);
    if (!found?.isDirectory()) throw new CliError('FILE_NOT_FOUND', `The folder ${path} does not exist.`);
    // Other commands start faster without it.
    const { serve } = await import('../mcp/server.ts');
    await serve(call.io, await call.connection(), await Folder.open(path));
    return EXIT.ok;
  },
};
