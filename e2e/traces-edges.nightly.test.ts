import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { few, testInNightly } from '@scriptorium/testing/extent';
import { freePort } from '@scriptorium/testing/server-process';
import { startTraceCollector, type TraceCollector } from '@scriptorium/testing/trace-collector';
import { type Deployment, deploy, type ServiceProcess, startService, until } from './service.ts';

const THEIR_TRACE = '0af7651916cd43dd8448eb211c80319c';
const THEIR_SPAN = 'b7ad6b7169203331';
/** Far below the limits on an export, far above a process's need. */
const END_MS_MAX = 60_000;
/** Prints the loaded modules of OpenTelemetry on standard error. */
const SHOW_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const load = (url, context, next) => {
    if (url.includes('@opentelemetry/')) process.stderr.write('LOADED ' + url + String.fromCharCode(10));
    return next(url, context);
  };
  registerHooks({ load });
`)}`;

let service: Deployment;
let collector: TraceCollector;
/** Behind a trusted proxy, and without the traces of callers. */
let proxied: Awaited<ReturnType<typeof startGateway>>;
const started: ServiceProcess[] = [];

beforeAll(async () => {
  [service, collector] = await Promise.all([deploy({ converters: 0 }), startTraceCollector()]);
  const settings = { ...tracing(collector.url), TRACE_CALLERS: 'ignore', TRUST_PROXY_HOPS: '1' };
  proxied = await startGateway({ ...settings, NODE_OPTIONS: `--import=${SHOW_LOADED}` });
  started.length = 0;
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((gateway) => gateway.end('SIGKILL')));
});
afterAll(async () => {
  await proxied.end('SIGTERM');
  await service.close();
  await collector.close();
});

async function startGateway(settings: Record<string, string>) {
  const port = await freePort();
  const gateway = startService('gateway', { ...service.settings, ...settings, PORT: String(port) });
  started.push(gateway);
  const url = `http://127.0.0.1:${port}`;
  await until('the gateway is ready', async () => (await fetch(`${url}/readyz`)).ok);
  const ask = (traceparent?: string, headers = {}) =>
    fetch(`${url}/v1/auth/keys`, { headers: { ...headers, ...(traceparent && { traceparent }) } });
  return { ...gateway, ask };
}

const tracing = (url: string) => ({
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_BSP_SCHEDULE_DELAY: '20',
});

async function spanOf(response: Response) {
  const id = response.headers.get('x-request-id');
  const find = () => collector.spans.find(({ attributes }) => attributes['scriptorium.request_id'] === id);
  await until('the span arrives', () => find() !== undefined);
  return find();
}

test('a caller’s trace is continued if the operator trusts callers', async () => {
  const { ask } = await startGateway({ ...tracing(collector.url), TRACE_CALLERS: 'continue' });
  const response = await ask(`00-${THEIR_TRACE}-${THEIR_SPAN}-01`);
  expect(await spanOf(response)).toMatchObject({
    traceId: THEIR_TRACE,
    parentSpanId: THEIR_SPAN,
    links: [],
    attributes: { 'error.type': 'AUTHENTICATION_ERROR', 'http.response.status_code': 401 },
  });
  const withoutTrace = await spanOf(await ask('00-nonsense-01'));
  expect(withoutTrace).toMatchObject({ parentSpanId: '', links: [] });
  const unsampled = await ask(`00-${THEIR_TRACE}-${THEIR_SPAN}-00`);
  await spanOf(await ask());
  const ids = collector.spans.map(({ attributes }) => attributes['scriptorium.request_id']);
  expect(ids).not.toContain(unsampled.headers.get('x-request-id'));
});

test('a caller’s trace is not even linked if it must be ignored', async () => {
  const span = await spanOf(await proxied.ask(`00-${THEIR_TRACE}-${THEIR_SPAN}-01`));
  expect(span).toMatchObject({ parentSpanId: '', links: [] });
  expect(span?.traceId).not.toBe(THEIR_TRACE);
});

test('a span contains the scheme of a trusted proxy, and no other text of a caller', async () => {
  const schemeOf = async (scheme: string) =>
    (await spanOf(await proxied.ask(undefined, { 'x-forwarded-proto': scheme })))?.attributes['url.scheme'];
  expect(await schemeOf('https')).toBe('https');
  expect(await schemeOf('a caller may write anything')).toBe('http');
});

testInNightly('a gateway with a sampling ratio of 0 sends nothing', async () => {
  const gateway = await startGateway({ ...tracing(collector.url), OTEL_TRACES_SAMPLER: 'always_off' });
  const response = await gateway.ask();
  expect(await gateway.end('SIGTERM')).toBe(0);
  const ids = collector.spans.map(({ attributes }) => attributes['scriptorium.request_id']);
  expect(ids).not.toContain(response.headers.get('x-request-id'));
});

test('the last spans are sent before the process ends', async () => {
  const gateway = await startGateway({ ...tracing(collector.url), OTEL_BSP_SCHEDULE_DELAY: '600000' });
  const response = await gateway.ask();
  expect(await gateway.end('SIGTERM')).toBe(0);
  const ids = collector.spans.map(({ attributes }) => attributes['scriptorium.request_id']);
  expect(ids).toContain(response.headers.get('x-request-id'));
});

/** Accepts connections and requests, but never answers. */
async function startHangingServer(): Promise<{ url: string; server: Server; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).resume());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, sockets };
}

test('a collector that never answers delays neither requests nor the end of the process', async () => {
  const { url, server, sockets } = await startHangingServer();
  // The queue is full at once: further spans are lost, and no request waits for space.
  const gateway = await startGateway({
    ...tracing(url),
    OTEL_BSP_MAX_QUEUE_SIZE: '20',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
    OTEL_BSP_EXPORT_TIMEOUT: '600000',
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
  });
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.ask()));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(401));
  }
  await until('the collector is asked', () => sockets.size > 0);
  const late = new Promise((resolve) => setTimeout(resolve, END_MS_MAX, 'still there').unref());
  expect(await Promise.race([gateway.end('SIGTERM'), late])).toBe(0);
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('an unavailable collector is logged, and nothing else changes', async () => {
  const gateway = await startGateway({
    ...tracing(`http://127.0.0.1:${await freePort()}`),
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
  });
  expect((await gateway.ask()).status).toBe(401);
  await until('the log reports it', () => gateway.log().includes('spans did not reach the collector'));
  const late = new Promise((resolve) => setTimeout(resolve, END_MS_MAX, 'still there').unref());
  expect(await Promise.race([gateway.end('SIGTERM'), late])).toBe(0);
});

const WITHOUT_TRACES = [
  ['by default', {}],
  ['where OTEL_SDK_DISABLED says so', { OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'true' }],
] as const;

test.each(few(WITHOUT_TRACES, 1, 1))(
  'no traces %s: nothing of the SDK is loaded, and no log line names one',
  async (_, settings) => {
    const gateway = await startGateway({ ...settings, NODE_OPTIONS: `--import=${SHOW_LOADED}` });
    await gateway.ask(`00-${THEIR_TRACE}-${THEIR_SPAN}-01`);
    await until('the request is logged', () => gateway.log().includes('"answered"'));
    expect(gateway.log()).not.toMatch(/LOADED .*@opentelemetry\/(sdk-trace|exporter|core|context-async)/);
    expect(gateway.log()).not.toContain('traceId');
  },
);

test('the SDK is loaded if traces are enabled', () => {
  expect(proxied.log()).toMatch(/LOADED .*@opentelemetry\/sdk-trace/);
});

test('invalid trace settings end the start, with all names and no values', async () => {
  const port = await freePort();
  const gateway = startService('gateway', {
    ...service.settings,
    PORT: String(port),
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_TRACES_SAMPLER_ARG: '7',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:s3cret',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization Bearer s3cret',
    OTEL_RESOURCE_ATTRIBUTES: 's3cret',
    TRACE_CALLERS: 'obey',
  });
  const code = await new Promise((resolve) => gateway.child.once('close', resolve));
  expect(code).toBe(1);
  const named = gateway.log().match(/(OTEL|TRACE)_\w+(?=:)/g);
  expect(named?.sort()).toEqual([
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_RESOURCE_ATTRIBUTES',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
    'TRACE_CALLERS',
  ]);
  expect(gateway.log()).not.toMatch(/s3cret|sometimes|obey/);
});

test('a missing certificate file ends the start', async () => {
  const gateway = startService('gateway', {
    ...service.settings,
    ...tracing(collector.url),
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem',
  });
  const code = await new Promise((resolve) => gateway.child.once('close', resolve));
  expect(code).toBe(1);
  expect(gateway.log()).toContain('OTEL_EXPORTER_OTLP_CERTIFICATE: the file cannot be read');
});
