import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import {
  ancestry,
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from '@scriptorium/testing/trace-collector';
import { type Deployment, deploy, until } from './service.ts';

/** Clocks of spans tick in milliseconds, and those of processes may differ by some. */
const TICK_MS = 20;
const SECRET_TEXT = 'Zaubertrankrezept';
const COLLECTOR_TOKEN = 'token-of-the-collector';
const THEIR_TRACE = '0af7651916cd43dd8448eb211c80319c';
const THEIR_SPAN = 'b7ad6b7169203331';
const theirs = { traceparent: `00-${THEIR_TRACE}-${THEIR_SPAN}-01`, tracestate: 'vendor=their-own-text' };

let collector: TraceCollector;
let service: Deployment;
let key: string;

beforeAll(async () => {
  collector = await startTraceCollector();
  service = await deploy({
    annotators: 1,
    signers: 1,
    settings: {
      LOG_LEVEL: 'debug',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${COLLECTOR_TOKEN}`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  });
  key = await service.register();
});
afterAll(async () => {
  await service.close();
  await collector.close();
});

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const inBase64 = (bytes: Uint8Array) => ({ base64: Buffer.from(bytes).toString('base64') });

/** The whole trace of an answered request, once no more of its spans arrive. */
async function traceOf(response: Response): Promise<CollectedSpan[]> {
  const id = response.headers.get('x-request-id');
  await response.arrayBuffer();
  let spans: CollectedSpan[] = [];
  await until('the trace is complete', () => {
    const root = collector.spans.find(({ attributes }) => attributes['scriptorium.request_id'] === id);
    spans = collector.spans.filter(({ traceId }) => traceId === root?.traceId);
    const sent = spans.filter(({ kind }) => kind === 'producer').length;
    return root !== undefined && spans.filter(({ kind }) => kind === 'consumer').length === sent;
  });
  return spans;
}

/** Names from the span up to the first one of its trace. */
const pathOf = (name: string, spans: CollectedSpan[]): string[] => {
  const span = spans.find((candidate) => candidate.name === name);
  return span === undefined ? [] : ancestry(span, spans).map((ancestor) => ancestor.name);
};

describe('a conversion', () => {
  let spans: CollectedSpan[];
  let response: Response;
  beforeAll(async () => {
    response = await service.convert(key, docxWith([SECRET_TEXT]), `${SECRET_TEXT}.docx`, {
      query: 'from=docx&revisions=original',
    });
    spans = await traceOf(response);
  });

  test('is one tree from the request over the queue to the stages of the engine', () => {
    expect(spans.filter(({ parentSpanId }) => parentSpanId === '')).toHaveLength(1);
    const worker = ['process convert', 'send convert', 'POST /v1/convert'];
    expect(pathOf('sanitize', spans)).toEqual(['sanitize', ...worker]);
    for (const stage of ['wait', 'load', 'update', 'export'])
      expect(pathOf(stage, spans)).toEqual([stage, 'engine', ...worker]);
    const stored = spans
      .map(({ service, name }) => `${service}: ${name}`)
      .filter((line) => /document/.test(line));
    expect(stored.sort()).toEqual([
      'scriptorium-converter: get document',
      'scriptorium-converter: put document',
      'scriptorium-gateway: get document',
      'scriptorium-gateway: put document',
    ]);
  });

  test('records when each part began and ended', () => {
    for (const span of spans) {
      expect(span.endMs).toBeGreaterThanOrEqual(span.startMs);
      const [, parent] = ancestry(span, spans);
      if (parent === undefined) continue;
      expect(span.startMs).toBeGreaterThanOrEqual(parent.startMs - TICK_MS);
      if (span.kind !== 'consumer') expect(span.endMs).toBeLessThanOrEqual(parent.endMs + TICK_MS);
    }
    const [load, exported] = ['load', 'export'].map((name) => spans.find((span) => span.name === name));
    expect(load?.endMs).toBeLessThanOrEqual((exported?.startMs ?? 0) + TICK_MS);
    expect((exported?.endMs ?? 0) - (exported?.startMs ?? 0)).toBeGreaterThan(0);
  });

  test('records the route, the status and the request id', () => {
    const root = spans.find(({ parentSpanId }) => parentSpanId === '');
    expect(root).toMatchObject({ name: 'POST /v1/convert', kind: 'server', isError: false });
    expect(root?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/convert',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
      'scriptorium.request_id': response.headers.get('x-request-id'),
    });
  });

  test('can be found in the logs of each service by its trace id', () => {
    const [converter] = service.converters;
    for (const [log, message] of [
      [service.gateway.log(), 'answered'],
      [converter?.log() ?? '', 'converted'],
    ] as const) {
      const line = log
        .split('\n')
        .find(
          (text) =>
            text.includes(String(response.headers.get('x-request-id'))) &&
            text.includes(`"msg":"${message}"`),
        );
      expect(JSON.parse(line ?? '{}')).toMatchObject({ traceId: spans[0]?.traceId });
    }
  });
});

test('filling a template and converting it to PDF is one trace over three services', async () => {
  const sample = await (await fetch(`${service.url}/sample-template.docx`)).arrayBuffer();
  const fields = [{ id: 'customer_name', value: SECRET_TEXT }];
  const response = await post('/v1/annotate?to=pdf', { document: inBase64(new Uint8Array(sample)), fields });
  expect(response.status).toBe(200);
  const spans = await traceOf(response);
  const annotating = ['process annotate', 'send annotate', 'POST /v1/annotate'];
  expect(pathOf('fill', spans)).toEqual(['fill', ...annotating]);
  expect(pathOf('engine', spans)).toEqual(['engine', 'process convert', 'send convert', ...annotating]);
  expect(new Set(spans.map((span) => span.service))).toEqual(
    new Set(['scriptorium-gateway', 'scriptorium-annotator', 'scriptorium-converter']),
  );
});

test('converting a document to PDF and signing it is one trace, too', async () => {
  const response = await post('/v1/sign?to=pdf', {
    document: inBase64(docxWith([SECRET_TEXT])),
    signer: { name: SECRET_TEXT, email: 'ada.of.the.secret@example.com' },
    auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }],
  });
  expect(response.status).toBe(200);
  const spans = await traceOf(response);
  const converting = ['process convert', 'send convert', 'POST /v1/sign'];
  expect(pathOf('engine', spans)).toEqual(['engine', ...converting]);
  expect(pathOf('sign', spans)).toEqual(['sign', 'process sign', 'send sign', ...converting]);
});

test('a refusal carries the error code, but is not an error of the service', async () => {
  const response = await service.convert(key, Buffer.from(`no document, but ${SECRET_TEXT}`));
  expect(response.status).toBe(400);
  const spans = await traceOf(response);
  const failures = spans.filter(({ attributes }) => 'error.type' in attributes);
  expect(failures.map(({ name, attributes }) => [name, attributes['error.type']]).sort()).toEqual([
    ['POST /v1/convert', 'INVALID_FILE_FORMAT'],
    ['process convert', 'INVALID_FILE_FORMAT'],
    ['sanitize', 'INVALID_FILE_FORMAT'],
  ]);
  expect(spans.some(({ isError }) => isError)).toBe(false);
});

test('a fetch shows as a span without the requested address', async () => {
  const document = { url: `http://internal-host.example/${SECRET_TEXT}` };
  const response = await post('/v1/templates/inspect', { document });
  expect(response.status).toBe(400);
  const spans = await traceOf(response);
  expect(pathOf('fetch', spans)).toEqual(['fetch', 'POST /v1/templates/inspect']);
  expect(spans.find(({ name }) => name === 'fetch')?.attributes).toEqual({
    'http.request.method': 'GET',
    'error.type': 'refused',
  });
});

test('the caller’s trace is linked, but neither joined nor used for sampling', async () => {
  const unsampled = { ...theirs, traceparent: `00-${THEIR_TRACE}-${THEIR_SPAN}-00` };
  for (const headers of [theirs, unsampled]) {
    const [root] = await traceOf(await post('/v1/templates/inspect', {}, headers));
    expect(root).toMatchObject({ parentSpanId: '', name: 'POST /v1/templates/inspect' });
    expect(root?.traceId).not.toBe(THEIR_TRACE);
    expect(root?.links).toEqual([{ traceId: THEIR_TRACE, spanId: THEIR_SPAN, traceState: '' }]);
  }
});

test('a disconnected caller is recorded as such', async () => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/convert?from=docx HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\n',
  );
  const hasLeft = ({ attributes }: CollectedSpan) => attributes['error.type'] === 'caller_left';
  setTimeout(() => socket.destroy(), 2_000);
  await until('the span arrives', () => collector.spans.some(hasLeft));
  const span = collector.spans.find(hasLeft);
  expect(span).toMatchObject({ name: 'POST /v1/convert', isError: false });
  expect(span?.attributes).not.toHaveProperty('http.response.status_code');
});

test('probes, pages and unknown addresses leave no trace', async () => {
  for (const path of [
    '/livez',
    '/readyz',
    '/v1/health',
    '/',
    '/docs',
    '/openapi.json',
    '/sample.docx',
    '/wp-admin',
  ])
    await (await fetch(service.url + path)).arrayBuffer();
  await traceOf(await post('/v1/templates/inspect', {}));
  expect(
    collector.spans.filter(({ name }) => !/^(POST|GET) \/v1\/(?!health)/.test(name) && name.includes('/')),
  ).toEqual([]);
});

test('the collector receives no key, address, name or word of a document', () => {
  const received = collector.received();
  expect(received.includes(COLLECTOR_TOKEN)).toBe(true);
  expect(received.includes('POST /v1/convert')).toBe(true);
  for (const secret of [
    key,
    SECRET_TEXT,
    'example.com',
    'internal-host',
    'original',
    'their-own-text',
    '127.0.0.1:6379',
  ])
    expect({ secret, isThere: received.includes(secret) }).toEqual({ secret, isThere: false });
});

test('no log contains the headers for the collector', () => {
  const processes = [service.gateway, ...service.converters, ...service.annotators, ...service.signers];
  for (const { log } of processes) expect(log()).not.toContain(COLLECTOR_TOKEN);
});
