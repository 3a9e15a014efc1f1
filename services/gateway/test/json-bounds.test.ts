import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomNumbers } from '@scriptorium/testing/random';
import { JsonScan } from '../src/middleware/json-bounds.ts';
import { type Rig, startRig } from './rig.ts';

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

test('a body of 39 MB of blanks does not hold the event loop', async () => {
  const { key } = await rig.newKey();
  const body = Buffer.alloc(39_000_000, ' ');
  expect((await rig.postJson(key, '/v1/annotate', '{}')).status).toBe(400);
  const turns = watchTurns();
  const response = await fetch(`${rig.url}/v1/annotate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  expect(await response.json()).toMatchObject({ details: [{ field: 'body', issue: 'is not valid JSON' }] });
  expect(turns.longestMs()).toBeLessThan(60);
});

/** Measures the processor time of each turn of the event loop, which does not depend on the load of the machine. */
function watchTurns(): { longestMs(): number } {
  let longest = 0;
  let isOver = false;
  let { user, system } = process.threadCpuUsage();
  const turn = () => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, now.user + now.system - user - system);
    ({ user, system } = now);
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    longestMs() {
      isOver = true;
      return longest / 1e3;
    },
  };
}
