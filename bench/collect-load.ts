/**
 * bench/collect-load.ts PORT SECONDS BATCH RATE SEED
 *
 * Sends document opens to a collector over persistent connections, from its own process. RATE is payloads per second,
 * or 0 for the maximum. Prints `{accepted, refused, seconds, latenciesMs}` as JSON; with a rate, latency counts from
 * when the payload was due. Every second open is of a document that was not sent before.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createConnection, type Socket } from 'node:net';

const CONNECTIONS = 128;
const LICENSES = 50;
const [port, seconds, batch, rate, seed] = process.argv.slice(2);
const batchSize = Number(batch);
let documents = 0;

function nextDocument(): string {
  const number = documents % 2 === 0 ? documents : Math.floor(Math.random() * documents);
  documents += 1;
  return `sha256:${createHash('sha256').update(`${seed} ${number}`).digest('hex')}`;
}

function nextRequest(): Buffer {
  const timestamp = new Date().toISOString();
  const events = Array.from({ length: batchSize }, () => ({
    timestamp,
    documentId: nextDocument(),
    documentCreatedAt: '2026-01-15T10:30:00Z',
  }));
  const body = JSON.stringify({
    clientVersion: '1.4.2',
    browserInfo: {
      userAgent:
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      currentUrl: 'https://editor.example.com/documents/1842',
      hostname: 'editor.example.com',
      screenSize: { width: 1920, height: 1080 },
    },
    metadata: { team: 'legal', environment: 'production' },
    events,
  });
  const license = `bench-${randomBytes(1).readUInt8() % LICENSES}`;
  return Buffer.from(
    `POST /v1/collect HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `X-License-Key: ${license}\r\nOrigin: https://editor.example.com\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const latenciesMs: number[] = [];
let accepted = 0;
let refused = 0;

/** Sends one payload, and resolves with its response. A 202 has no body, and no other status is expected. */
function send(socket: Socket, dueAt: number): Promise<void> {
  return new Promise((resolve) => {
    let answer = '';
    const onData = (data: Buffer): void => {
      answer += data.toString('latin1');
      if (!answer.includes('\r\n\r\n')) return;
      socket.off('data', onData);
      if (answer.startsWith('HTTP/1.1 202 ')) accepted += batchSize;
      else refused += batchSize;
      latenciesMs.push(performance.now() - dueAt);
      resolve();
    };
    socket.on('data', onData);
    socket.write(nextRequest());
  });
}

async function connect(): Promise<Socket> {
  const socket = createConnection({ host: '127.0.0.1', port: Number(port), noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

const startedAt = performance.now();
const endAt = startedAt + Number(seconds) * 1000;
let due = startedAt;
const intervalMs = Number(rate) === 0 ? 0 : 1000 / Number(rate);

async function sendInTurn(): Promise<void> {
  let socket = await connect();
  // A collector closes a connection after a number of requests.
  for (let sent = 1; ; sent++) {
    const now = performance.now();
    if (now >= endAt) break;
    if (intervalMs === 0) await send(socket, now);
    else {
      const dueAt = due;
      due += intervalMs;
      if (dueAt >= endAt) break;
      if (dueAt > now) await new Promise((resolve) => setTimeout(resolve, dueAt - now));
      await send(socket, dueAt);
    }
    if (sent % 900 === 0) {
      socket.destroy();
      socket = await connect();
    }
  }
  socket.destroy();
}

await Promise.all(Array.from({ length: CONNECTIONS }, sendInTurn));
process.stdout.write(
  JSON.stringify({ accepted, refused, seconds: (performance.now() - startedAt) / 1000, latenciesMs }),
);
