import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomNumbers } from '@scriptorium/testing/random';
import { JsonScan } from '../../src/middleware/json-bounds.ts';
import { type Rig, startRig } from '../rigs/rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());

const BOUNDS = { depthMax: 8, valuesMax: 15, keysMax: 5 };

/** A JSON text with any spacing, escapes and sometimes too much of something. */
function randomJson(random: () => number): string {
  const below = (max: number) => Math.floor(random() * max);
  const blanks = () => [' ', '\t', '\n', '\r'][below(4)]?.repeat(random() < 0.1 ? below(60) : below(3)) ?? '';
  const word = () =>
    JSON.stringify(Array.from({ length: below(6) }, () => 'a"\\ \n{[,é€'[below(10)]).join('')).replace(
      /a/g,
      () => (random() < 0.3 ? '\\u0061' : 'a'),
    );
  const value = (depth: number): string => {
    const entries = () => Array.from({ length: below(4) }, () => value(depth + 1));
    const kind = depth > 9 ? 0 : below(4);
    if (kind === 0) return word();
    if (kind === 1) return String(below(1000) - 500);
    if (kind === 2) return `[${entries().join(`${blanks()},${blanks()}`)}]`;
    return `{${entries()
      .map((entry) => `${blanks()}${word()}${blanks()}:${blanks()}${entry}`)
      .join(',')}${blanks()}}`;
  };
  return `${blanks()}${value(0)}${blanks()}`;
}

function scan(pieces: Buffer[]): { issue: string | null; kept: string } {
  const kept: Buffer[] = [];
  const scanning = new JsonScan(BOUNDS, (piece) => kept.push(piece));
  for (const piece of pieces) {
    const issue = scanning.push(piece);
    if (issue !== null) return { issue, kept: '' };
  }
  return { issue: null, kept: Buffer.concat(kept).toString() };
}

test('a JSON text has the same issues and the same value in whatever pieces it arrives', () => {
  const numbers = randomNumbers(20_261_123);
  const random = () => numbers(1_000_000) / 1_000_000;
  const issues = new Set<string>();
  for (let i = 0; i < 4_000; i++) {
    const text = randomJson(random);
    const bytes = Buffer.from(text);
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + Math.floor(random() ** 3 * 20);
      pieces.push(bytes.subarray(at, end));
      at = end;
    }
    const whole = scan([bytes]);
    const parts = scan(pieces);
    expect(parts).toEqual(whole);
    if (whole.issue === null) {
      expect(JSON.parse(whole.kept)).toEqual(JSON.parse(text));
      expect(whole.kept).not.toMatch(/^[^"]*\s{17}/);
    } else issues.add(whole.issue.replace(/".*"/, '…').replace(/\d+/, '…'));
  }
  expect([...issues].sort()).toEqual([
    'has more than … values',
    'is nested deeper than … levels',
    'repeats the key … in one object',
  ]);
});

/** Sends blanks from a thread of its own: the event loop of this one then has the work of the gateway alone. */
const SENDER = `
const { parentPort, workerData: { url, key, bytes } } = require('node:worker_threads');
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
fetch(url, { method: 'POST', headers, body: Buffer.alloc(bytes, ' ') })
  .then((response) => response.json())
  .then((answer) => parentPort.postMessage(answer));
`;

test('a body of 39 MB of blanks does not hold the event loop', async () => {
  const { key } = await rig.newKey();
  expect((await rig.postJson(key, '/v1/annotate', '{}')).status).toBe(400);
  const turns = watchTurns();
  const sender = new Worker(SENDER, {
    eval: true,
    workerData: { url: `${rig.url}/v1/annotate`, key, bytes: 39_000_000 },
  });
  const [answer] = await once(sender, 'message');
  expect(answer).toMatchObject({ details: [{ field: 'body', issue: 'is not valid JSON' }] });
  const { longestMs, totalMs } = turns.end();
  expect(longestMs).toBeLessThan(totalMs / 2);
});

/** Measures the processor time of the turns of the event loop. Their ratio does not depend on the machine. */
function watchTurns(): { end(): { longestMs: number; totalMs: number } } {
  let longest = 0;
  let total = 0;
  let isOver = false;
  let { user, system } = process.threadCpuUsage();
  const turn = () => {
    const now = process.threadCpuUsage();
    const spent = now.user + now.system - user - system;
    longest = Math.max(longest, spent);
    // Empty turns of the wait for bytes are not work.
    if (spent > 200) total += spent;
    ({ user, system } = now);
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    end() {
      isOver = true;
      return { longestMs: longest / 1e3, totalMs: total / 1e3 };
    },
  };
}
