import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../service.ts';
import { openRequest, trickle } from '../slow-callers.ts';
import { askCalmly, compareTimes } from './fairness.ts';

const LEAD_MS = 5_000;
/** Far more bytes than a gateway holds, if it counted them as they are announced. */
const SILENT = 60;
const SLOW = 60;
const ANNOUNCED_BYTES = 30 * 2 ** 20;
const IDLE = 10_000;
/** Each from an address of loopback, since one client network may open a few hundred only. */
const IDLE_PER_ADDRESS = 100;
const OPENED_AT_ONCE = 200;
/** Those that are refused at once are opened again, but not as a flood. */
const PAUSE_MS = 1_000;

/** Whether one key's times stay within twice their quiet ones beside bodies that do not come, or come byte by byte. */
export async function measureSockets(service: Deployment): Promise<boolean> {
  const [calm, greedy] = [await service.register(), await service.register()];
  await askCalmly(service.url, calm, 5);
  const quiet = await askCalmly(service.url, calm);
  let isOver = false;
  let opened = 0;
  const hold = async (isSilent: boolean): Promise<void> => {
    while (!isOver) {
      const request = openRequest(service.url, greedy, ANNOUNCED_BYTES);
      opened++;
      if (isSilent) request.flushHeaders();
      else void trickle(request, Buffer.alloc(120, '-'));
      await new Promise((resolve) => request.once('close', resolve));
      await sleep(PAUSE_MS);
    }
  };
  const holding = [...Array(SILENT).fill(true), ...Array(SLOW).fill(false)].map(hold);
  await sleep(LEAD_MS);
  const beside = await askCalmly(service.url, calm);
  isOver = true;
  console.log(`${opened} silent and slow requests were opened, ${SILENT + SLOW} at a time`);
  await Promise.all(holding);
  return compareTimes(quiet, beside, 'beside silent and slow bodies');
}

/** The same beside connections without a request, which are opened again when they are closed. */
export async function measureIdle(service: Deployment): Promise<boolean> {
  const calm = await service.register();
  await askCalmly(service.url, calm, 5);
  const quiet = await askCalmly(service.url, calm);
  const port = Number(new URL(service.url).port);
  const open = new Set<Socket>();
  let opened = 0;
  let isOver = false;
  const openOne = (): void => {
    const number = opened++ % IDLE;
    const address = Math.floor(number / IDLE_PER_ADDRESS) + 2;
    const socket = connect({ host: '127.0.0.1', port, localAddress: `127.1.${address}.1` });
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
  };
  const opening = (async () => {
    while (!isOver) {
      for (let i = 0; i < OPENED_AT_ONCE && open.size < IDLE; i++) openOne();
      await sleep(100);
    }
  })();
  await sleep(2 * LEAD_MS);
  const atStart = open.size;
  const beside = await askCalmly(service.url, calm);
  console.log(
    `${opened} idle connections were opened; ${atStart} were open at first, and ${open.size} at the end`,
  );
  isOver = true;
  await opening;
  for (const socket of open) socket.destroy();
  return compareTimes(quiet, beside, 'beside idle connections');
}
