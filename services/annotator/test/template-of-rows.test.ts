import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { filledRows, finishedRows, openPack } from '@scriptorium/contracts/jobs/rows';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import { TemplateBytes } from '../src/template-bytes.ts';
import type { AnnotateThreads } from '../src/threads.ts';
import { fillRows, hashOf, LETTER, ROWS, SIGNING, startThreads, TO_PDF } from './rows.ts';

let threads: AnnotateThreads;
beforeAll(() => {
  threads = startThreads();
});
afterAll(() => threads.close());

describe('the template of a batch', () => {
  test('is checked by an empty pack, which goes no further', async () => {
    const then = { thenConvert: TO_PDF, thenSign: SIGNING };
    const { next, bytes } = await fillRows(threads, LETTER, [], then);
    expect(next).toBeUndefined();
    expect(openPack(bytes, filledRows).list).toEqual({ forms: [], rows: [] });
    const wrong = templateOf(p(run('{#items}')) + p(run('{name}')));
    for (const rows of [[], [{ data: {} }]])
      await expect(fillRows(threads, wrong, rows, then)).rejects.toMatchObject({
        code: 'TEMPLATE_INVALID',
        details: [{ issue: expect.stringContaining('{#items}') }],
      });
    await expect(fillRows(threads, Buffer.from('x'), [])).rejects.toMatchObject({
      code: 'INVALID_FILE_FORMAT',
    });
  });

  test('fails only the rows that need its marks, if others need its fields', async () => {
    const wrong = templateOf(p(run('{#items}')) + p(run('{name}')));
    const fields = [{ id: 'name', type: 'text', value: 'Ada' }];
    const { list } = openPack(
      (await fillRows(threads, wrong, [{ fields }, { data: {} }])).bytes,
      finishedRows,
    );
    expect(list.rows).toMatchObject([{ report: { filled: 1 } }, { error: { code: 'TEMPLATE_INVALID' } }]);
  });

  test('is read from the store once, however many packs and threads need it', async () => {
    const several = startThreads({}, 2);
    const source = templateOf(p(run('Once {name}')));
    const blobs = createMemoryBlobStore();
    const asked: string[] = [];
    const counting = {
      ...blobs,
      get: (key: string) => {
        asked.push(key);
        return blobs.get(key);
      },
    };
    const templates = new TemplateBytes(counting, 1_000_000);
    const rows = Array.from({ length: 32 }, () => ({ data: ROWS[0] }));
    await Promise.all([1, 2, 3, 4].map(() => fillRows(several, source, rows, { blobs, templates })));
    expect(asked).toEqual(['template']);
    await blobs.remove(['template']);
    await fillRows(several, source, rows, { blobs, templates });
    expect(asked).toEqual(['template']);
    await several.close();
  });

  test('is forgotten some time after its last use', async () => {
    const source = templateOf(p(run('Idle {name}')));
    const blobs = createMemoryBlobStore();
    await blobs.put('template', source, 60_000);
    const templates = new TemplateBytes(blobs, 1_000_000, 1_500);
    const named = { hash: hashOf(source), blob: { key: 'template', bytes: source.length } };
    expect((await templates.get(named)).equals(source)).toBe(true);
    await blobs.remove(['template']);
    expect((await templates.get(named)).equals(source)).toBe(true);
    await sleep(1_600);
    await expect(templates.get(named)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('is read again for each pack if the caches are off', async () => {
    const off = startThreads({ templateCacheBytesMax: 0 });
    const blobs = createMemoryBlobStore();
    const templates = new TemplateBytes(blobs, 0);
    const rows = [{ data: ROWS[0] }, { data: ROWS[3] }];
    const { list } = openPack((await fillRows(off, LETTER, rows, { blobs, templates })).bytes, finishedRows);
    expect(list.rows).toMatchObject([{ report: { filled: 2 } }, { report: { filled: 2 } }]);
    await off.close();
  });

  test('with other bytes than its hash says is a fault of the service', async () => {
    const other = templateOf(p(run('Other {name}')));
    const failed = fillRows(threads, LETTER, [{ data: {} }], { hash: hashOf(other) }).then(
      () => undefined,
      toAppError,
    );
    expect((await failed)?.code).toBe('INTERNAL_ERROR');
  });

  test('that the store has lost makes the pack fail with a retryable error', async () => {
    const source = templateOf(p(run('Lost {name}')));
    const template = { hash: hashOf(source), blob: { key: 'gone', bytes: 9 } };
    await expect(fillRows(threads, source, [{ data: {} }], { template })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});
