import {
  type ComparedRevisions,
  type ComparisonRequest,
  compareRevisions,
} from '@scriptorium/rendering/compare-revisions';
import { threadData } from '@scriptorium/shared/threads/thread';
import { countAskedThread } from '@scriptorium/shares/thread-cpu';
import { compareWithPoppler, type PopplerOptions } from './poppler.ts';

/** The data that the thread starts with: a PDF of a blank page. */
export interface RenderThreadData {
  blank: Uint8Array;
  poppler?: PopplerOptions | undefined;
}

/** Rounds after which most of the code is compiled. */
const WARM_UP_ROUNDS = 3;

/** Resolves once PDFium has rendered a page of its own. */
export async function ready(): Promise<void> {
  const bytes = Buffer.from(threadData<RenderThreadData>().blank);
  const end = bytes.length;
  const page = { page: 0, fields: [], annotations: [], added: [], unsure: [], isPrintedToo: true };
  const comparisons = [{ before: end, now: end, pages: [page] }];
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    const { pictures } = await compare({ bytes, comparisons, pictures: [{ end, page: 0 }] });
    if (pictures[0] === undefined) throw new Error('PDFium rendered no picture');
  }
}

export async function compare(request: ComparisonRequest): Promise<ComparedRevisions> {
  const compared = await compareRevisions(request);
  // After the answer. The next thread starts with little memory again.
  if (compared.isSpent) setImmediate(() => process.exit());
  return compared;
}

/** The same with Poppler. Its time counts as time of this thread. */
export async function compareAgain(request: ComparisonRequest): Promise<ComparedRevisions> {
  const { poppler } = threadData<RenderThreadData>();
  if (poppler === undefined) throw new Error('there is no second reader');
  const { compared, cpuMs } = await compareWithPoppler(request, poppler);
  countAskedThread(cpuMs);
  return compared;
}
