/**
 * bench/batch.ts [--rows 1000] [--singles 200] [--rounds 2] [--callers 4] [--kind "1 page"] [--compare 50] [--no-peer]
 *
 * Makes letters as one batch, by single calls, and by the pipeline that users would build instead; in rounds, each in another
 * order. Prints the CPU time of each part for a row, rows a second, and the memory of the gateway and the converter. Compares
 * the documents of the batch with those of single calls, page image by page image.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { cpuSecondsOfGroups, memoryOf, processTree } from '@scriptorium/testing/processes';
import { BATCH_KINDS } from './batch-kinds.ts';
import type { LetterData, LetterKind } from './business-letters.ts';
import { builtPipeline, type Pipeline } from './pipelines.ts';
import { startServers } from './scale/servers.ts';
import { type Stand, startStand } from './scale/stand.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000' },
    singles: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '2' },
    callers: { type: 'string', default: '4' },
    kind: { type: 'string', default: '' },
    compare: { type: 'string', default: '50' },
    'no-peer': { type: 'boolean', default: false },
  },
});

const ROWS = Number(options.rows);
const MEMORY_LOOK_MS = 250;
const TIMEOUT_MS = 3_600_000;
/** Dots per inch of the compared page images. */
const DPI = '72';

/** One way to make the letters, and what it took. */
interface Way {
  name: string;
  make(kind: LetterKind, rows: readonly LetterData[]): Promise<Map<number, Buffer>>;
  groups(): Record<string, readonly number[]>;
  settled(): Promise<void>;
  rows: number;
  wallMs: number;
  cpuSeconds: Record<string, number>;
  memory: { gateway: number[]; converter: number[] };
}

const way = (
  name: string,
  make: Way['make'],
  groups: Way['groups'],
  settled: Way['settled'] = async () => {},
): Way => ({
  name,
  make,
  groups,
  settled,
  rows: 0,
  wallMs: 0,
  cpuSeconds: {},
  memory: { gateway: [], converter: [] },
});

async function post(stand: Stand, key: string, path: string, type: string, body: string): Promise<Response> {
  const answer = await fetch(`${stand.service.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type, accept: '*/*' },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${(await answer.text()).slice(0, 300)}`);
  return answer;
}

function asBatch(stand: Stand, key: string): Way['make'] {
  return async ({ template }, rows) => {
    const head = { document: { base64: template.toString('base64') } };
    const lines = [head, ...rows.map((data) => ({ data }))].map((line) => JSON.stringify(line));
    const answer = await post(stand, key, '/v1/batches?to=pdf', 'application/x-ndjson', lines.join('\n'));
    const made = new Map<number, Buffer>();
    let summary: unknown;
    for await (const line of linesOf(answer)) {
      const { index, document, error, ...rest } = JSON.parse(line);
      if (error) throw new Error(JSON.stringify(error));
      if (document) made.set(index, Buffer.from(document.base64.split(',')[1], 'base64'));
      else summary = rest;
    }
    if (summary === undefined || made.size !== rows.length) throw new Error('the answer is not whole');
    return made;
  };
}

async function* linesOf(answer: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

/** Callers that each send the next letter after a response. */
async function bySingles(
  rows: readonly LetterData[],
  make: (data: LetterData) => Promise<Uint8Array>,
): Promise<Map<number, Buffer>> {
  const made = new Map<number, Buffer>();
  const entries = rows.entries();
  const caller = async () => {
    for (const [index, data] of entries) made.set(index, Buffer.from(await make(data)));
  };
  await Promise.all(Array.from({ length: Number(options.callers) }, caller));
  return made;
}

const asSingles =
  (stand: Stand, key: string): Way['make'] =>
  ({ template }, rows) => {
    const base64 = template.toString('base64');
    return bySingles(rows, async (data) => {
      const body = JSON.stringify({ document: { base64 }, data });
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/pdf',
      };
      const answer = await fetch(`${stand.service.url}/v1/generate?to=pdf`, {
        method: 'POST',
        headers,
        body,
      });
      if (!answer.ok) throw new Error(`${answer.status} ${(await answer.text()).slice(0, 300)}`);
      return new Uint8Array(await answer.arrayBuffer());
    });
  };

async function sample(one: Way, kind: LetterKind, rows: readonly LetterData[]): Promise<Map<number, Buffer>> {
  const look = () => {
    const { gateway, converter } = one.groups();
    for (const [name, roots] of [
      ['gateway', gateway],
      ['converter', converter],
    ] as const)
      if (roots) one.memory[name].push(memoryOf(roots.flatMap((root) => processTree(root))).pssMiB);
  };
  const before = cpuSecondsOfGroups(one.groups());
  const startedAt = performance.now();
  const timer = setInterval(look, MEMORY_LOOK_MS);
  const made = await one.make(kind, rows);
  clearInterval(timer);
  one.wallMs += performance.now() - startedAt;
  await one.settled();
  const after = cpuSecondsOfGroups(one.groups());
  for (const [name, seconds] of Object.entries(after))
    one.cpuSeconds[name] = (one.cpuSeconds[name] ?? 0) + seconds - (before[name] ?? 0);
  one.rows += rows.length;
  return made;
}

function report(ways: readonly Way[], kind: LetterKind): void {
  console.log(`\n${kind.name}; ${options.rounds} rounds`);
  const [first] = ways;
  const cpuOf = ({ cpuSeconds, rows }: Way) =>
    (1000 * Object.values(cpuSeconds).reduce((sum, one) => sum + one, 0)) / rows;
  console.table(
    ways.map((one) => ({
      way: one.name,
      rows: one.rows,
      'CPU ms a row': cpuOf(one).toFixed(1),
      ...Object.fromEntries(
        Object.entries(one.cpuSeconds)
          .filter(([name]) => !['signer', 'verifier', 'database'].includes(name))
          .map(([name, seconds]) => [name, ((1000 * seconds) / one.rows).toFixed(2)]),
      ),
      'rows/s': ((1000 * one.rows) / one.wallMs).toFixed(1),
      'gateway MiB': Math.max(0, ...one.memory.gateway).toFixed(0),
      'converter MiB': Math.max(0, ...one.memory.converter).toFixed(0),
      'first ÷ CPU': first && (cpuOf(first) / cpuOf(one)).toFixed(2),
    })),
  );
}

async function pageImages(pdf: Buffer): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-batch-'));
  try {
    await writeFile(join(folder, 'a.pdf'), pdf);
    await promisify(execFile)('pdftoppm', ['-r', DPI, join(folder, 'a.pdf'), join(folder, 'p')]);
    const pages = (await readdir(folder)).filter((name) => name.endsWith('.ppm')).sort();
    return await Promise.all(
      pages.map(async (name) =>
        createHash('sha256')
          .update(await readFile(join(folder, name)))
          .digest('hex'),
      ),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Throws for the first letter whose pages differ. */
async function compare(batch: Way, singles: Way, kind: LetterKind): Promise<void> {
  const rows = Array.from({ length: Number(options.compare) }, () => kind.data());
  const [some, others] = [await batch.make(kind, rows), await singles.make(kind, rows)];
  for (const index of rows.keys()) {
    const [one, other] = await Promise.all(
      [some, others].map((made) => pageImages(made.get(index) ?? Buffer.alloc(0))),
    );
    if (one?.join() !== other?.join())
      throw new Error(`${kind.name}: row ${index} has other pages than the single call`);
  }
  console.log(`${kind.name}: the pages of ${rows.length} rows are those of single calls, pixel by pixel`);
}

async function measure(ways: readonly Way[], counts: readonly number[], kind: LetterKind): Promise<void> {
  for (const one of ways)
    Object.assign(one, { rows: 0, wallMs: 0, cpuSeconds: {}, memory: { gateway: [], converter: [] } });
  const letters = (count: number) => Array.from({ length: count }, () => kind.data());
  for (const one of ways) await one.make(kind, letters(40));
  for (let round = 0; round < Number(options.rounds); round++)
    for (const at of ways.keys()) {
      const place = (at + round) % ways.length;
      const one = ways[place];
      if (one !== undefined) await sample(one, kind, letters(counts[place] ?? ROWS));
    }
  report(ways, kind);
}

const kinds = BATCH_KINDS.filter(({ name }) => name.includes(options.kind));
const servers = await startServers();
const stand = await startStand({
  converters: 1,
  gateways: 1,
  databaseUrl: servers.databaseUrl,
  further: ['annotator'],
  settings: {
    ENGINES: String(availableParallelism()),
    KEY_CONCURRENCY_MAX: '1000',
    KEY_ROWS_PER_MINUTE_MAX: '10000000',
  },
});
const key = await stand.service.register();
const peer: Pipeline | undefined = options['no-peer']
  ? undefined
  : await builtPipeline('docxtemplater + bare UNO listeners', 'listeners', 0, kinds);
try {
  const singles = way('single calls', asSingles(stand, key), () => stand.processes(1));
  const batch = way('one batch', asBatch(stand, key), () => stand.processes(1));
  const others = peer
    ? [
        way(
          peer.name,
          (kind, rows) => bySingles(rows, (data) => peer.make(kind, data)),
          () => ({ all: peer.roots() }),
          () => peer.settled(),
        ),
      ]
    : [];
  for (const kind of kinds) {
    await measure(
      [singles, batch, ...others],
      [Number(options.singles), ROWS, Number(options.singles)],
      kind,
    );
    await compare(batch, singles, kind);
  }
} finally {
  await peer?.close();
  await stand.close();
  await servers.stop();
}
