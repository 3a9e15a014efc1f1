/**
 * bench/scale.ts [--seconds 5] [--rounds 3] [--converters 1,2,4] [--gateways 1,2] [--save FILE]
 *                [--others 0.4 --patience 10]
 * bench/scale.ts --table [--from FILE] [--rates 1,10,100,1000]
 * bench/scale.ts --saturation [--seconds 5] [--rounds 3]
 *
 * Measures the whole service on this machine, by number of processes and by operation. Prints documents per second, latency, and
 * CPU time of each part; with --saturation only what one Redis carries. With --table it prints the measurement, and the
 * deployment sizes that follow from it, as Markdown; --from uses an earlier measurement. With --others, it repeats samples in
 * which other processes of the machine used more cores than that, until --patience minutes have passed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { circumstances, measuredTables, saturationTable } from './scale/measured-tables.ts';
import type { Measurement } from './scale/measurement.ts';
import { run } from './scale/run.ts';
import { saturate } from './scale/saturation.ts';
import { startServers } from './scale/servers.ts';
import { sizingMarkdown } from './scale/sizing-markdown.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    converters: { type: 'string', default: '1,2,4' },
    gateways: { type: 'string', default: '1,2' },
    others: { type: 'string', default: '1000' },
    patience: { type: 'string', default: '10' },
    rates: { type: 'string', default: '1,10,100,1000' },
    table: { type: 'boolean', default: false },
    saturation: { type: 'boolean', default: false },
    save: { type: 'string' },
    from: { type: 'string' },
  },
});

function numbers(name: Exclude<keyof typeof options, 'table' | 'saturation' | 'save' | 'from'>): number[] {
  const found = options[name].split(',').map(Number);
  if (found.some((value) => !(value > 0))) throw new Error(`--${name} requires numbers above 0`);
  return found;
}

function number(name: Parameters<typeof numbers>[0]): number {
  return numbers(name)[0] ?? 0;
}

/** After an interruption, nothing of the benchmark stays on the machine. */
function untilStopped(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => controller.abort(new Error(`stopped by ${signal}`)));
  return controller.signal;
}

/** Only what one Redis carries; to be compared before and after a change of the queues. */
async function printSaturation(): Promise<void> {
  const { databaseUrl, stop } = await startServers();
  try {
    const [seconds, rounds] = [number('seconds'), number('rounds')];
    const signal = untilStopped();
    const say = (text: string) => process.stderr.write(`${text}\n`);
    const { title, rows } = saturationTable(await saturate({ seconds, rounds, databaseUrl, signal, say }));
    console.log(title);
    console.table(rows);
  } finally {
    await stop();
  }
}

async function measured(): Promise<Measurement> {
  if (options.from !== undefined) return JSON.parse(readFileSync(options.from, 'utf8')) as Measurement;
  return await run({
    seconds: number('seconds'),
    rounds: number('rounds'),
    converters: numbers('converters'),
    gateways: numbers('gateways'),
    othersMax: number('others'),
    patienceMs: number('patience') * 60_000,
    signal: untilStopped(),
    say: (text) => process.stderr.write(`${text}\n`),
  });
}

async function printMeasurement(): Promise<void> {
  const rates = numbers('rates');
  const measurement = await measured();
  if (options.save !== undefined) writeFileSync(options.save, `${JSON.stringify(measurement, null, 2)}\n`);
  if (options.table) return console.log(sizingMarkdown(measurement, rates));
  console.log(`${circumstances(measurement)}\n`);
  for (const { title, rows } of measuredTables(measurement)) {
    console.log(title);
    console.table(rows);
  }
}

if (options.saturation) await printSaturation();
else await printMeasurement();
