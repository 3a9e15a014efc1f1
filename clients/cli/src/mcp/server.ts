import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { mcpServer } from '@scriptorium/mcp/server';
import { faultOf } from '../cli-error.ts';
import { versionOf } from '../command.ts';
import type { Connection } from '../connection.ts';
import type { Io } from '../io.ts';
import type { Folder } from './folder.ts';

/** Serves the tools until the client closes standard input, or the user stops the command. */
export async function serve(io: Io, connection: Connection, folder: Folder): Promise<void> {
  const server = mcpServer({
    ...connection,
    version: await versionOf(),
    instructions: `Documents are files in ${folder.root}. Name them by their path in this folder. Results are new files: choose names that do not exist.`,
    documents: folder,
    faultOf(error) {
      const { exitCode: _, ...fault } = faultOf(error);
      return fault;
    },
  });
  const transport = new StdioServerTransport(io.stdin, io.stdout as NodeJS.WriteStream);
  const ended = new Promise<void>((resolve) => {
    server.server.onclose = () => resolve();
    io.stdin.once('end', resolve);
    io.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(transport);
  await ended;
  await server.close();
}
