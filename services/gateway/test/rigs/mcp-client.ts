import { registerHooks } from 'node:module';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

// Its package has sources for that condition, which Node does not run there.
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      specifier.startsWith('eventsource-parser')
        ? { ...context, conditions: context.conditions.filter((condition) => condition !== 'source') }
        : context,
    ),
});

/** The client of the SDK, connected to the tools for models of a gateway. */
export async function connectModel(
  url: string,
  key: string,
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const sdk = await import('@modelcontextprotocol/sdk/client/index.js');
  const http = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const client = new sdk.Client({ name: 'test', version: '1' });
  const transport = new http.StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return { client, transport };
}
