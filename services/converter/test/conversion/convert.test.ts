import { describe, expect, test } from '@jest/globals';
import { convertOptions } from '@scriptorium/contracts/jobs/convert';
import { conform } from '@scriptorium/pdf/conformance';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { convert } from '../../src/conversion/convert.ts';
import {
  type Engine,
  EngineError,
  type EngineErrorKind,
  type EngineResult,
  type EngineRun,
  KilledError,
  NoSuchPageError,
} from '../../src/engines/engine.ts';
import type { Finish } from '../../src/threads/threads.ts';

const OPTIONS = convertOptions.parse({ from: 'docx' });
const FONTS = { substituteFor: async () => 'Some Serif', missingScripts: async () => [] };
const DOCUMENT = docxWith(['text']);
const RESULT: EngineResult = {
  bytes: Buffer.from('%PDF-'),
  pages: 1,
  documentPages: 1,
  missingFonts: [],
  timings: { waitMs: 1, runMs: 2 },
};

/** An engine that returns the next of its outcomes on each run, and records its requests. */
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
      if (outcome === undefined) throw new Error(`${name} was called too often`);
      if (typeof outcome === 'function') return await outcome();
      if (typeof outcome === 'string') throw new EngineError(outcome, `it was ${outcome}`);
      return outcome;
    },
  };
  return { engine, runs };
}

function attempt(
  engines: Engine[],
  { input = DOCUMENT, ms = 10_000, signal = new AbortController().signal, options = OPTIONS } = {},
) {
  const parts = {
    engines,
    prepare: ({ bytes }: { bytes: Uint8Array }) => prepare(Buffer.from(bytes), options),
    fonts: FONTS,
    finish: async ({ bytes, claims }: Parameters<Finish>[0]) => ({ ...conform(bytes, claims), removed: [] }),
    draw: () => Promise.reject(new Error('no image is asked for')),
    onRemoved: () => {},
  };
  return convert(parts, input, options, { signal, deadlineAt: Date.now() + ms });
}

describe('a conversion', () => {
  test('returns the bytes, their type, the page count and a report', async () => {
    const { engine, runs } = engineThat('first', RESULT);
    expect(await attempt([engine])).toMatchObject({
      bytes: RESULT.bytes,
      contentType: 'application/pdf',
      report: {
        pages: 1,
        fonts: { replaced: [], missingScripts: [] },
        dropped: { count: 0, items: [] },
        macros: false,
        engine: { name: 'first', attempts: 1 },
        timings: { waitMs: 1, engineMs: 2 },
      },
    });
    expect(runs).toHaveLength(1);
  });

  test('refuses a file that is not a document before it reaches an engine', async () => {
    const { engine, runs } = engineThat('first');
    await expect(attempt([engine], { input: Buffer.from('%PDF-1.7') })).rejects.toMatchObject({
      code: 'INVALID_FILE_FORMAT',
    });
    expect(runs).toHaveLength(0);
  });

  test('reports replaced fonts, and refuses them for strict callers', async () => {
    const replaced = { ...RESULT, missingFonts: [{ asked: 'Garamond' }] };
    const lax = await attempt([engineThat('first', replaced).engine]);
    expect(lax.report.warnings).toBe(1);
    expect(lax.report.fonts.replaced).toEqual([{ asked: 'Garamond', used: 'Some Serif' }]);
    const strict = { ...OPTIONS, strictFonts: 'true' as const };
    await expect(attempt([engineThat('first', replaced).engine], { options: strict })).rejects.toMatchObject({
      code: 'FONT_UNAVAILABLE',
      status: 422,
      details: [{ field: 'file', issue: 'the font “Garamond” is not installed' }],
    });
    await attempt([engineThat('first', RESULT).engine], { options: strict });
  });

  test('lists fonts of the same widths apart, and refuses them only for exact callers', async () => {
    const missingFonts = [
      { asked: 'Calibri', used: 'Carlito' },
      { asked: 'Cambria', used: 'Caladea' },
    ];
    const { report } = await attempt([engineThat('first', { ...RESULT, missingFonts }).engine]);
    expect(report.fonts).toMatchObject({ sameWidths: [missingFonts[0]], replaced: [missingFonts[1]] });
    expect(report.warnings).toBe(1);
    const onlySame = { ...RESULT, missingFonts: missingFonts.slice(0, 1) };
    const strict = { ...OPTIONS, strictFonts: 'true' as const };
    await attempt([engineThat('first', onlySame).engine], { options: strict });
    const exact = { ...OPTIONS, strictFonts: 'exact' as const };
    await expect(attempt([engineThat('first', onlySame).engine], { options: exact })).rejects.toMatchObject({
      code: 'FONT_UNAVAILABLE',
      details: [{ field: 'file', issue: 'the font “Calibri” is not installed' }],
    });
  });

  test('reports no fonts if its engine cannot detect them', async () => {
    const silent = { ...RESULT, missingFonts: undefined };
    expect((await attempt([engineThat('first', silent).engine])).report.fonts.replaced).toBeUndefined();
    const strict = { ...OPTIONS, strictFonts: 'true' as const };
    await expect(attempt([engineThat('first', silent).engine], { options: strict })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  test('names a requested page that the document does not have', async () => {
    const { engine } = engineThat('first', () => Promise.reject(new NoSuchPageError(5, 2)));
    await expect(attempt([engine])).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'pages', issue: 'asks for page 5; the document has 2 pages' }],
    });
  });

  test('is retried once after a crash, on the same engine, which is fresh', async () => {
    const { engine } = engineThat('first', 'crashed', RESULT);
    expect(await attempt([engine])).toMatchObject({
      report: { engine: { name: 'first', attempts: 2 } },
    });
  });

  const crash = (message: string) => () => Promise.reject(new EngineError('crashed', message));

  test('is tried at most twice, and blamed for two equal crashes', async () => {
    const { engine, runs } = engineThat('first', crash('ended by signal 11'), crash('ended by signal 11'));
    const other = engineThat('second', RESULT);
    await expect(attempt([engine, other.engine])).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      status: 422,
    });
    expect([runs.length, other.runs.length]).toEqual([2, 0]);
  });

  test('is not blamed for two different crashes, nor for an engine that was killed twice', async () => {
    const { engine } = engineThat('first', crash('ended by signal 11'), crash('ended by exit 1'));
    await expect(attempt([engine])).rejects.toMatchObject({ code: 'CONVERSION_FAILED', status: 500 });
    const kill = () => Promise.reject(new KilledError('ended by signal 9'));
    await expect(attempt([engineThat('first', kill, kill).engine])).rejects.toMatchObject({ status: 503 });
  });

  test('uses the other engine if the first is unavailable', async () => {
    const { engine } = engineThat('first', 'unavailable', 'unavailable');
    const other = engineThat('second', RESULT);
    expect(await attempt([engine, other.engine])).toMatchObject({
      report: { engine: { name: 'second', attempts: 1 } },
    });
  });

  test('uses the other engine if the first crashed and is then unavailable', async () => {
    const { engine } = engineThat('first', 'crashed', 'unavailable');
    const other = engineThat('second', RESULT);
    expect(await attempt([engine, other.engine])).toMatchObject({
      report: { engine: { name: 'second', attempts: 2 } },
    });
  });

  test('uses the other engine if the first lacks the option, and fails if all lack it', async () => {
    const { engine } = engineThat('first', 'unsupported', 'unsupported');
    const other = engineThat('second', RESULT);
    expect((await attempt([engine, other.engine])).report.engine).toMatchObject({
      name: 'second',
      attempts: 1,
    });
    const lacking = engineThat('first', 'unsupported', 'unsupported');
    await expect(attempt([lacking.engine])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('reports that no engine is available', async () => {
    await expect(attempt([])).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 });
  });

  test.each([
    ['unreadable', 'INVALID_FILE_FORMAT'],
    ['exhausted', 'DOCUMENT_TOO_COMPLEX'],
  ] as const)('is not repeated if it is %s', async (kind, code) => {
    const { engine, runs } = engineThat('first', kind);
    await expect(attempt([engine])).rejects.toMatchObject({ code, status: 400 });
    expect(runs).toHaveLength(1);
  });

  test('misses its deadline, but is not blamed, if it runs out of time by the clock', async () => {
    const { engine, runs } = engineThat('first', 'timeout');
    await expect(attempt([engine])).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(runs).toHaveLength(1);
  });

  test('is not retried after the deadline', async () => {
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 550));
      throw new EngineError('timeout', 'late');
    };
    const { engine, runs } = engineThat('first', late, RESULT);
    await expect(attempt([engine], { ms: 500 })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(runs[0]?.timeoutMs).toBeLessThanOrEqual(500);
  });

  test('is not retried if its caller has disconnected', async () => {
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

  test('is too complex if the document exceeds the page limit, and names the limit', async () => {
    const { engine } = engineThat('first', { ...RESULT, documentPages: 5_001 });
    await expect(attempt([engine])).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: expect.stringContaining('5000'),
    });
  });

  test('does not report a program error as a document error', async () => {
    const { engine } = engineThat('first', async () => {
      throw new TypeError('a bug');
    });
    await expect(attempt([engine])).rejects.toThrow(TypeError);
  });
});
