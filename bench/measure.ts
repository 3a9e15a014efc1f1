import { cpuSecondsOfTree, type Memory, memoryOf, processTree } from '@scriptorium/testing/processes';
import type { Contender } from './contenders.ts';
import { type DocumentKind, makeDocument } from './documents.ts';

const SAMPLE_MS = 40;

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export interface Sample {
  latenciesMs: number[];
  cpuSeconds: number;
  wallMs: number;
}

/** Converts `count` documents of a kind with `callers` concurrent callers. */
export async function sample(
  contender: Contender,
  kind: DocumentKind,
  count: number,
  callers: number,
): Promise<Sample> {
  const latenciesMs: number[] = [];
  // Created before the clock starts: only the engines are measured.
  const documents = Array.from({ length: count }, () => makeDocument(kind));
  const cpuSeconds = () =>
    cpuSecondsOfTree() + (contender.root === undefined ? 0 : cpuSecondsOfTree(contender.root));
  const cpuBefore = cpuSeconds();
  const startedAt = performance.now();
  const caller = async () => {
    for (let docx = documents.pop(); docx !== undefined; docx = documents.pop()) {
      const sentAt = performance.now();
      const pdf = await contender.convert(docx);
      latenciesMs.push(performance.now() - sentAt);
      if (pdf.toString('latin1', 0, 5) !== '%PDF-') throw new Error(`${contender.name} did not give a PDF`);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const wallMs = performance.now() - startedAt;
  return { latenciesMs, wallMs, cpuSeconds: cpuSeconds() - cpuBefore };
}

/**
 * The highest memory of a contender's processes while it converts. A separate pass, because the measurement takes time.
 */
export async function peakMemory(
  contender: Contender,
  kind: DocumentKind,
  count: number,
): Promise<Memory | undefined> {
  const { owns } = contender;
  if (owns === undefined) return undefined;
  const peak: Memory = { pssMiB: 0, rssMiB: 0 };
  const look = () => {
    const now = memoryOf(processTree(contender.root).filter(owns));
    peak.pssMiB = Math.max(peak.pssMiB, now.pssMiB);
    peak.rssMiB = Math.max(peak.rssMiB, now.rssMiB);
  };
  const timer = setInterval(look, SAMPLE_MS);
  try {
    await sample(contender, kind, count, 1);
    look();
  } finally {
    clearInterval(timer);
  }
  return peak;
}
