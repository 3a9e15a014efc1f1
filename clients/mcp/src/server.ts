import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { Context, Tool } from './tool.ts';
import { inspected, TOOLS } from './tools.ts';

const TEMPLATE_NAME = /\.(docx|dotx|docm|dotm)$/i;
const RESOURCE_BYTES_MAX = 40 * 1024 * 1024;

/** What tools need beside the facts of one call. */
export interface ServerParts extends Pick<Context, 'client' | 'limits' | 'documents'> {
  version: string;
  /** Where documents are, and how to name them. */
  instructions: string;
  /** Tools beside those of all servers. */
  more?: readonly Tool[];
  /** What a model may read of an error. */
  faultOf(error: unknown): object;
}

/** A server with the tools, and the documents as resources. It must be connected to a transport. */
export function mcpServer(parts: ServerParts): McpServer {
  const { version, instructions, more = [] } = parts;
  const server = new McpServer({ name: 'scriptorium', version }, { instructions });
  for (const tool of [...TOOLS, ...more]) register(server, tool, parts);
  registerDocuments(server, parts);
  registerTemplates(server, parts);
  return server;
}

function register(server: McpServer, tool: Tool, { client, limits, documents, faultOf }: ServerParts): void {
  const { name, title, description, input, output, writes, run } = tool;
  const annotations = {
    title,
    readOnlyHint: !writes,
    // Results never replace a document.
    destructiveHint: false,
    idempotentHint: !writes,
    openWorldHint: false,
  };
  server.registerTool(
    name,
    { title, description, inputSchema: input.shape, outputSchema: output, annotations },
    async (args, { signal, _meta, sendNotification }): Promise<CallToolResult> => {
      const progressToken = _meta?.progressToken;
      const report = (progress: number, total?: number): void => {
        if (progressToken === undefined) return;
        const params = { progressToken, progress, ...(total !== undefined && { total }) };
        void sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
      };
      try {
        const context = { client, limits, documents, signal, report };
        const { facts, pictures = [] } = await run(args as Record<string, unknown>, context);
        const structuredContent = JSON.parse(JSON.stringify(facts)) as Record<string, unknown>;
        return {
          content: [
            { type: 'text', text: JSON.stringify(facts) },
            ...pictures.map((picture) => {
              const data = Buffer.from(picture).toString('base64');
              return { type: 'image', mimeType: 'image/png', data } as const;
            }),
          ],
          structuredContent,
        };
      } catch (error) {
        signal.throwIfAborted();
        return { content: [{ type: 'text', text: JSON.stringify(faultOf(error)) }], isError: true };
      }
    },
  );
}

/** The bytes of documents. */
function registerDocuments(server: McpServer, { documents }: ServerParts): void {
  const template = new ResourceTemplate('document:///{name}', {
    list: async () => ({
      resources: (await documents.list()).map(({ name, bytes }) => ({
        ...{ name, uri: `document:///${encodeURIComponent(name)}`, size: bytes },
      })),
    }),
  });
  const description = 'A document as it is';
  server.registerResource(
    'document',
    template,
    { title: 'Document', description },
    async ({ href }, { name }): Promise<ReadResourceResult> => {
      const file = await documents.read(decodeURIComponent(String(name)), RESOURCE_BYTES_MAX);
      const blob = Buffer.from(await file.arrayBuffer()).toString('base64');
      return { contents: [{ uri: href, mimeType: 'application/octet-stream', blob }] };
    },
  );
}

/** What fills each template. */
function registerTemplates(server: McpServer, { documents, client, limits }: ServerParts): void {
  const template = new ResourceTemplate('template:///{name}', {
    list: async () => ({
      resources: (await documents.list())
        .filter(({ name }) => TEMPLATE_NAME.test(name))
        .map(({ name }) => ({ name, uri: `template:///${encodeURIComponent(name)}` })),
    }),
  });
  const description = 'The fields of a template, and TypeScript of the data that fills it';
  server.registerResource(
    'template',
    template,
    { title: 'Template', description, mimeType: 'application/json' },
    async ({ href }, { name }, { signal }): Promise<ReadResourceResult> => {
      const { documentBytesMax } = (await limits()).sizes;
      const file = await documents.read(decodeURIComponent(String(name)), documentBytesMax);
      const text = JSON.stringify(await inspected(file, { client, signal }));
      return { contents: [{ uri: href, mimeType: 'application/json', text }] };
    },
  );
}
