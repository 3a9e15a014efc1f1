import { describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/shared/testing/fixtures/docx';
import { convert } from '../src/convert.ts';
import {
  type Engine,
  EngineError,
  type EngineErrorKind,
  type EngineResult,
  type EngineRun,
} from '../src/engine.ts';

const REQUEST = { from: 'docx', to: 'pdf' } as const;
const DOCUMENT = docxWith(['text']);
const RESULT: EngineResult = {
  bytes: Buffer.from('%PDF-'),
  pages: 1,
  documentPages: 1,
  missingFonts: [],
  timings: { waitMs: 1, runMs: 2 },
};

/** An engine that answers with the next of its outcomes on each run, and keeps what it was asked. */
function engineThat(
  name: string,
  ...outcomes: (EngineErrorKind | EngineResult | (() => Promise<EngineResult>))[]
) {
  const runs: EngineRun[] = [];
  const engine: Engine = {
    name,
    start: async () => {},
    close: async () => {},
    health: () => ({ ready: true, slots: 1, running: 0, waiting: 0 }),
    convert: async (_input, _request, run) => {
      runs.push(run);
      const outcome = outcomes.shift();
      if (outcome === undefined) throw new Error(`${name} was asked once too often`);
      if (typeof outcome === 'function') return await outcome();
      if (typeof outcome === 'string') throw new EngineError(outcome, `it was ${outcome}`);
      return outcome;
    },
  };
  return { engine, runs };
}

function attempt(
  engines: Engine[],
  { input = DOCUMENT, ms = 10_000, signal = new AbortController().signal } = {},
) {
  return convert(engines, input, REQUEST, { signal, deadlineAt: Date.now() + ms });
}

describe('a conversion', () => {
  test('gives the bytes, their type and pages, and how they came about', async () => {
    const { engine, runs } = engineThat('first', RESULT);
    expect(await attempt([engine])).toMatchObject({
      bytes: RESULT.bytes,
      pages: 1,
      contentType: 'application/pdf',
      engine: 'first',
      attempts: 1,
      timings: { waitMs: 1, runMs: 2 },
    });
    expect(runs).toHaveLength(1);
  });

  test('refuses what is not a document before any engine sees it', async () => {
    const { engine, runs } = engineThat('first');
    await expect(attempt([engine], { input: Buffer.from('%PDF-1.7') })).rejects.toMatchObject({
      code: 'INVALID_FILE_FORMAT',
    });
    expect(runs).toHaveLength(0);
  });

  test('is tried once more after a crash, on the same engine, which is fresh', async () => {
    const { engine } = engineThat('first', 'crashed', RESULT);
    expect(await attempt([engine])).toMatchObject({ engine: 'first', attempts: 2 });
  });

  test('is tried twice and no more', async () => {
    const { engine, runs } = engineThat('first', 'crashed', 'crashed');
    const other = engineThat('second', RESULT);
    await expect(attempt([engine, other.engine])).rejects.toMatchObject({
      code: 'CONVERSION_FAILED',
      status: 500,
    });
    expect([runs.length, other.runs.length]).toEqual([2, 0]);
  });

  test('goes to the other engine when the first is away', async () => {
    const { engine } = engineThat('first', 'unavailable', 'unavailable');
    const other = engineThat('second', RESULT);
    expect(await attempt([engine, other.engine])).toMatchObject({ engine: 'second', attempts: 1 });
  });

  test('goes to the other engine when the first crashed and is now away', async () => {
    const { engine } = engineThat('first', 'crashed', 'unavailable');
    const other = engineThat('second', RESULT);
    expect(await attempt([engine, other.engine])).toMatchObject({ engine: 'second', attempts: 2 });
  });

  test('says when no engine is there at all', async () => {
    await expect(attempt([])).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 });
  });

  test.each([
    ['unreadable', 'INVALID_FILE_FORMAT'],
    ['exhausted', 'DOCUMENT_TOO_COMPLEX'],
  ] as const)('is not repeated when it is %s', async (kind, code) => {
    const { engine, runs } = engineThat('first', kind);
    await expect(attempt([engine])).rejects.toMatchObject({ code, status: 400 });
    expect(runs).toHaveLength(1);
  });

  test('that outlasts the engine twice is too complex', async () => {
    const { engine } = engineThat('first', 'timeout', 'timeout');
    await expect(attempt([engine])).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
  });

  test('that reaches the deadline is not tried again', async () => {
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      throw new EngineError('timeout', 'late');
    };
    const { engine, runs } = engineThat('first', late, RESULT);
    await expect(attempt([engine], { ms: 50 })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(runs[0]?.timeoutMs).toBeLessThanOrEqual(50);
  });

  test('whose caller is gone is not tried again', async () => {
    const caller = new AbortController();
    const gone = async () => {
      caller.abort();
      throw new EngineError('aborted', 'gone');
    };
    const { engine, runs } = engineThat('first', gone, RESULT);
    await expect(attempt([engine], { signal: caller.signal })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    expect(runs).toHaveLength(1);
  });

  test('with more pages than the limit is too complex, and says so', async () => {
    const { engine } = engineThat('first', { ...RESULT, documentPages: 5_001 });
    await expect(attempt([engine])).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: expect.stringContaining('5000'),
    });
  });

  test('does not hide a fault of the program as one of the document', async () => {
    const { engine } = engineThat('first', async () => {
      throw new TypeError('a bug');
    });
    await expect(attempt([engine])).rejects.toThrow(TypeError);
  });
});
