/**
 * bench/verify.ts [--seconds 5] [--only 20]
 *
 * Prints wall and CPU time of verifying: interleaved, on the same documents, compared with other programs that check
 * signatures. These do less (bench/README.md), and each of their runs is a process. All must find each document valid.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createPki } from '@scriptorium/testing/pki/pki';
import { cpuSecondsOfEndedChildren, processTree } from '@scriptorium/testing/processes';
import { PopplerHost } from '@scriptorium/verifier/poppler-host';
import { RenderThread } from '@scriptorium/verifier/render-threads';
import { percentile } from './measure.ts';
import { signedDocuments } from './signed-documents.ts';
import { openssl, ours, pdfsig, type VerifyContender } from './verifiers.ts';

const WARM_UP_RUNS = 10;
/** Then the processes of Poppler have ended, and are counted. */
const COLLECTED_MS = 500;

interface Runner {
  contender: VerifyContender;
  /** Sum over all runs. */
  cpuMs: number;
  /** CPU time of Poppler's processes. */
  otherCpuMs: number;
  wallMs: number[];
}

/** CPU time of this process and of the programs that it has run: in steps of 10 ms, which dozens of runs even out. */
function cpuMs({ isHere }: VerifyContender): number {
  if (!isHere) return cpuSecondsOfEndedChildren() * 1000;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time of the processes that Poppler's host has collected, in steps of 10 ms. */
function popplerCpuMs(): number {
  const host = processTree().find(({ commandLine }) => commandLine.includes(poppler.name));
  return 1000 * (host?.cpuSeconds ?? 0);
}

async function runOnce(runner: Runner): Promise<void> {
  const { contender } = runner;
  const cpuBefore = cpuMs(contender);
  const startedAt = performance.now();
  await contender.verify();
  runner.wallMs.push(performance.now() - startedAt);
  runner.cpuMs += cpuMs(contender) - cpuBefore;
}

async function measure(contenders: readonly VerifyContender[], seconds: number): Promise<Runner[]> {
  const runners = contenders.map((contender) => ({ contender, cpuMs: 0, otherCpuMs: 0, wallMs: [] }));
  for (const { isHere, verify } of contenders)
    for (let run = 0; run < (isHere ? WARM_UP_RUNS : 1); run++) await verify();
  const others = () => runners.map(({ contender }) => contender.otherCpuMs?.() ?? 0);
  await wait(COLLECTED_MS);
  const before = others();
  const until = performance.now() + seconds * 1000;
  do for (const runner of runners) await runOnce(runner);
  while (performance.now() < until);
  await wait(COLLECTED_MS);
  for (const [index, after] of others().entries()) {
    const runner = runners[index];
    if (runner) runner.otherCpuMs = after - (before[index] ?? 0);
  }
  return runners;
}

function print(name: string, runners: readonly Runner[]): void {
  process.stdout.write(`\n${name}, ${runners[0]?.wallMs.length} runs each\n`);
  console.table(
    runners.map(({ contender, cpuMs, otherCpuMs, wallMs }) => ({
      contender: contender.name,
      'wall ms p50': percentile(wallMs, 0.5).toFixed(1),
      'wall ms p95': percentile(wallMs, 0.95).toFixed(1),
      'CPU ms mean': (cpuMs / wallMs.length).toFixed(1),
      'and Poppler': (otherCpuMs / wallMs.length).toFixed(1),
    })),
  );
}

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
});
const pki = await createPki({ authorityKeyType: 'rsa-2048' });
const poppler = new PopplerHost();
const thread = new RenderThread({ poppler: { name: poppler.name } });
const folder = mkdtempSync(join(tmpdir(), 'bench-verify-'));
try {
  await poppler.start();
  await thread.ready();
  for (const { name, signatures, make } of await signedDocuments(pki)) {
    if (!name.includes(options.only)) continue;
    const bytes = await make();
    const contenders = [ours(bytes, signatures, pki, { thread, popplerCpuMs, isTwice: true })];
    if (name.startsWith('PDF'))
      contenders.push(
        ours(bytes, signatures, pki, { thread, popplerCpuMs, isTwice: false }),
        ours(bytes, signatures, pki),
        pdfsig(bytes, signatures, folder),
        openssl(bytes, pki, folder),
      );
    print(name, await measure(contenders, Number(options.seconds)));
  }
} finally {
  rmSync(folder, { recursive: true });
  await thread.close();
  await poppler.close();
  await pki.close();
}
