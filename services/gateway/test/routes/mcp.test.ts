import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KEY_PREFIX } from '@scriptorium/shared/queue/connection';
import type { VerifyReply } from '@scriptorium/signatures/verify-report';
import { Redis } from 'ioredis';
import type { Reply } from '../../src/http/context.ts';
import { DOCUMENTS_MAX } from '../../src/mcp/documents.ts';
import { chargeRead } from '../../src/mcp/route.ts';
import { createByteBudget } from '../../src/middleware/byte-budget.ts';
import { readSamples } from '../../src/pages/samples.ts';
import { connectModel } from '../rigs/mcp-client.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { VERIFY_REPLY } from '../rigs/verifying-rig.ts';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
let rig: Rig;
let key: string;
let template: string;

beforeAll(async () => {
  rig = await startRig({ KEY_REQUESTS_PER_MINUTE_MAX: '30', TRIAL: 'on' });
  ({ key } = await rig.newKey());
  template = (await readSamples()).template.toString('base64');
  await rig.convertWith(async () => PNG);
});
afterAll(() => rig.close());

const connected = (apiKey: string) => connectModel(rig.url, apiKey);

const post = (apiKey: string | undefined, body: string, headers: Record<string, string> = {}) =>
  fetch(`${rig.url}/mcp`, {
    method: 'POST',
    headers: {
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });
const trialKey = async () =>
  ((await (await fetch(`${rig.url}/v1/auth/trial`, { method: 'POST' })).json()) as { key: string }).key;
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

const [SIGNATURE] = VERIFY_REPLY.signatures;
/** A field was filled in, and ten pages look otherwise. */
const CHANGED: VerifyReply = {
  ...VERIFY_REPLY,
  signatures:
    SIGNATURE === undefined
      ? []
      : [
          {
            ...SIGNATURE,
            modifications: Array(2).fill({
              revision: 2,
              level: 'permitted',
              object: '6 0',
              path: '/V',
              code: 'FIELD_VALUE',
              message: 'A form field was filled in.',
            }),
          },
        ],
  pictures: Array.from({ length: 10 }, (_, at) => ({
    revision: 2,
    page: at + 1,
    reader: 'PDFium',
    contentType: 'image/png',
    width: 1,
    height: 1,
    base64: `data:image/png;base64,${PNG.toString('base64')}`,
    differences: [],
  })),
};

describe('the tools for models over HTTP', () => {
  test('bring in a document, show a page of it, and give its bytes back', async () => {
    const { client, transport } = await connected(key);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('put_document');
    for (const { outputSchema } of tools) expect(outputSchema?.type).toBe('object');
    const put = await client.callTool({
      name: 'put_document',
      arguments: { name: 'a.docx', base64: template },
    });
    expect(put.structuredContent).toMatchObject({ output: 'a.docx' });
    const shown = await client.callTool({ name: 'show_page', arguments: { input: 'a.docx' } });
    expect(shown.content).toContainEqual({
      type: 'image',
      mimeType: 'image/png',
      data: PNG.toString('base64'),
    });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri).sort()).toEqual(['document:///a.docx', 'template:///a.docx']);
    const { contents } = await client.readResource({ uri: 'document:///a.docx' });
    expect((contents[0] as { blob: string }).blob).toBe(template);
    expect((await rig.everythingInRedis('*:mcp:*')).includes('a.docx')).toBe(false);
    const again = await client.callTool({
      name: 'put_document',
      arguments: { name: 'a.docx', base64: template },
    });
    expect(again).toMatchObject({ isError: true });
    const session = { 'mcp-session-id': transport.sessionId ?? '' };
    await transport.terminateSession();
    expect(await rig.blobKeys()).toEqual([]);
    expect((await post(key, LIST, session)).status).toBe(404);
    await client.close();
  });

  test('count as requests of the key, and are refused as those', async () => {
    const { key: own } = await rig.newKey();
    const { client } = await connected(own);
    await client.callTool({ name: 'put_document', arguments: { name: 'a.docx', base64: template } });
    const show = () => client.callTool({ name: 'show_page', arguments: { input: 'a.docx' } });
    let fault: { code?: string; retryAfterSeconds?: number } = {};
    for (let calls = 0; calls < 50 && fault.code === undefined; calls++) {
      const { isError, content } = await show();
      if (isError) fault = JSON.parse((content as { text: string }[])[0]?.text ?? '');
    }
    expect(fault).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', whatToDo: expect.any(String) });
    await client.close();
  });

  test('are no way around the limit of a key', async () => {
    const { key: own } = await rig.newKey();
    const { client } = await connected(own);
    const listed = Array.from({ length: 80 }, () => client.listTools());
    expect((await Promise.allSettled(listed)).some(({ status }) => status === 'rejected')).toBe(true);
    expect((await post(own, LIST)).status).toBe(429);
    await client.close();
  });

  test('say what changed after a signature, and show a bounded number of pages', async () => {
    const stop = rig.verifyWith(async ({ verification }) => {
      expect(verification.pictures).toBe(true);
      return CHANGED;
    });
    const { client } = await connected(key);
    await client.callTool({
      name: 'put_document',
      arguments: { name: 'a.pdf', base64: btoa('%PDF-1.7 signed') },
    });
    const { content, structuredContent } = await client.callTool({
      name: 'verify_document',
      arguments: { input: 'a.pdf', pictures: true },
    });
    expect(structuredContent).toMatchObject({
      signatures: [{ changes: ['permitted: A form field was filled in.'] }],
      shown: Array.from({ length: 6 }, (_, at) => `page ${at + 1} in revision 2 by PDFium`),
    });
    const images = (content as { type: string; data: string }[]).filter(({ type }) => type === 'image');
    expect(images.map(({ data }) => data)).toEqual(Array(6).fill(PNG.toString('base64')));
    await stop();
    await client.close();
  });

  test('keep no more documents than an owner may have', async () => {
    const { key: own, ownerHash } = await rig.newKey();
    const { client } = await connected(own);
    const put = (at: number, to = client) =>
      to.callTool({ name: 'put_document', arguments: { name: `${at}.txt`, base64: 'YQ==' } });
    const others = Array.from({ length: DOCUMENTS_MAX - 1 }, (_, at) => [
      `${Date.now() + 60_000}:${at}`,
      '1 ',
    ]);
    const redis = new Redis(rig.redis.url);
    await redis.hset(`${KEY_PREFIX}:mcp:${ownerHash.toString('base64url')}`, ...others.flat());
    await redis.quit();
    expect((await put(0)).isError).toBeFalsy();
    const { client: other } = await connected((await rig.newKey(ownerHash)).key);
    for (const to of [client, other])
      expect(await put(DOCUMENTS_MAX, to)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('PAYLOAD_TOO_LARGE') }],
      });
    await client.close();
    await other.close();
  });

  test('read no more bytes in a call than are kept, also of one document', async () => {
    const { client } = await connected((await rig.newKey()).key);
    const base64 = Buffer.alloc(4 * 1024 * 1024).toString('base64');
    await client.callTool({ name: 'put_document', arguments: { name: 'a.pdf', base64 } });
    const inputs = Array.from({ length: 17 }, () => 'a.pdf');
    expect(
      await client.callTool({ name: 'merge_documents', arguments: { inputs, output: 'b.pdf' } }),
    ).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('A call reads') }] });
    await client.close();
  });

  test('are refused while documents that others read have all the room', () => {
    const budget = createByteBudget(4_000_000);
    const replyOf = (owner: string) =>
      Object.assign(new EventEmitter(), {
        locals: { owner: { ownerHash: Buffer.from(owner) } },
      }) as unknown as Reply;
    const first = replyOf('a');
    chargeRead(budget, first, 1_000_000);
    expect(() => chargeRead(budget, replyOf('b'), 1_000_000)).toThrow(
      expect.objectContaining({ code: 'OVERLOADED' }),
    );
    expect(() => chargeRead(budget, replyOf('a'), 1_000_000)).toThrow(
      expect.objectContaining({ code: 'CONCURRENCY_LIMIT' }),
    );
    first.emit('close');
    expect(budget.held()).toBe(0);
  });

  test('are named by the list of the service for models', async () => {
    const text = await (await fetch(`${rig.url}/llms.txt`)).text();
    for (const words of ['POST /v1/merge`: ', `${rig.url}/mcp`, `${rig.url}/openapi.json`])
      expect(text).toContain(words);
    const sign = await fetch(`${rig.url}/favicon.ico`);
    expect([sign.status, sign.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^image.svg/),
    ]);
  });

  test('are refused without a key, in the session of another, and with a body that is too large', async () => {
    const { client, transport } = await connected(key);
    const { sessionId = '' } = transport;
    const { key: other } = await rig.newKey();
    const session = { 'mcp-session-id': sessionId };
    const statuses = [
      await post(undefined, LIST),
      await post('scr_wrong', LIST, session),
      await post(await trialKey(), LIST),
      await post(other, LIST, session),
      await post(key, LIST, {
        'mcp-session-id': `${sessionId.slice(0, -1)}${sessionId.endsWith('A') ? 'B' : 'A'}`,
      }),
      await post(key, LIST),
      await post(key, `[${LIST}]`, session),
      await post(key, JSON.stringify({ a: 'x'.repeat(40 * 1024 * 1024) }), session),
      await fetch(`${rig.url}/mcp`, { headers: { authorization: `Bearer ${key}` } }),
      await post(key, LIST, session),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 403, 404, 404, 400, 400, 413, 405, 200]);
    await client.close();
  });
});
