import { getPriority } from 'node:os';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Conversion, conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { conform as conformPdf } from '@scriptorium/pdf/conformance';
import type { Prepared } from '@scriptorium/sanitizer/sanitize';
import { PutBack } from '@scriptorium/shared/queue/crew';
import type { JobShare } from '@scriptorium/shared/queue/job-handler';
import { SlowLane } from '@scriptorium/shares/lane';
import { inTask } from '@scriptorium/shares/task';
import { testInWhole } from '@scriptorium/testing/extent';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { convertWith } from '../../src/conversion/convert.ts';
import { systemFonts } from '../../src/conversion/fonts.ts';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { type FairConvert, fairly } from '../../src/shares/fair-convert.ts';
import { KnownCosts } from '../../src/shares/known-costs.ts';
import type { Finish } from '../../src/threads/threads.ts';
import { slowDocument } from '../engines/engine.suite.ts';
import { textOf } from '../rigs/pdf-text.ts';
import { busyProcesses, until } from '../rigs/processes.ts';

type Tail<List extends unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;

const options: Conversion = conversion.parse(convertOptions.parse({ from: 'docx' }));
const engine = new LibreOfficeKitEngine({ zygotes: 1 });
let lane: SlowLane;
let convert: (bytes: Buffer, ...more: Tail<Parameters<FairConvert>>) => ReturnType<FairConvert>;
let runs = 0;

beforeAll(async () => {
  await engine.start();
  lane = new SlowLane({ slots: 1, afterMs: 3_000, documentsMax: 2 });
  const facts = {
    ...{ revisions: { insertions: 0, deletions: 0, moves: 0, formatting: 0 }, comments: 0 },
    ...{
      frozenFields: {},
      scripts: [],
      hasBlankPages: false,
      dropped: { count: 0, seenCount: 0, hasMacros: false, items: [] },
    },
  };
  const prepare = async ({ bytes }: { bytes: Uint8Array }): Promise<Prepared> => {
    runs++;
    return { bytes: Buffer.from(bytes), engineSource: 'docx', facts };
  };
  const finish: Finish = async ({ bytes, claims }) => ({ ...conformPdf(bytes, claims), removed: [] });
  const parts = {
    engines: [engine],
    fonts: systemFonts(),
    prepare,
    finish,
    draw: () => Promise.reject(new Error('no image is asked for')),
    onRemoved: () => {},
  };
  const fair = fairly(convertWith(parts), new KnownCosts());
  convert = async (bytes, options, context, share) => {
    const stepAside = () => share.stepAside();
    const turn = lane.enter({ ...share, stepAside, anotherWaits: async () => false });
    const work = () => fair(async () => bytes, options, context, share);
    return await inTask({ turn, spend: share.spend }, work).finally(() => turn.end());
  };
});
beforeEach(() => until('no earlier document is left', () => busyProcesses().length === 0));
afterAll(() => engine.close());

function shareOf(owner: string): JobShare & { spentMs: number; asides: number } {
  const share = {
    ...{ owner, isOverBudget: false, starts: 1, spentMs: 0, asides: 0 },
    spend: (ms: number) => {
      share.spentMs += ms;
    },
    stepAside: () => {
      share.asides++;
    },
  };
  return share;
}

const context = (signal = new AbortController().signal) => ({ signal, deadlineAt: Date.now() + 150_000 });

test('a slow document frees the only slot and yields the processor, and a quick one of another owner is made', async () => {
  const caller = new AbortController();
  const share = shareOf('ada');
  const slow = convert(slowDocument, options, context(caller.signal), share).catch((error) => error.code);
  const child = await until('the slow document runs', () => busyProcesses()[0]);
  expect(getPriority(child.pid)).toBe(getPriority(0));
  await until('it is slow', () => lane.slowCount === 1);
  expect(getPriority(child.pid)).toBe(15);
  expect(share.asides).toBe(1);
  const { bytes } = await convert(docxWith(['quick']), options, context(), shareOf('ben'));
  expect(textOf(bytes)).toBe('quick');
  // It did not wait for the slow one, which still runs.
  expect(lane.slowCount).toBe(1);
  // The same document again begins in the lane, because another owner is about.
  const again = convert(slowDocument, options, context(caller.signal), shareOf('ada')).catch(() => 'ended');
  const isLow = ({ pid }: { pid: number }) => getPriority(pid) === 15;
  await until('both run at low priority', () => busyProcesses().filter(isLow).length === 2);
  caller.abort();
  expect(await slow).toBe('DEADLINE_EXCEEDED');
  await again;
  expect(share.spentMs).toBeGreaterThan(100);
  await until('nothing is left of them', () => busyProcesses().length === 0);
});

test('the processor time of a quick document counts, measured and not by the clock', async () => {
  const share = shareOf('ben');
  await convert(docxWith(['counted']), options, context(), share);
  expect(share.spentMs).toBeGreaterThan(0);
  expect(share.spentMs).toBeLessThan(5_000);
});

testInWhole('a document that was refused for its cost is refused again without an engine', async () => {
  const costly = docxWith(Array.from({ length: 60_000 }, (_, i) => `Paragraph ${i}`));
  const first = convert(costly, options, context(), shareOf('ada')).catch((error) => error);
  const child = await until('it runs', () => busyProcesses()[0]);
  // As the kernel does at the limit on processor time.
  process.kill(child.pid, 'SIGXCPU');
  const error = await first;
  expect(error).toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
  const before = runs;
  await expect(convert(costly, options, context(), shareOf('cleo'))).rejects.toMatchObject({
    code: 'DOCUMENT_TOO_COMPLEX',
    message: error.message,
  });
  expect(runs).toBe(before);
  // With other options it may cost less.
  const other = convert(costly, { ...options, pages: '1' }, context(), shareOf('ada')).catch((it) => it);
  const { pid } = await until('it runs', () => busyProcesses()[0]);
  expect(runs).toBe(before + 1);
  process.kill(pid, 'SIGXCPU');
  await other;
});

test('a document whose engine is killed from outside twice goes to another worker, and is not blamed', async () => {
  const killed = convert(slowDocument, options, context(), shareOf('ada')).catch((error) => error);
  const first = await until('it runs', () => busyProcesses()[0]);
  process.kill(first.pid, 'SIGKILL');
  const second = await until('it runs again', () => busyProcesses().find(({ pid }) => pid !== first.pid));
  process.kill(second.pid, 'SIGKILL');
  const error = await killed;
  expect(error).toBeInstanceOf(PutBack);
  expect(error.instead).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 });
});
