import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { few, testInWhole } from '@scriptorium/testing/extent';
import { SourceRouter } from '../../../src/engines/kit/source-router.ts';
import {
  documentInFonts,
  documentWithStaleContents,
  htmlWith,
  pagesOfText,
  rtfWith,
  writtenByOffice,
} from '../../rigs/documents.ts';
import { textOf } from '../../rigs/pdf-text.ts';
import { descendants, until } from '../../rigs/processes.ts';
import { make } from '../formats.suite.ts';

const zygotes = () =>
  descendants().filter(({ parent, name }) => parent === process.pid && name === 'engine-host');

describe('a family of zygotes', () => {
  testInWhole('runs from the first document in its format until some time after the last', async () => {
    const engine = new SourceRouter({ zygotes: 1, idleMs: 3_000 });
    await engine.start();
    expect(zygotes()).toHaveLength(1);
    const both = await Promise.all(
      ['One', 'Two'].map((words) => make(engine, rtfWith(words), { from: 'rtf' })),
    );
    expect(zygotes()).toHaveLength(2);
    expect(both.map(({ bytes }) => textOf(bytes))).toEqual(['One', 'Two']);
    await until('the family has ended', () => zygotes().length === 1);
    expect(textOf((await make(engine, rtfWith('Again'), { from: 'rtf' })).bytes)).toBe('Again');
    await engine.close();
    expect(descendants()).toEqual([]);
  });

  test('ends if the engine closes while it starts, and its document fails', async () => {
    const engine = new SourceRouter({ zygotes: 1 });
    await engine.start();
    const pending = expect(make(engine, rtfWith('text'), { from: 'rtf' })).rejects.toMatchObject({
      name: 'EngineError',
    });
    await engine.close();
    await pending;
    expect(descendants()).toEqual([]);
  });

  testInWhole('does not affect the next one if it fails to start', async () => {
    const workRoot = mkdtempSync(join(tmpdir(), 'router-test-'));
    const engine = new SourceRouter({ zygotes: 1, idleMs: 300, workRoot });
    await engine.start();
    renameSync(workRoot, `${workRoot}-away`);
    const left = { timeoutMs: 1_000, signal: AbortSignal.abort() };
    const pending = engine.convert(rtfWith('text'), { from: 'rtf', to: 'pdf' }, left);
    await expect(pending).rejects.toMatchObject({ kind: 'aborted' });
    // Waits until its start has failed.
    await expect(make(engine, rtfWith('text'), { from: 'rtf' })).rejects.toMatchObject({
      kind: 'unavailable',
    });
    renameSync(`${workRoot}-away`, workRoot);
    expect(textOf((await make(engine, rtfWith('Next'), { from: 'rtf' })).bytes)).toBe('Next');
    await engine.close();
    expect(descendants()).toEqual([]);
    rmSync(workRoot, { recursive: true });
  });

  test('keeps a caller no longer than their time limit while it starts', async () => {
    const engine = new SourceRouter({ zygotes: 1 });
    await engine.start();
    const run = { timeoutMs: 50, signal: new AbortController().signal };
    const pending = engine.convert(rtfWith('text'), { from: 'rtf', to: 'pdf' }, run);
    await expect(pending).rejects.toMatchObject({ kind: 'unavailable' });
    await engine.close();
  });
});

describe('the libreofficekit engine', () => {
  const engine = new SourceRouter({ zygotes: 1 });
  beforeAll(() => engine.start());
  afterAll(() => engine.close());

  test('reads only its own format in each family', async () => {
    const { doc, odt } = await writtenByOffice('Words');
    const files = {
      docx: pagesOfText(['Words']),
      doc,
      odt,
      rtf: rtfWith('Words'),
      html: htmlWith('Words'),
      txt: Buffer.from('Words, and no more than that.\n'),
    } as const;
    // Each family that is asked costs a start.
    const sources = few(['docx', 'odt', 'rtf', 'doc', 'html'] as const, 2, 3);
    const readable: string[] = [];
    for (const from of sources) {
      for (const [is, bytes] of Object.entries(files)) {
        const outcome = await make(engine, bytes, { from }).then(
          () => 'read',
          (error) => error.kind,
        );
        if (outcome !== 'unreadable') readable.push(`${is} as ${from}: ${outcome}`);
      }
    }
    expect(readable).toEqual(sources.map((source) => `${source} as ${source}: read`));
  });

  test.each([{ isWrapped: true }, { isWrapped: false }])(
    'updates a table of contents if requested (%j)',
    async (kind) => {
      const headings = Array.from({ length: 60 }, (_, i) => `Chapter ${i + 1}`);
      const document = documentWithStaleContents(headings, kind);
      const [stale, toc, all] = [
        await make(engine, document, {}),
        await make(engine, document, { updateFields: 'toc' }),
        await make(engine, document, { updateFields: 'all' }),
      ];
      expect(textOf(stale.bytes)).toContain('Stale heading');
      expect(stale.documentPages).toBe(61);
      for (const { bytes, documentPages, timings } of [toc, all]) {
        const text = textOf(bytes);
        expect(text).not.toContain('Stale heading');
        // The contents take two pages now.
        expect(documentPages).toBe(62);
        expect(text).toMatch(/Chapter 1 ?\.* ?3 Chapter 2 ?\.* ?4 /);
        expect(text).toMatch(/Chapter 60 ?\.* ?62 /);
        expect(timings.updateMs).toBeGreaterThan(0);
      }
      expect(textOf(all.bytes)).toContain(`Saved: ${new Date().getFullYear()}`);
    },
  );

  test('reports the time of each stage', async () => {
    const { timings } = await make(engine, pagesOfText(['text']), {});
    expect(timings.loadMs).toBeGreaterThan(0);
    expect(timings.exportMs).toBeGreaterThan(0);
    expect(timings.updateMs).toBe(0);
    expect((timings.loadMs ?? 0) + (timings.exportMs ?? 0)).toBeLessThanOrEqual(timings.runMs);
  });

  test('names as many missing fonts as its report can hold, without truncated names', async () => {
    const families = Array.from({ length: 300 }, (_, i) => `Unheard-of Ähnlichkeit ${i}`);
    const { missingFonts, pages } = await make(engine, documentInFonts(families), {});
    expect(missingFonts?.length).toBeGreaterThan(50);
    // Their page breaks are in the default font.
    expect([...families, 'Calibri']).toEqual(
      expect.arrayContaining(missingFonts?.map(({ asked }) => asked) ?? []),
    );
    expect(pages).toBe(300);
  });
});
