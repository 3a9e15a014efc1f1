import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { faultOf } from '../cli-error.ts';
import { versionOf } from '../command.ts';
import type { Connection } from '../connection.ts';
import type { Io } from '../io.ts';
import type { Folder } from './folder.ts';
import { TOOLS, type Tool } from './tools.ts';

/** Serves the tools until the client closes standard input, or the user stops the command. */
export async function serve(io: Io, connection: Connection, folder: Folder): Promise<void> {
  const server = new McpServer(
    { name: 'scriptorium', version: await versionOf() },
    {
      instructions: `Documents are files in ${folder.root}. Name them by their path in this folder. Results are new files: choose names that do not exist.`,
    },
  );
  for (const tool of TOOLS) register(server, tool, connection, folder);
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

function register(server: McpServer, tool: Tool, connection: Connection, folder: Folder): void {
  const { name, title, description, input, writes, run } = tool;
  const annotations = {
    title,
    readOnlyHint: !writes,
    // Results never replace a file.
    destructiveHint: false,
    idempotentHint: !writes,
    openWorldHint: false,
  };
  const call = async (args: unknown, { signal }: { signal: AbortSignal }): Promise<CallToolResult> => {
    try {
      return textOf(await run(input.parse(args), { ...connection, folder, signal }));
    } catch (error) {
      signal.throwIfAborted();
      const { exitCode: _, ...fault } = faultOf(error);
      return { ...textOf(fault), isError: true };
    }
  };
  server.registerTool(name, { title, description, inputSchema: input.shape, annotations }, call);
}

const textOf = (value: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
});
