/** The list of what a service does, for language models (https://llmstxt.org). */
export function modelsText(baseUrl: string, openApi: OpenApi, quickStart: string): string {
  const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary }]) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`,
    ),
  );
  return [
    '# Scriptorium',
    '',
    '> An HTTP service that fills DOCX templates, converts documents, and merges, signs and verifies them.',
    '',
    `- [OpenAPI document](${baseUrl}/openapi.json): every operation, with an example that works as it is`,
    `- [Reference for people](${baseUrl}/docs)`,
    `- [Tools for models](${baseUrl}/mcp): MCP over streamable HTTP, with an API key as bearer`,
    `- [Limits and formats](${baseUrl}/v1/limits)`,
    '- Not here: text or pictures from a PDF, pages as a browser shows them, stored templates, mails to signers',
    '',
    '## Operations',
    '',
    ...operations,
    '',
    '## First steps',
    '',
    '```text',
    quickStart.trim(),
    '```',
    '',
  ].join('\n');
}

/** What this list reads of the reference. */
export interface OpenApi {
  paths: Record<string, Record<string, { summary: string }>>;
}
