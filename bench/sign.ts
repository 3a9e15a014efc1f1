/**
 * bench/sign.ts [--seconds 10] [--only 20]
 *
 * Prints CPU, wall time and memory of a signature. The runs are interleaved, on the same documents, and compared with the
 * packages of signpdf and with the minimum that every signature needs. Poppler reads the output and must accept it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { heavyPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { createPki } from '@scriptorium/testing/pki/pki';
import { contractWith } from './letters.ts';
import { percentile } from './measure.ts';
import { floor, ours, type SignContender, signpdf } from './signers.ts';

const WARM_UP_RUNS = 10;
const MIB = 1024 * 1024;

interface Runner {
  contender: SignContender;
  cpuMs: number[];
  wallMs: number[];
  peakMib: number;
}

function checkPdf(pdf: Buffer, name: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'bench-sign-'));
  const file = join(folder, 'signed.pdf');
  writeFileSync(file, pdf);
  const text = execFileSync('pdfsig', ['-nocert', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  if (!text.includes('Signature is Valid.')) throw new Error(`${name} made an invalid signature: ${text}`);
}

/** Additional memory at the end of one run without garbage collection. */
async function peakOf({ sign }: SignContender, document: Buffer): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage();
  await sign(document);
  const after = process.memoryUsage();
  return (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / MIB;
}

async function runOnce({ contender, cpuMs, wallMs }: Runner, document: Buffer): Promise<void> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await contender.sign(document);
  wallMs.push(performance.now() - startedAt);
  const { user, system } = process.cpuUsage(cpuBefore);
  cpuMs.push((user + system) / 1000);
}

async function measure(
  name: string,
  document: Buffer,
  contenders: readonly SignContender[],
  seconds: number,
): Promise<void> {
  const runners: Runner[] = contenders.map((contender) => ({ contender, cpuMs: [], wallMs: [], peakMib: 0 }));
  for (const runner of runners) {
    const signed = await runner.contender.sign(document);
    if (signed !== document && signed.toString('latin1', 0, 5) === '%PDF-')
      checkPdf(signed, runner.contender.name);
    for (let run = 0; run < WARM_UP_RUNS; run++) await runner.contender.sign(document);
    runner.peakMib = await peakOf(runner.contender, document);
  }
  const until = performance.now() + seconds * 1000;
  do for (const runner of runners) await runOnce(runner, document);
  while (performance.now() < until);
  process.stdout.write(`\n${name}, ${runners[0]?.cpuMs.length} runs each\n`);
  console.table(
    runners.map(({ contender, cpuMs, wallMs, peakMib }) => ({
      contender: contender.name,
      'CPU ms p50': percentile(cpuMs, 0.5).toFixed(1),
      'wall ms p50': percentile(wallMs, 0.5).toFixed(1),
      'wall ms p95': percentile(wallMs, 0.95).toFixed(1),
      'memory MiB': peakMib.toFixed(1),
    })),
  );
}

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string', default: '' } },
});
// node-forge reads only certificates of RSA keys.
const pki = await createPki({ authorityKeyType: 'rsa-2048' });
const rsa = await pki.issue({ name: 'RSA', keyType: 'rsa-2048' });
const ec = await pki.issue({ name: 'EC', keyType: 'p-256' });
const common = [
  await ours('ours, RSA-2048', rsa),
  await ours('ours, P-256', ec),
  await ours('ours, RSA-2048, audit trail with pages', rsa, true),
];
const pdf = [...common, await signpdf(rsa), floor(rsa.privateKey), floor(ec.privateKey)];
const tasks: [string, Buffer, SignContender[]][] = [
  ['PDF of 100 KB', heavyPdf(100_000), pdf],
  ['PDF of 20 MB', heavyPdf(20_000_000), pdf],
  ['DOCX of 48 KB', contractWith([]), common],
];
for (const [name, document, contenders] of tasks)
  if (name.includes(options.only)) await measure(name, document, contenders, Number(options.seconds));
await pki.close();
