import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, askSigned, percentile, tally } from '../callers.ts';
import type { Deployment } from '../service.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { type Operation, operationsOn } from './operations.ts';

const RATIO_MAX = 2;
/** Until an attack holds whatever it can get. */
const LEAD_MS = 5_000;
/** Until what it left has ended. */
const SETTLE_MS = 3_000;
const PAUSE_MS = 50;
/** Quiet times and those beside an attack alternate, since other work may use the machine. */
const TURNS = 2;

export interface Table {
  /** Names; by default all. */
  attacks?: string[] | undefined;
  operations?: string[] | undefined;
  /** Calls of each operation in one turn. */
  calls: number;
}

/**
 * Measures each operation of one key, quiet and beside each attack of another key. Prints a row for each pair, and returns
 * whether the 95th percentiles are within twice the quiet ones and all calls are answered.
 */
export async function measureShares(service: Deployment, table: Table): Promise<boolean> {
  const calm = await service.register();
  const all = operationsOn(await askSigned(service.url, calm));
  const operations = chosen(all, table.operations);
  const attacks = chosen(ATTACKS, table.attacks);
  const ask = (calls: number) => askEach(operations, service.url, calm, calls);
  await ask(3);
  let areShared = true;
  for (const [name, attack] of attacks) {
    const times = await besideAttack(service, attack, () => ask(table.calls));
    const rows = operations.map(([operation], at) => rowOf(name, operation, times, at));
    console.table(Object.fromEntries(rows.map(({ row }) => [row.operation, row])));
    console.log(`${name}: the other key got`, times.got);
    areShared &&= rows.every(({ isShared }) => isShared);
  }
  return areShared;
}

function chosen<Item>(all: Record<string, Item>, names = Object.keys(all)): [string, Item][] {
  return names.map((name) => {
    const item = all[name];
    if (item === undefined) throw new Error(`${name} is none of: ${Object.keys(all).join(', ')}`);
    return [name, item];
  });
}

interface Times {
  /** By operation. */
  quiet: Answer[][];
  beside: Answer[][];
  got: unknown[];
}

async function besideAttack(
  service: Deployment,
  attack: Attack,
  ask: () => Promise<Answer[][]>,
): Promise<Times> {
  const greedy = await service.register();
  const times: Times = { quiet: [], beside: [], got: [] };
  const add = (part: 'quiet' | 'beside', answers: Answer[][]) =>
    answers.forEach((each, at) => {
      times[part][at] = [...(times[part][at] ?? []), ...each];
    });
  for (let turn = 0; turn < TURNS; turn++) {
    add('quiet', await ask());
    const ending = new AbortController();
    const attacking = attack(service.url, greedy, ending.signal);
    await sleep(LEAD_MS);
    add('beside', await ask());
    ending.abort();
    times.got.push(await attacking);
    await sleep(SETTLE_MS);
  }
  return times;
}

async function askEach(
  operations: readonly [string, Operation][],
  url: string,
  key: string,
  calls: number,
): Promise<Answer[][]> {
  const answers: Answer[][] = operations.map(() => []);
  for (let call = 0; call < calls; call++)
    for (const [at, [, operation]] of operations.entries()) {
      const answer = await operation(url, key);
      answers[at]?.push({ ...answer, pdf: undefined });
      await sleep(PAUSE_MS);
    }
  return answers;
}

function rowOf(attack: string, operation: string, times: Times, at: number) {
  const [quiet = [], beside = []] = [times.quiet[at], times.beside[at]];
  const figure = (answers: Answer[], share: number) =>
    Math.round(
      percentile(
        answers.map(({ ms }) => ms),
        share,
      ),
    );
  const ratio = figure(beside, 0.95) / figure(quiet, 0.95);
  const isAnswered = [...quiet, ...beside].every(({ status }) => status >= 200 && status < 300);
  const row = {
    attack,
    operation,
    'quiet p50': figure(quiet, 0.5),
    'quiet p95': figure(quiet, 0.95),
    'beside p50': figure(beside, 0.5),
    'beside p95': figure(beside, 0.95),
    ratio: Number(ratio.toFixed(1)),
    answers: isAnswered ? 'all' : JSON.stringify(tally([...quiet, ...beside])),
  };
  return { row, isShared: ratio <= RATIO_MAX && isAnswered };
}
