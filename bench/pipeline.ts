/**
 * bench/pipeline.ts [--seconds 10] [--rounds 3] [--callers 4] [--only gotenberg] [--kind "1 page"]
 *                   [--unoserver-restart 100] [--gotenberg-restart 10]
 *
 * Fills letters from data and converts them to PDF: this service over HTTP, beside what its users would build instead.
 * Prints CPU time of all their processes, documents a second, latency and memory; in rounds, each in another order.
 * With BASE_URL, API_KEY and STACK_PID it measures that stack, and starts none.
 */
import { parseArgs } from 'node:util';
import { outcomeOf } from '@scriptorium/testing/judges/programs';
import { pageSizes, textFrom } from '@scriptorium/testing/pdf-reading';
import { cpuSecondsOfGroups, memoryOf, processTree } from '@scriptorium/testing/processes';
import { LETTERS, type LetterData, type LetterKind } from './business-letters.ts';
import { percentile } from './measure.ts';
import { builtPipeline, type Pipeline, servicePipeline } from './pipelines.ts';

/** Documents of each sample that are read and compared with their data. */
const CHECKED = 6;
const WARM_UP_MS = 3_000;
const MEMORY_LOOK_MS = 250;

interface Row {
  pipeline: Pipeline;
  latenciesMs: number[];
  wallMs: number;
  cpuSeconds: number;
  pssMiB: number;
}

interface Made {
  data: LetterData;
  pdf: Uint8Array;
}

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    callers: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
    kind: { type: 'string', default: '' },
    'unoserver-restart': { type: 'string', default: '100' },
    'gotenberg-restart': { type: 'string', default: '10' },
  },
});

/** Callers that each send the next letter after a response, for this time and until the last one has its PDF. */
async function callAll(
  pipeline: Pipeline,
  kind: LetterKind,
  ms: number,
  onMade: (made: Made, latencyMs: number) => void,
): Promise<void> {
  const until = performance.now() + ms;
  const caller = async () => {
    while (performance.now() < until) {
      const data = kind.data();
      const sentAt = performance.now();
      const pdf = await pipeline.make(kind, data);
      onMade({ data, pdf }, performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: Number(options.callers) }, caller));
}

async function takeSample(row: Row, kind: LetterKind): Promise<void> {
  const { pipeline } = row;
  const made: Made[] = [];
  const cpuSeconds = () => cpuSecondsOfGroups({ all: pipeline.roots() }).all;
  const before = cpuSeconds();
  const startedAt = performance.now();
  await callAll(pipeline, kind, Number(options.seconds) * 1000, (document, latencyMs) => {
    made.push(document);
    row.latenciesMs.push(latencyMs);
  });
  row.wallMs += performance.now() - startedAt;
  await pipeline.settled();
  row.cpuSeconds += cpuSeconds() - before;
  const step = Math.max(1, Math.floor(made.length / CHECKED));
  for (const [place, document] of made.entries())
    await check(pipeline, kind, document, place % step === 0 && hasPoppler);
}

/** A PDF must have the pages of its kind, and the values of its own data. */
async function check({ name }: Pipeline, kind: LetterKind, { data, pdf }: Made, isRead: boolean) {
  const bytes = Buffer.from(pdf);
  if (!bytes.subarray(0, 5).equals(Buffer.from('%PDF-')) || !bytes.subarray(-32).includes('%%EOF'))
    throw new Error(`${name} did not give a whole PDF`);
  if (!isRead) return;
  const { length } = await pageSizes(bytes);
  if (length !== kind.pages) throw new Error(`${name}: ${length} pages instead of ${kind.pages}`);
  const text = await textFrom(bytes, 1);
  const { items, ...texts } = data;
  const expected = [...items.flatMap((item) => Object.values(item)), ...Object.values(texts)].map(String);
  const missing = expected.filter((value) => !words(text).includes(words(value)));
  if (missing.length > 0) throw new Error(`${name}: a PDF lacks ${missing[0]}`);
}

const words = (text: string) => text.replace(/\s+/g, ' ');

async function measureMemory(row: Row, kind: LetterKind): Promise<void> {
  const look = () => {
    const processes = row.pipeline.roots().flatMap((root) => processTree(root));
    row.pssMiB = Math.max(row.pssMiB, memoryOf(processes).pssMiB);
  };
  const timer = setInterval(look, MEMORY_LOOK_MS);
  await callAll(row.pipeline, kind, WARM_UP_MS, () => {});
  look();
  clearInterval(timer);
}

async function measureKind(pipelines: readonly Pipeline[], kind: LetterKind): Promise<void> {
  const rows = pipelines.map(
    (pipeline): Row => ({ pipeline, latenciesMs: [], wallMs: 0, cpuSeconds: 0, pssMiB: 0 }),
  );
  for (const { pipeline } of rows) {
    await callAll(pipeline, kind, WARM_UP_MS, () => {});
    await pipeline.settled();
  }
  for (let round = 0; round < Number(options.rounds); round++)
    for (let place = 0; place < rows.length; place++) {
      const row = rows[(place + round) % rows.length];
      if (row !== undefined) await takeSample(row, kind);
    }
  for (const row of rows) await measureMemory(row, kind);
  report(rows, kind);
}

function report(rows: readonly Row[], kind: LetterKind): void {
  const { seconds, rounds, callers } = options;
  console.log(`\n${kind.name}; ${rounds} rounds of ${seconds} s, ${callers} callers`);
  const figures = rows.map(({ latenciesMs, wallMs, cpuSeconds }) => ({
    cpuMs: (1000 * cpuSeconds) / latenciesMs.length,
    perSecond: (1000 * latenciesMs.length) / wallMs,
  }));
  const [first] = figures;
  console.table(
    rows.map(({ pipeline, latenciesMs, wallMs, cpuSeconds, pssMiB }, place) => ({
      pipeline: pipeline.name,
      documents: latenciesMs.length,
      'CPU ms a document': figures[place]?.cpuMs.toFixed(1),
      'documents/s': figures[place]?.perSecond.toFixed(1),
      'wall p50 ms': percentile(latenciesMs, 0.5).toFixed(0),
      'wall p95 ms': percentile(latenciesMs, 0.95).toFixed(0),
      'cores in use': ((1000 * cpuSeconds) / wallMs).toFixed(2),
      'PSS peak MiB': pssMiB.toFixed(0),
      'first ÷ CPU': ((first?.cpuMs ?? Number.NaN) / (figures[place]?.cpuMs ?? 1)).toFixed(2),
      'first × documents/s': ((first?.perSecond ?? Number.NaN) / (figures[place]?.perSecond ?? 1)).toFixed(2),
    })),
  );
}

const kinds = LETTERS.filter(({ name }) => name.includes(options.kind));
const [unoserverRestart, gotenbergRestart] = [
  Number(options['unoserver-restart']),
  Number(options['gotenberg-restart']),
];
const built = (name: string, way: Parameters<typeof builtPipeline>[1], restartAfter: number) =>
  [name, () => builtPipeline(name, way, restartAfter, kinds)] as const;
const STARTS = [
  ['this service over HTTP', servicePipeline] as const,
  built('docxtemplater + bare UNO listeners', 'listeners', 0),
  built('docxtemplater + unoserver’s way', 'unoserver', 0),
  built(`docxtemplater + unoserver’s way, restart after ${unoserverRestart}`, 'unoserver', unoserverRestart),
  built(`docxtemplater + Gotenberg’s way, restart after ${gotenbergRestart}`, 'gotenberg', gotenbergRestart),
];

const hasPoppler = await Promise.all([outcomeOf('pdftotext', ['-v']), outcomeOf('pdfinfo', ['-v'])]).then(
  () => true,
  () => false,
);
if (!hasPoppler) console.log('pdftotext and pdfinfo are missing: pages and texts are not checked');
const started: Pipeline[] = [];
try {
  for (const [name, start] of STARTS) if (name.includes(options.only)) started.push(await start());
  for (const kind of kinds) await measureKind(started, kind);
} finally {
  for (const pipeline of started) await pipeline.close();
}
