import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endlessPdf } from '@scriptorium/testing/fixtures/pdf/costly';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { answerTo, ask, tally } from '../callers.ts';
import { openRequest, trickle } from '../slow-callers.ts';
import { COSTLY_NAMES, type CostlyRequest, costlyRequests } from './costly-requests.ts';
import { post } from './operations.ts';

/** What one key does until the signal. Resolves with what it got, for the report. */
export type Attack = (url: string, key: string, signal: AbortSignal) => Promise<unknown>;

/** As many requests as one key may have in flight. */
const CALLERS = 10;
const ROWS = 10_000;
/** Far more bytes than a gateway holds, if it counted them as they are announced. */
const SILENT = 60;
const SLOW = 60;
const ANNOUNCED_BYTES = 30 * 2 ** 20;
/** Connections without a request, and those that send refused ones. */
const IDLE = 10_000;
const REFUSED_PER_SECOND = 1_000;
const REFUSING = 10;
/** Each from an address of loopback, since one client network may open a few hundred only. */
const IDLE_PER_ADDRESS = 100;
const TICK_MS = 100;
/** Those that are refused at once are opened again, but not as a flood. */
const PAUSE_MS = 1_000;

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });

/** Sends them one after the other, as many at a time as a key may, and counts the outcomes. */
async function repeat(
  requests: readonly CostlyRequest[],
  url: string,
  key: string,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  let sent = 0;
  const counts: Record<string, number> = {};
  const call = async () => {
    while (!signal.aborted) {
      const { path, body } = requests[sent++ % requests.length] ?? { path: '', body: {} };
      const answer = await answerTo('', () => post(url + path, key, body, { signal }));
      if (signal.aborted) break;
      const [outcome = ''] = Object.keys(tally([answer]));
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return counts;
}

function costly(name: string): Attack {
  let requests: CostlyRequest[] | undefined;
  return async (url, key, signal) => {
    requests ??= costlyRequests(name);
    return repeat(requests, url, key, signal);
  };
}

/** A page that takes very long to draw, and has changed since its signature. */
const patterns: Attack = async (url, key, signal) => {
  const rectangle = { x: 50, y: 50, width: 150, height: 40 };
  let base64 = endlessPdf().toString('base64');
  for (let round = 0; round < 2; round++) {
    const body = { document: { base64 }, appearance: { page: 1, rectangle, text: 'Ada' } };
    const answer = await post(`${url}/v1/sign?to=pdf`, key, body, { headers: { accept: 'application/pdf' } });
    base64 = Buffer.from(await answer.arrayBuffer()).toString('base64');
    if (!answer.ok) throw new Error(`signing got ${answer.status}`);
  }
  return repeat([{ path: '/v1/verify', body: { document: { base64 } } }], url, key, signal);
};

const batch: Attack = async (url, key, signal) => {
  const template = templateOf(p(run('Letter {number}')) + p(run('Dear {name}, {text}')).repeat(30));
  const rows = Array.from({ length: ROWS }, (_, number) => ({
    data: { number, name: `Customer ${number}`, text: `text ${number % 7}` },
  }));
  let answered = 0;
  while (!signal.aborted) {
    const answer = await fetch(`${url}/v1/batches?to=pdf`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body: [{ document: { base64: template.toString('base64') } }, ...rows]
        .map((line) => JSON.stringify(line))
        .join('\n'),
      signal,
    }).catch(() => undefined);
    const reading = (async () => {
      for await (const chunk of answer?.body ?? [])
        answered += Buffer.from(chunk).filter((byte) => byte === 10).length;
    })();
    await reading.catch(() => undefined);
  }
  return { rows: answered };
};

const flood: Attack = async (url, key, signal) => {
  let sent = 0;
  const call = async () => {
    for (; !signal.aborted; sent++) await ask(url, key);
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return { sent };
};

/** Bodies that do not come, or come byte by byte. */
const bodies: Attack = async (url, key, signal) => {
  let opened = 0;
  const hold = async (isSilent: boolean) => {
    while (!signal.aborted) {
      const request = openRequest(url, key, ANNOUNCED_BYTES);
      const end = () => request.destroy();
      opened++;
      signal.addEventListener('abort', end);
      if (isSilent) request.flushHeaders();
      else void trickle(request, Buffer.alloc(120, '-'));
      await new Promise((resolve) => request.once('close', resolve));
      signal.removeEventListener('abort', end);
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  await Promise.all([...Array(SILENT).fill(true), ...Array(SLOW).fill(false)].map(hold));
  return { opened };
};

/** Connections, `max` at a time, which are opened again when they are closed. */
async function keepOpen(
  url: string,
  max: number,
  perAddress: number,
  signal: AbortSignal,
  each: (socket: Socket) => void,
) {
  const port = Number(new URL(url).port);
  const open = new Set<Socket>();
  let opened = 0;
  const tick = () => {
    for (let i = 0; i < max / 50 && open.size < max; i++) {
      const localAddress = `127.1.${(Math.floor(opened++ / perAddress) % 200) + 2}.1`;
      const socket = connect({ host: '127.0.0.1', port, localAddress });
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => open.delete(socket));
    }
    for (const socket of open) each(socket);
  };
  const timer = setInterval(tick, TICK_MS);
  await untilAborted(signal);
  clearInterval(timer);
  for (const socket of open) socket.destroy();
  return { opened, open: open.size };
}

const idle: Attack = (url, _key, signal) => keepOpen(url, IDLE, IDLE_PER_ADDRESS, signal, () => undefined);

/** Requests that are refused for their body, after the key and its limits were looked up. */
const refused: Attack = async (url, key, signal) => {
  const body = '{"document": 7}';
  const head = `POST /v1/generate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const perTick = (REFUSED_PER_SECOND * TICK_MS) / 1_000 / REFUSING;
  let got = 0;
  let sent = 0;
  const { opened } = await keepOpen(url, REFUSING, 1, signal, (socket) => {
    if (socket.connecting) return;
    if (socket.listenerCount('data') === 0)
      socket.on('data', (chunk) => (got += chunk.toString('latin1').split('HTTP/1.1 4').length - 1));
    socket.write(request.repeat(perTick));
    sent += perTick;
  });
  return { sent, got, opened };
};

export const ATTACKS: Record<string, Attack> = {
  ...Object.fromEntries(COSTLY_NAMES.map((name) => [name, costly(name)])),
  ...{ patterns, batch, flood, refused, bodies, idle },
};
