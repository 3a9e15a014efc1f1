import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { chainsOf } from '@scriptorium/contracts/form-state';
import { type FilledRows, filledRows, openPack } from '@scriptorium/contracts/jobs/rows';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import type { AnnotateThreads } from '../src/threads.ts';
import { fillRows, LETTER, ROWS, startThreads, TO_PDF } from './rows.ts';

let threads: AnnotateThreads;
beforeAll(() => {
  threads = startThreads();
});
afterAll(() => threads.close());

const data = ROWS.map((row) => ({ data: row }));

/** The rows that are made in both ways. */
const documentsOf = ({ rows }: FilledRows) =>
  rows.flatMap((row) => ('document' in row && row.document && row.values ? [row] : []));

describe('the forms of a pack', () => {
  test('are one for rows of all lengths, of which they compare one row of each kind', async () => {
    const cells = (...texts: string[]) =>
      `<w:tr>${texts.map((text) => `<w:tc><w:tcPr/>${p(run(text))}</w:tc>`).join('')}</w:tr>`;
    const source = templateOf(
      `${p(run('{name}'))}<w:tbl><w:tblPr/><w:tblGrid/>${cells('A', 'B')}${cells('{#items}{.}', '{/items}')}</w:tbl>${p(run('end'))}`,
    );
    const counts = [3, 1, 7, 5, 2, 6, 4];
    const rows = counts.map((count) => ({
      data: { name: 'Ada', items: Array.from({ length: count }, String) },
    }));
    const fill = async (checked: string[]) =>
      openPack(
        (await fillRows(threads, source, rows, { thenConvert: TO_PDF, way: 'fast', checked })).bytes,
        filledRows,
      ).list;
    const list = await fill([]);
    expect(list.forms).toHaveLength(1);
    const gone = list.rows.map((row) => ('values' in row ? row.values?.gone.length : undefined));
    expect(gone).toEqual(counts.map((count) => 7 - count));
    // The longest row lacks nothing, and the shortest stands for the others.
    expect(documentsOf(list).map((row) => row.values?.gone.length)).toEqual([6, 0]);
    const kinds = [...new Set(list.rows.flatMap((row) => ('values' in row ? (row.values?.kind ?? []) : [])))];
    expect(kinds).toHaveLength(2);
    expect(documentsOf(await fill(kinds))).toEqual([]);
  });

  test('serve a row only if its combination of what it lacks was compared', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const source = templateOf(
      p(run('{name}')) +
        names
          .map((name) => p(run(`{#${name}}`)) + p(run('there')) + p(run(`{/${name}}`)) + p(run('.')))
          .join(''),
    );
    const rows = Array.from({ length: 48 }, (_, at) => ({
      data: {
        name: 'Ada',
        ...Object.fromEntries(names.map((name, bit) => [name, ((at % 16) & (1 << bit)) !== 0])),
      },
    }));
    let checked: string[] = [];
    for (const pack of [1, 2, 3]) {
      const { list } = openPack(
        (await fillRows(threads, source, rows, { thenConvert: TO_PDF, way: 'fast', checked })).bytes,
        filledRows,
      );
      const compared = new Set(documentsOf(list).flatMap(({ values }) => values?.kind ?? []));
      for (const row of list.rows)
        if ('values' in row && row.values !== undefined)
          expect(compared.has(row.values.kind) || checked.includes(row.values.kind)).toBe(true);
        else expect(row).toMatchObject({ document: {}, plain: expect.stringMatching(/^(?:compared|few)$/) });
      expect(compared.size).toBeLessThanOrEqual(8);
      checked = [...checked, ...compared];
      if (pack === 3) expect(documentsOf(list)).toEqual([]);
    }
  });

  test('are loaded a few times, however much rows differ', async () => {
    const names = Array.from({ length: 6 }, (_, at) => `v${at}`);
    const source = templateOf(p(run(names.map((name) => `{${name}}`).join(' and '))));
    const rows = Array.from({ length: 64 }, (_, at) => ({
      data: Object.fromEntries(names.map((name, bit) => [name, (at & (1 << bit)) === 0 ? 'x' : ''])),
    }));
    const options = { thenConvert: TO_PDF, way: 'both' } as const;
    const { list } = openPack((await fillRows(threads, source, rows, options)).bytes, filledRows);
    const values = list.rows.flatMap((row) => ('values' in row ? (row.values ?? []) : []));
    expect(values.length).toBeGreaterThan(8);
    expect(chainsOf(values, []).length).toBeLessThanOrEqual(8);
  });

  test('have failed, and are not refused by the template, if a thread is lost', async () => {
    const lost: Pick<AnnotateThreads, 'fillRows' | 'fillForms'> = {
      fillRows: (task, ...rest) => threads.fillRows(task, ...rest),
      fillForms: () => Promise.reject(new AppError('DOCUMENT_TOO_COMPLEX', 'over the limit')),
    };
    const options = { thenConvert: TO_PDF, way: 'fast' } as const;
    const { list } = openPack((await fillRows(lost, LETTER, data, options)).bytes, filledRows);
    expect(list.rows).toMatchObject(data.map(() => ({ document: {}, plain: 'failed' })));
  });

  test('leave no call of a thread for documents that no row needs', async () => {
    const { list } = openPack(
      (await fillRows(threads, LETTER, data, { thenConvert: TO_PDF, way: 'fast' })).bytes,
      filledRows,
    );
    const checked = list.rows.flatMap((row) => ('values' in row ? (row.values?.kind ?? []) : []));
    let calls = 0;
    const counted: Pick<AnnotateThreads, 'fillRows' | 'fillForms'> = {
      fillForms: (task, ...rest) => threads.fillForms(task, ...rest),
      fillRows(task, ...rest) {
        calls += task.rows.length === 0 ? 1 : 0;
        return threads.fillRows(task, ...rest);
      },
    };
    await fillRows(counted, LETTER, data, { thenConvert: TO_PDF, way: 'fast', checked });
    expect(calls).toBe(0);
  });
});
