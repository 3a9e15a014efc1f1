import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { documentXml, docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { type Engine, EngineError, type EngineResult, type EngineRun } from '../../src/engines/engine.ts';
import { pagesOf, textOf } from '../rigs/pdf-text.ts';
import { descendants, filesUnder, type Process, until } from '../rigs/processes.ts';

const REQUEST = { from: 'docx', to: 'pdf' } as const;
const LINE =
  'Some words that fill a line, so that the engine has something to lay out and is busy for a while. ';

/** A document that keeps any engine busy for seconds. */
export const slowDocument = docxWith(Array.from({ length: 12_000 }, (_, i) => `${i} ${LINE.repeat(4)}`));

export function run(
  engine: Engine,
  input: Uint8Array,
  timeoutMs = 150_000,
  signal: EngineRun['signal'] = new AbortController().signal,
): Promise<EngineResult> {
  return engine.convert(input, REQUEST, { timeoutMs, signal });
}

/** The PDF of a conversion; undefined if the engine gives the document up. */
export async function pdfOrNone(converting: Promise<{ bytes: Buffer }>): Promise<Buffer | undefined> {
  try {
    return (await converting).bytes;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return undefined;
  }
}

export interface EngineUnderTest {
  /** Makes an engine with that many slots that works below the given directory. */
  make(slots: number, workRoot: string): Engine;
  /** The process that is converting a document just now, if there is one. */
  busyProcess(): Process | undefined;
}

/** The contract of every engine, whatever its implementation. */
export function describeEngine(name: string, { make, busyProcess }: EngineUnderTest): void {
  describe(`the ${name} engine`, () => {
    const workRoot = mkdtempSync(join(tmpdir(), 'engine-suite-'));
    const engine = make(2, workRoot);
    beforeAll(() => engine.start());
    afterAll(async () => {
      await engine.close();
      const left = { directories: readdirSync(workRoot), processes: descendants() };
      rmSync(workRoot, { recursive: true });
      expect(left).toEqual({ directories: [], processes: [] });
    });

    /** Document bytes in work directories; the engine's own files are not counted. */
    const documents = () => filesUnder(workRoot).filter((path) => /\/(input|output)\./.test(path));
    const isClean = () => documents().length === 0 && busyProcess() === undefined;

    test('converts a document to a PDF with its text', async () => {
      const result = await run(engine, docxWith(['Grüße aus dem Skriptorium', 'Ἐν ἀρχῇ ἦν ὁ λόγος']));
      expect(textOf(result.bytes)).toBe('Grüße aus dem Skriptorium Ἐν ἀρχῇ ἦν ὁ λόγος');
      expect(result.pages).toBe(1);
      expect(result.timings.runMs).toBeGreaterThan(0);
    });

    test('counts the pages that it wrote, including blank ones', async () => {
      const breaks = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'.repeat(3);
      const odd = '<w:p><w:pPr><w:sectPr><w:type w:val="oddPage"/></w:sectPr></w:pPr></w:p>';
      const mainXml = documentXml(['one']).replace(
        '<w:sectPr>',
        `${breaks}${odd}<w:sectPr><w:type w:val="oddPage"/>`,
      );
      const result = await run(engine, zip(packageEntries({ mainXml })));
      expect(result.pages).toBeGreaterThan(3);
      expect(result.pages).toBe(pagesOf(result.bytes));
    });

    test('reports a damaged document as unreadable, and then converts a good one', async () => {
      const whole = docxWith(['text']);
      await expect(run(engine, whole.subarray(0, whole.length / 2))).rejects.toMatchObject({
        kind: 'unreadable',
      });
      expect(textOf((await run(engine, whole)).bytes)).toBe('text');
    });

    test('does not accept plain text as a document', async () => {
      await expect(run(engine, Buffer.from('Just a line of text.'))).rejects.toMatchObject({
        kind: 'unreadable',
      });
    });

    test('does not accept HTML as a document', async () => {
      const html = Buffer.from('<!DOCTYPE html><html><body><p>Hypertext</p></body></html>');
      await expect(run(engine, html)).rejects.toMatchObject({ kind: 'unreadable' });
    });

    test('returns to each of many concurrent callers their own document', async () => {
      const names = Array.from({ length: 6 }, (_, i) => `Document number ${i}`);
      const results = await Promise.all(names.map((text) => run(engine, docxWith([text]))));
      expect(results.map(({ bytes }) => textOf(bytes))).toEqual(names);
    });

    test('aborts at once if the caller has already canceled', async () => {
      const pending = run(engine, docxWith(['late']), 60_000, AbortSignal.abort());
      await expect(pending).rejects.toMatchObject({ kind: 'aborted' });
    });

    test('stops a conversion that its caller aborts, and leaves nothing of it', async () => {
      const caller = new AbortController();
      const pending = expect(run(engine, slowDocument, 60_000, caller.signal)).rejects.toMatchObject({
        kind: 'aborted',
      });
      await until('the conversion runs', busyProcess);
      const abortedAt = performance.now();
      caller.abort();
      await pending;
      expect(performance.now() - abortedAt).toBeLessThan(20_000);
      await until('nothing is left', isClean);
    });

    test('stops a conversion that exceeds its time, and leaves nothing of it', async () => {
      const startedAt = performance.now();
      await expect(run(engine, slowDocument, 700)).rejects.toMatchObject({ kind: 'timeout' });
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      await until('nothing is left', isClean);
    });

    test('is unavailable for a document that gets no free slot in time', async () => {
      const caller = new AbortController();
      const long = [1, 2].map(() =>
        run(engine, slowDocument, 60_000, caller.signal).catch((error) => error.kind),
      );
      await until('both slots are taken', () => engine.health().running === 2);
      await expect(run(engine, docxWith(['waits']), 200)).rejects.toMatchObject({ kind: 'unavailable' });
      expect(engine.health().waiting).toBe(0);
      caller.abort();
      expect(await Promise.all(long)).toEqual(['aborted', 'aborted']);
    });

    test('reports a killed process as a crash, and converts the next document', async () => {
      const pending = expect(run(engine, slowDocument)).rejects.toMatchObject({ kind: 'crashed' });
      const { pid } = await until('the conversion runs', busyProcess);
      process.kill(pid, 'SIGKILL');
      await pending;
      expect(textOf((await run(engine, docxWith(['alive']))).bytes)).toBe('alive');
    });

    test('keeps no document after its response', async () => {
      await run(engine, docxWith(['gone']));
      await until('nothing is left', isClean);
    });

    test('ends a running conversion when it closes, and accepts no more', async () => {
      const other = make(1, workRoot);
      await other.start();
      const pending = run(other, slowDocument);
      const failed = expect(pending).rejects.toMatchObject({ name: 'EngineError' });
      await until('the conversion runs', busyProcess);
      await other.close();
      await failed;
      expect(other.health().ready).toBe(false);
      await expect(other.start()).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(run(other, docxWith(['late']))).rejects.toMatchObject({ kind: 'unavailable' });
      await until('nothing is left', isClean);
    });
  });
}
