import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Contender, packageContender, serviceContender, unoContender, zygotes } from './contenders.ts';
import { type DocumentKind, KINDS } from './documents.ts';
import { peakMemory, percentile, type Sample, sample } from './measure.ts';
import { runSafety } from './safety.ts';
import { runScaling } from './scaling.ts';
import { runSoak } from './soak.ts';

/** A document that takes seconds is measured less often than one that takes milliseconds. */
const COUNT_FACTORS: Record<string, number> = { 'libreoffice-convert': 0.1 };
const WARM_UP_COUNT = 3;

interface Row {
  contender: Contender;
  alone: Sample[];
  together: Sample[];
}

async function measureKind(
  contenders: Contender[],
  kind: DocumentKind,
  rounds: number,
  count: number,
): Promise<Row[]> {
  const rows = contenders.map((contender): Row => ({ contender, alone: [], together: [] }));
  for (const { contender } of rows) await sample(contender, kind, WARM_UP_COUNT, 1);
  for (let round = 0; round < rounds; round++) {
    // Each round starts with another one, so that none always runs on a cold or a throttled machine.
    const order = rows
      .map((_, index) => rows[(index + round) % rows.length])
      .filter((row) => row !== undefined);
    for (const { contender, alone, together } of order) {
      const times = Math.max(2, Math.round(count * (COUNT_FACTORS[contender.name] ?? 1)));
      alone.push(await sample(contender, kind, times, 1));
      together.push(await sample(contender, kind, times, availableParallelism()));
    }
  }
  return rows;
}

async function report(rows: Row[], kind: DocumentKind): Promise<void> {
  const lines: Record<string, string | number>[] = [];
  let base: { p50: number; throughput: number; cpu: number } | undefined;
  for (const { contender, alone, together } of rows) {
    const latencies = alone.flatMap(({ latenciesMs }) => latenciesMs);
    const count = together.flatMap(({ latenciesMs }) => latenciesMs).length;
    const p50 = percentile(latencies, 0.5);
    const throughput = (1000 * count) / together.reduce((sum, { wallMs }) => sum + wallMs, 0);
    const cpu = alone.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / latencies.length;
    const memory = await peakMemory(contender, kind, WARM_UP_COUNT);
    const isLocal = contender.owns !== undefined;
    base ??= { p50, throughput, cpu };
    lines.push({
      contender: contender.name,
      'p50 ms': p50.toFixed(1),
      'p95 ms': percentile(latencies, 0.95).toFixed(1),
      'docs/s': throughput.toFixed(1),
      'CPU ms/doc': isLocal ? (1000 * cpu).toFixed(1) : '-',
      'PSS peak MiB': memory?.pssMiB.toFixed(0) ?? '-',
      'RSS peak MiB': memory?.rssMiB.toFixed(0) ?? '-',
      'first ÷ p50': (base.p50 / p50).toFixed(3),
      'first ÷ CPU': isLocal ? (base.cpu / cpu).toFixed(3) : '-',
      'first × docs/s': (base.throughput / throughput).toFixed(2),
    });
  }
  console.table(lines);
}

async function compare(rounds: number, count: number, only: string | undefined): Promise<void> {
  const cores = availableParallelism();
  const { BASE_URL, API_KEY, STACK_PID } = process.env;
  const service = serviceContender(
    BASE_URL,
    API_KEY,
    STACK_PID === undefined ? undefined : Number(STACK_PID),
  );
  if (service === undefined) console.log('service over HTTP: skipped, BASE_URL and API_KEY are not set\n');
  const contenders = [
    zygotes(cores),
    unoContender(cores),
    packageContender(cores),
    ...(service ? [service] : []),
  ].filter(({ name }, index) => index === 0 || only === undefined || name.includes(only));
  const started: Contender[] = [];
  try {
    for (const contender of contenders) {
      await contender.start();
      started.push(contender);
    }
    for (const kind of KINDS) {
      console.log(`${kind.name}; ${rounds} rounds of ${count}; docs/s by ${cores} callers at a time`);
      await report(await measureKind(contenders, kind, rounds, count), kind);
    }
  } finally {
    for (const contender of started) await contender.close();
  }
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    count: { type: 'string', default: '20' },
    only: { type: 'string' },
    safety: { type: 'boolean' },
    soak: { type: 'string' },
    zygotes: { type: 'string' },
  },
});

if (values.safety) await runSafety();
else if (values.soak !== undefined) await runSoak(Number(values.soak));
else if (values.zygotes !== undefined) await runScaling(values.zygotes.split(',').map(Number));
else await compare(Number(values.rounds), Number(values.count), values.only);
