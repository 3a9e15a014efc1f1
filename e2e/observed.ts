import { randomBytes } from 'node:crypto';
import { ROLES, type Role, type ServiceName } from '@scriptorium/contracts/services';
import { documentXml, docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { createDatabase } from '@scriptorium/testing/postgres-server';
import { type Page, parsePage, seriesValue } from '@scriptorium/testing/prometheus-text';
import { freePort } from '@scriptorium/testing/server-process';
import { type Deployment, deploy, ONE_OF_EACH, type ServiceProcess, startService, until } from './service.ts';
import { childrenOf } from './vitals.ts';

/** Requests per minute of a key, so that one more exceeds the limit. */
export const REQUESTS_MAX = 20;
export const KEYS = 3;
export const OPENS = 2;

/** All services as processes, and the traffic sent to them. */
export interface Observed {
  service: Deployment;
  processes: Record<ServiceName, ServiceProcess>;
  /** `http://host:port` of each internal port. */
  internal: Record<ServiceName, string>;
  /** `METHOD route status` of each response of the gateway → its count. */
  answered: Map<string, number>;
  /** Callers' data that must not appear on any page. */
  callersOwn: string[];
  /** Length of the verified document. */
  signedBytes: number;
  page(name: ServiceName): Promise<Page>;
  close(): Promise<void>;
}

/** Starts one process of each service, on a separate Redis and database, and sends nothing yet. */
export async function observe(): Promise<Observed> {
  const name = `observed_${randomBytes(6).toString('hex')}`;
  const DATABASE_URL = await createDatabase(process.env.DATABASE_URL ?? '', name);
  const service = await deploy({
    ...ONE_OF_EACH,
    settings: { DATABASE_URL, KEY_REQUESTS_PER_MINUTE_MAX: String(REQUESTS_MAX), DRAIN_MS: '2000' },
  });
  const port = await freePort();
  const telemetry = startService('telemetry', {
    ...service.settings,
    PORT: String(port),
    COUNT_INTERVAL_MS: '50',
  });
  await until('the collector is ready', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  const workers = ROLES.map((role) => [role, service[`${role}s`][0] ?? telemetry]);
  const processes: Record<ServiceName, ServiceProcess> = {
    ...(Object.fromEntries(workers) as Record<Role, ServiceProcess>),
    gateway: service.gateway,
    telemetry,
  };
  const internal = Object.fromEntries(
    Object.entries(processes).map(([name, { log }]) => [
      name,
      `http://${/"internalAddress":"([^"]+)"/.exec(log())?.[1]}`,
    ]),
  ) as Record<ServiceName, string>;
  return {
    service,
    processes,
    internal,
    answered: new Map(),
    callersOwn: [],
    signedBytes: 0,
    page: async (name) => parsePage(await (await fetch(`${internal[name]}/metrics`)).text()),
    async close() {
      await telemetry.end('SIGTERM');
      await service.close();
    },
  };
}

const CONTROL =
  '<w:sdt><w:sdtPr><w:id w:val="7"/></w:sdtPr><w:sdtContent><w:p/></w:sdtContent></w:sdt><w:sectPr>';
const LONG = Array.from({ length: 4_000 }, (_, i) => `Paragraph ${i} of a letter that takes a while.`);

/** Sends a few requests of every kind, and waits until they are counted. */
export async function sendTraffic(observed: Observed): Promise<void> {
  const { service, callersOwn } = observed;
  const keys: string[] = [];
  for (let i = 0; i < KEYS; i++) {
    keys.push(await service.register());
    tally(observed, 'GET /v1/auth/register 200');
    tally(observed, 'GET /v1/auth/verify 200');
  }
  const [key = '', greedy = '', revoked = ''] = keys;
  callersOwn.push(...keys, 'example.com', 'private-name');
  await sendDocuments(observed, key);
  await sendMistakes(observed, key);
  for (let i = 0; i <= REQUESTS_MAX; i++) await send(observed, greedy, 'GET', '/v1/auth/keys');
  const answer = await send(observed, revoked, 'GET', '/v1/auth/keys');
  const [{ id }] = ((await answer.json()) as { keys: [{ id: string }] }).keys;
  callersOwn.push(id);
  await send(observed, revoked, 'DELETE', '/v1/auth/keys/:id', { path: `/v1/auth/keys/${id}` });
  await leave(observed, key);
  await killEngine(observed);
  await reportOpens(observed);
  await untilCounted(observed);
}

/** A conversion, a filled PDF, a generated DOCX, an inspection, a signed PDF, and the verification of that PDF. */
async function sendDocuments(observed: Observed, key: string): Promise<void> {
  const letter = docxWith(['A letter.']).toString('base64');
  const template = zip(packageEntries({ mainXml: documentXml([]).replace('<w:sectPr>', CONTROL) }));
  const document = { base64: template.toString('base64') };
  await convert(observed, key, docxWith(['Hello']));
  await send(observed, key, 'POST', '/v1/annotate', {
    query: '?to=pdf',
    body: { document, fields: [{ id: '7', type: 'text', value: 'Ada' }] },
  });
  await send(observed, key, 'POST', '/v1/generate', {
    body: { document, fields: [{ id: '7', type: 'text', value: 'Ada' }] },
  });
  await send(observed, key, 'POST', '/v1/templates/inspect', { body: { document } });
  const signed = await send(observed, key, 'POST', '/v1/sign', {
    query: '?to=pdf',
    body: {
      document: { base64: letter },
      signer: { name: 'Ada Lovelace', email: 'private-name@example.com' },
      auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }],
    },
  });
  const { base64 } = ((await signed.json()) as { document: { base64: string } }).document;
  observed.signedBytes = Buffer.from(base64.split(',')[1] ?? '', 'base64').length;
  await send(observed, key, 'POST', '/v1/verify', { body: { document: { base64 } } });
  await send(observed, undefined, 'GET', '/v1/verify/key');
  await send(observed, undefined, 'GET', '/livez');
}

/** An invalid document, an unknown route, a missing key, and an address that must not be fetched. */
async function sendMistakes(observed: Observed, key: string): Promise<void> {
  await convert(observed, key, Buffer.from('no document'));
  await send(observed, key, 'GET', 'none', { path: '/v1/private-name?private-name=private-name' });
  await send(observed, 'private-name', 'GET', '/v1/usage');
  await send(observed, key, 'POST', '/v1/annotate', {
    body: { document: { url: 'http://127.0.0.1:9/private-name' }, fields: [] },
  });
}

interface Sending {
  path?: string;
  query?: string;
  body?: object;
}

function send(
  observed: Observed,
  key: string | undefined,
  method: string,
  route: string,
  { path = route, query = '', body }: Sending = {},
): Promise<Response> {
  const headers: Record<string, string> = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const text = body === undefined ? null : JSON.stringify(body);
  return counted(
    observed,
    `${method} ${route}`,
    fetch(`${observed.service.url}${path}${query}`, { method, headers, body: text }),
  );
}

const convert = (observed: Observed, key: string, file: Buffer) =>
  counted(observed, 'POST /v1/convert', observed.service.convert(key, file, 'private-name.docx'));

async function counted(observed: Observed, operation: string, sent: Promise<Response>): Promise<Response> {
  const response = await sent;
  tally(observed, `${operation} ${response.status}`);
  return response;
}

function tally({ answered }: Observed, answer: string): void {
  answered.set(answer, (answered.get(answer) ?? 0) + 1);
}

/** How many documents the engine has in work. */
const runningIn = async (observed: Observed) =>
  seriesValue(await observed.page('converter'), 'scriptorium_engine_running', { engine: 'libreofficekit' });

/** A caller leaves while the engine has its document, which the sanitizer has passed. */
async function leave(observed: Observed, key: string): Promise<void> {
  const { service } = observed;
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(docxWith(LONG))]), 'private-name.docx');
  const headers = { authorization: `Bearer ${key}` };
  const left = new AbortController();
  const sent = fetch(`${service.url}/v1/convert?from=docx`, {
    method: 'POST',
    headers,
    body: form,
    signal: left.signal,
  });
  await until('the document is in work', async () => (await runningIn(observed)) === 1);
  left.abort();
  await sent.catch(() => undefined);
}

/** Kills the idle zygote, as the kernel would when memory runs out. */
async function killEngine(observed: Observed): Promise<void> {
  await until('no document is in work', async () => (await runningIn(observed)) === 0);
  const [zygote] = childrenOf(observed.processes.converter);
  if (zygote !== undefined) process.kill(zygote, 'SIGKILL');
  await until('the engine is back', async () => {
    const page = await observed.page('converter');
    return seriesValue(page, 'scriptorium_engine_starts_total', { engine: 'libreofficekit' }) === 2;
  });
  // Without an engine, the converter takes no jobs.
  await until('the gateway counts its converter again', async () => {
    const page = await observed.page('gateway');
    return ['convert', 'convert-rows'].every(
      (queue) => seriesValue(page, 'scriptorium_queue_workers', { queue }) === 1,
    );
  });
}

async function reportOpens({ processes, callersOwn }: Observed): Promise<void> {
  const address = /"address":"([^"]+)"/.exec(processes.telemetry.log())?.[1];
  const license = `lic-${randomBytes(6).toString('hex')}`;
  callersOwn.push(license);
  const events = Array.from({ length: OPENS }, () => ({
    timestamp: new Date().toISOString(),
    documentId: `private-name-${randomBytes(8).toString('hex')}`,
    documentCreatedAt: '',
  }));
  const answer = await fetch(`http://${address}/v1/collect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-license-key': license },
    body: JSON.stringify({ clientVersion: '1.0.0', events }),
  });
  if (answer.status !== 202) throw new Error(`the opens were answered ${answer.status}`);
}

/** The operations with status 200: a conversion, a filling, a generation, an inspection, a signature and a verification. */
export const OPERATIONS = 6;

function untilCounted(observed: Observed): Promise<void> {
  return until('everything is counted', async () => {
    const [gateway, telemetry] = [await observed.page('gateway'), await observed.page('telemetry')];
    const counts = [
      seriesValue(telemetry, 'scriptorium_telemetry_counted_total') === OPENS + OPERATIONS,
      seriesValue(gateway, 'scriptorium_mails_total', { outcome: 'sent' }) === 2 * KEYS,
      seriesValue(gateway, 'scriptorium_http_requests_in_flight') === 0,
    ];
    return counts.every(Boolean);
  });
}
