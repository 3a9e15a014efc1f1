import { copyFile, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CLI } from './cli.suite.ts';
import { type Stack, samples } from './stack.ts';

interface Result {
  isError: boolean;
  value: Record<string, unknown>;
}

/** The MCP server against a running service, by a client of its SDK. */
export function mcpSuite(stack: () => Stack): void {
  let folder: string;
  let client: Client;

  beforeAll(async () => {
    folder = await stack().folder();
    for (const name of ['sample.docx', 'sample-template.docx'])
      await copyFile(new URL(name, samples), join(folder, name));
    await symlink('/etc', join(folder, 'etc'));
    client = new Client({ name: 'test', version: '1' });
    const { url, key } = stack();
    const env = { HOME: folder, SCRIPTORIUM_URL: url, SCRIPTORIUM_API_KEY: key };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [...CLI, 'mcp', folder], env }),
    );
  });
  afterAll(() => client.close());

  const call = async (name: string, args: Record<string, unknown>): Promise<Result> => {
    const { isError = false, content } = await client.callTool({ name, arguments: args });
    const [first] = content as { text: string }[];
    return { isError: isError === true, value: JSON.parse(first?.text ?? '') };
  };

  describe('the MCP server', () => {
    test('lists its tools, and says which ones write', async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
        ['convert_document', false],
        ['show_page', true],
        ['inspect_template', true],
        ['lint_template', false],
        ['fill_template', false],
        ['generate_document', false],
        ['generate_documents', false],
        ['merge_documents', false],
        ['sign_document', false],
        ['augment_document', false],
        ['verify_document', true],
        ['get_usage', true],
        ['start_job', false],
        ['wait_for_job', false],
      ]);
      for (const { description, annotations, inputSchema, outputSchema } of tools) {
        expect(outputSchema?.type).toBe('object');
        expect(description?.length).toBeGreaterThan(30);
        expect(annotations).toMatchObject({ destructiveHint: false, openWorldHint: false });
        expect(inputSchema.type).toBe('object');
      }
    });

    test('takes a template to a signed document with paths only', async () => {
      const template = 'sample-template.docx';
      const report = await call('inspect_template', { template });
      expect(report.value.data).toContain('"order_number": string | number;');
      expect(JSON.stringify(report.value.fields)).toContain('"customer_name"');
      const commented = { template, data: { note: 1 }, output: 'commented.docx' };
      expect((await call('lint_template', commented)).value).toMatchObject({ mistakes: 0, doubts: 8 });
      const fields = { customer_name: 'Ada', items: [['Engine', 1]], nothing: 'x' };
      const filled = await call('fill_template', { template, fields, output: 'filled.pdf' });
      expect(filled).toMatchObject({ isError: false, value: { unmatched: { count: 1 }, pages: 1 } });
      await call('generate_document', { template, data: { order_number: 1 }, output: 'made.docx' });
      await call('convert_document', { input: 'made.docx', output: 'made.txt' });
      await writeFile(join(folder, 'items.csv'), 'item;pieces\nEngine;1\n');
      const csv = { input: 'items.csv', output: 'items.png', delimiter: ';', dpi: 40 };
      expect(await call('convert_document', csv)).toMatchObject({ isError: false, value: { pages: 1 } });
      const output = 'later.pdf';
      const request = { document: { path: 'sample-template.docx' }, data: { order_number: 'made later' } };
      const asked = { operation: 'generate', request, query: { to: 'pdf' } };
      const { job } = (await call('start_job', asked)).value;
      expect(await call('wait_for_job', { job, output })).toMatchObject({
        ...{ isError: false, value: { status: 'succeeded', output } },
      });
      const gone = await call('wait_for_job', { job, output: 'gone.pdf' });
      expect(gone).toMatchObject({ isError: true, value: { code: 'GONE' } });
      const inputs = ['filled.pdf', 'sample.docx'];
      expect((await call('merge_documents', { inputs, output: 'merged.pdf' })).value).toMatchObject({
        pages: 2,
      });
      const signer = { name: 'Ada', email: 'ada@example.com' };
      await call('sign_document', { input: 'merged.pdf', output: 'signed.pdf', ...signer });
      const verified = await call('verify_document', { input: 'signed.pdf', trust: 'service' });
      expect(verified.value).toMatchObject({ verdict: 'valid', signatures: [{ level: 'B-B' }] });
      expect((await call('get_usage', { granularity: 'month' })).value).toMatchObject({
        granularity: 'month',
      });
      const names =
        'commented.docx etc filled.pdf items.csv items.png later.pdf made.docx made.txt merged.pdf sample-template.docx sample.docx signed.pdf';
      expect((await readdir(folder)).filter((name) => name !== '.config')).toEqual(names.split(' '));
      expect((await readFile(join(folder, 'made.txt'), 'utf8')).length).toBeGreaterThan(20);
    });

    test('shows pages, makes a document of each row with its progress, and has templates as resources', async () => {
      const template = 'sample-template.docx';
      const data = { customer_name: 'Ada' };
      for (const output of ['shown.docx', 'shown.pdf']) {
        const made = await client.callTool({
          name: 'generate_document',
          arguments: { template, data, output, show: 1 },
        });
        const picture = (made.content as { type: string; data: string }[]).find(
          ({ type }) => type === 'image',
        );
        expect(
          Buffer.from(picture?.data ?? '', 'base64')
            .subarray(1, 4)
            .toString(),
        ).toBe('PNG');
      }
      const unseen = await call('show_page', { input: 'shown.pdf' });
      expect(unseen).toMatchObject({ isError: true, value: { code: 'DATA_INVALID' } });
      await writeFile(
        join(folder, 'rows.csv'),
        Buffer.from(`customer_name;note\r\nM\xfcller;1\r\n${'Ada;2\r\n'.repeat(19)}`, 'latin1'),
      );
      const steps: number[] = [];
      const rows = await client.callTool(
        { name: 'generate_documents', arguments: { template, table: 'rows.csv', prefix: 'row-' } },
        undefined,
        { onprogress: ({ progress }) => void steps.push(progress) },
      );
      const made = Array.from({ length: 20 }, (_, at) => `row-${`${at + 1}`.padStart(6, '0')}.docx`);
      expect(rows.structuredContent).toEqual({
        ...{ made, failed: [], columnsUnused: ['note'] },
        ...{ encoding: 'windows-1252', isEncodingGuessed: true },
      });
      // The client drops the last steps, which come with the answer.
      expect(steps).toContain(1);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('template:///sample-template.docx');
      const { contents } = await client.readResource({ uri: `template:///${template}` });
      expect((contents[0] as { text: string }).text).toContain('customer_name');
      for (const name of ['shown.docx', 'shown.pdf', 'rows.csv', ...made]) await rm(join(folder, name));
    });

    test.each([
      [
        'a path out of its folder',
        'convert_document',
        { input: '../../etc/passwd', output: 'a.pdf' },
        'OUTSIDE_FOLDER',
      ],
      ['a link out of it', 'verify_document', { input: 'etc/passwd' }, 'OUTSIDE_FOLDER'],
      [
        'a result out of it',
        'convert_document',
        { input: 'sample.docx', output: 'etc/a.pdf' },
        'OUTSIDE_FOLDER',
      ],
      [
        'a result over a file',
        'merge_documents',
        { inputs: ['sample.docx'], output: 'sample.docx' },
        'FILE_EXISTS',
      ],
      ['a file that is missing', 'inspect_template', { template: 'nothing.docx' }, 'FILE_NOT_FOUND'],
      [
        'a result without a format',
        'convert_document',
        { input: 'sample.docx', output: 'a.exe' },
        'DATA_INVALID',
      ],
      ['a file of the wrong kind', 'verify_document', { input: 'wrong.pdf' }, 'INVALID_FILE_FORMAT'],
    ])('refuses %s with a code and what to do', async (_what, name, args, code) => {
      await writeFile(join(folder, 'wrong.pdf'), 'x');
      const { isError, value } = await call(name, args);
      expect({ isError, value }).toMatchObject({
        isError: true,
        value: { code, whatToDo: expect.any(String) },
      });
    });
  });
}
