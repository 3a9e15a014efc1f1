import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import {
  convertRowsJob,
  filledRows,
  finishedRows,
  openPack,
  PACKED_BYTES_MAX,
  signRowsJob,
} from '@scriptorium/contracts/jobs/rows';
import { openPackage } from '@scriptorium/ooxml/package';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { formPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { pdfText } from '@scriptorium/testing/judges/pdf';
import type { RowTask } from '../src/fill-group.ts';
import type { AnnotateThreads } from '../src/threads.ts';
import { fillRows, fillSingle, LETTER, ROWS, SIGNING, startThreads, TO_PDF } from './rows.ts';

/** Another letter, since threads remember forms. */
const FORMAL = templateOf(p(run('Formal {name}, {amount | number(2)}')));
const PLACE = /\u{F5C0}(\d+)\u{F5C1}/gu;

let threads: AnnotateThreads;
beforeAll(() => {
  threads = startThreads();
});
afterAll(() => threads.close());

describe('a pack of rows', () => {
  test('becomes the documents that single requests get, with the same reports', async () => {
    const { bytes, next } = await fillRows(
      threads,
      LETTER,
      ROWS.map((data) => ({ data })),
    );
    const { list, part } = openPack(bytes, finishedRows);
    expect(next).toBeUndefined();
    expect(list.rows).toHaveLength(ROWS.length);
    for (const [at, row] of list.rows.entries()) {
      if (!('document' in row) || !('part' in row.document)) throw new Error(`row ${at} has no document`);
      const alone = await fillSingle(threads, LETTER, ROWS[at]);
      expect(part(row.document.part).equals(alone.bytes)).toBe(true);
      expect(row.report).toEqual(alone.report);
    }
  });

  test('goes on after a row that fails, and its error is that of a single request', async () => {
    const wrong = [
      { name: { a: 1 } },
      { name: ['a'] },
      { name: '\u0000' },
      { name: { $image: { source: 'x' } } },
    ];
    const options = { onMissing: 'error' } as const;
    const rows = [...wrong, { name: 'Ada' }, ROWS[0]];
    const { bytes, failures } = await fillRows(
      threads,
      LETTER,
      rows.map((data) => ({ data })),
      { options },
    );
    const { list } = openPack(bytes, finishedRows);
    for (const [at, data] of rows.slice(0, -1).entries()) {
      const alone = await fillSingle(threads, LETTER, data, options).then(() => undefined, toAppError);
      const { code, message, details } = alone ?? {};
      expect(list.rows[at]).toEqual({ error: { code, message, details } });
    }
    expect(list.rows.at(-1)).toMatchObject({ report: { filled: 2 } });
    expect(failures).toEqual([]);
  });

  test('fills a PDF form, and a row that fails names its values', async () => {
    const rows = [
      { data: { Name: 'Ada' } },
      { fields: [{ id: 'Name', type: 'text', value: 'Grace' }] },
      { data: { Name: '\u0007' } },
      { data: { Name: 'Łódź', more: 1 } },
    ];
    const { bytes, next } = await fillRows(threads, formPdf(), rows, { isForm: true, thenSign: SIGNING });
    expect(next?.queue).toBe(signRowsJob.name);
    const { list, part } = openPack(bytes, finishedRows);
    expect(list.rows).toMatchObject([
      { report: { filled: 1, unused: { count: 0 } } },
      { report: { filled: 1 } },
      { error: { code: 'VALIDATION_ERROR', details: [{ field: 'data.Name' }] } },
      { report: { filled: 1, unused: { names: ['data.more'] } } },
    ]);
    const texts = list.rows.flatMap((row) =>
      'document' in row && 'part' in row.document ? [part(row.document.part)] : [],
    );
    expect(await Promise.all(texts.map((pdf) => pdfText(pdf)))).toEqual(
      ['Ada', 'Grace', 'Łódź'].map((name) => expect.stringContaining(name)),
    );
    const broken = fillRows(threads, Buffer.from('%PDF-1.7'), [], { isForm: true });
    await expect(broken).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });

  test('may have rows of fields, which are named in errors', async () => {
    const field = (id: string) => ({ id, type: 'text', value: 'Ada' });
    const rows = [{ fields: [field('name')] }, { fields: [field('name'), field('nobody')] }];
    const filled = openPack((await fillRows(threads, LETTER, rows)).bytes, finishedRows).list.rows;
    expect(filled).toMatchObject([
      { report: { filled: 1, unmatched: { count: 0 } } },
      { report: { filled: 1, unmatched: { names: ['fields[1]'] } } },
    ]);
    const options = { onMissing: 'error' } as const;
    const [, refused] = openPack((await fillRows(threads, LETTER, rows, { options })).bytes, finishedRows)
      .list.rows;
    expect(refused).toMatchObject({
      error: { code: 'FIELD_NOT_FOUND', details: [{ field: 'fields[1].id' }] },
    });
  });

  test('goes to the converter, or to the signer at once', async () => {
    const rows = [{ data: ROWS[0] }];
    const converted = await fillRows(threads, LETTER, rows, { thenConvert: TO_PDF, thenSign: SIGNING });
    expect(converted.next?.queue).toBe(convertRowsJob.name);
    expect(convertRowsJob.input.parse(converted.next?.input)).toEqual({
      source: converted.output.result,
      options: TO_PDF,
      thenSign: SIGNING,
    });
    const signed = await fillRows(threads, LETTER, rows, { thenSign: SIGNING, way: 'fast' });
    expect(signed.next?.queue).toBe(signRowsJob.name);
    expect(signRowsJob.input.parse(signed.next?.input)).toEqual({ source: signed.output.result, ...SIGNING });
    expect(openPack(signed.bytes, finishedRows).list.rows).toMatchObject([{ document: { part: 1 } }]);
  });

  test('has large documents as blobs of their own, which go with it', async () => {
    const many = Array.from({ length: 40_000 }, (_, at) => `${at} ${Math.sin(at)}`);
    const source = templateOf(p(run('{#items}{.}{/items}')));
    const { bytes, next, output, keptAs } = await fillRows(
      threads,
      source,
      [{ data: { items: many } }, { data: {} }],
      {
        thenSign: SIGNING,
      },
    );
    const [large, small] = openPack(bytes, finishedRows).list.rows;
    if (large === undefined || !('document' in large) || !('blob' in large.document))
      throw new Error('the large document is in the pack');
    const { blob } = large.document;
    expect(blob.bytes).toBeGreaterThan(PACKED_BYTES_MAX);
    expect(keptAs(blob).length).toBe(blob.bytes);
    expect(small).toMatchObject({ document: { part: 1 } });
    expect(next?.blobs).toEqual(expect.arrayContaining([output.result.key, blob.key, 'signing']));
  });

  test('throws when it is aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(fillRows(threads, LETTER, [{ data: {} }], { signal })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
  });

  test('loses only the row that ends its thread, which is tried once', async () => {
    // As a thread that ends over a limit while it fills a row of a group.
    const isHeavy = (row: RowTask) => 'data' in row && Buffer.from(row.data).includes('heavy');
    const tried: number[] = [];
    const limited: Pick<AnnotateThreads, 'fillRows' | 'fillForms'> = {
      fillForms: (task, ...rest) => threads.fillForms(task, ...rest),
      fillRows(task, ...rest) {
        const at = task.rows.findIndex(isHeavy);
        tried.push(at < 0 ? task.rows.length : at + 1);
        if (at < 0) return threads.fillRows(task, ...rest);
        Atomics.store(task.begun, 0, at + 1);
        return Promise.reject(new AppError('DOCUMENT_TOO_COMPLEX', 'over the limit'));
      },
    };
    const names = ['heavy', 'a', 'b', 'heavy', 'c', 'heavy'];
    const { bytes } = await fillRows(
      limited,
      LETTER,
      names.map((name) => ({ data: { name } })),
    );
    const error = { code: 'DOCUMENT_TOO_COMPLEX', message: 'over the limit' };
    expect(openPack(bytes, finishedRows).list.rows).toMatchObject(
      names.map((name) => (name === 'heavy' ? { error } : { document: {} })),
    );
    expect(tried.length).toBeLessThanOrEqual(7);
  });

  test('says in a thread which row it has begun', async () => {
    const begun: number[] = [];
    const observed: Pick<AnnotateThreads, 'fillRows' | 'fillForms'> = {
      fillForms: (task, ...rest) => threads.fillForms(task, ...rest),
      async fillRows(task, ...rest) {
        const result = await threads.fillRows(task, ...rest);
        if ('rows' in result) begun.push(Atomics.load(task.begun, 0) - result.rows.length);
        return result;
      },
    };
    await fillRows(observed, LETTER, [{ data: { name: 'a' } }, { data: { name: 'b' } }]);
    expect(new Set(begun)).toEqual(new Set([0]));
  });

  test('fails as a whole if the template ends the thread', async () => {
    let calls = 0;
    const limited: Pick<AnnotateThreads, 'fillRows' | 'fillForms'> = {
      fillForms: (task, ...rest) => threads.fillForms(task, ...rest),
      fillRows() {
        calls++;
        return Promise.reject(new AppError('DOCUMENT_TOO_COMPLEX', 'over the limit'));
      },
    };
    const filling = fillRows(limited, LETTER, [{ data: {} }, { data: {} }]);
    await expect(filling).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
    expect(calls).toBe(2);
  });

  test('lets single requests go first', async () => {
    const rows = Array.from({ length: 64 }, (_, at) => ({ data: { ...ROWS[1], amount: at } }));
    const order: string[] = [];
    await fillRows(threads, LETTER, rows);
    const pack = fillRows(threads, LETTER, rows).then(() => order.push('pack'));
    const begun = Promise.all([
      fillSingle(threads, LETTER, ROWS[0]),
      fillSingle(threads, LETTER, ROWS[1]),
    ]).then(() => order.push('single'));
    await Promise.all([pack, begun]);
    expect(order).toEqual(['single', 'pack']);
  });
});

describe('a pack for the converter', () => {
  const data = ROWS.map((row) => ({ data: row }));

  test('has forms and texts that make the documents of single requests', async () => {
    const { bytes } = await fillRows(threads, FORMAL, [...data, ...data], {
      thenConvert: TO_PDF,
      way: 'fast',
    });
    const { list, part } = openPack(bytes, filledRows);
    const made = list.rows.map((row) => ('values' in row && row.values ? row.values : undefined));
    expect(made.slice(data.length).map((values) => values?.texts)).toEqual([
      ['Ada', '1.00'],
      ['two\nlines', '2.00'],
      ['', ''],
      ['<&>', '3.50'],
    ]);
    for (const [at, values] of made.slice(data.length).entries()) {
      const place = values && list.forms[values.form]?.document;
      if (place === undefined || !('part' in place)) throw new Error('the form is not in the pack');
      const form = (await openPackage(part(place.part))).main.xml ?? '';
      const filled = form.replace(PLACE, (_, number) => lined(values?.texts[Number(number)] ?? ''));
      expect(filled).toBe((await openPackage((await fillSingle(threads, FORMAL, ROWS[at])).bytes)).main.xml);
    }
  });

  test('has documents for rows that are too few for a form, or that do not fit', async () => {
    const pages = (x: string) => ({ data: { name: 'Ada', x } });
    const source = templateOf(
      p(run('{name}')) + p(run('{#x}')) + p(run('{x}')) + p(run('{/x}')) + p(run('{x}')),
    );
    const few = await fillRows(threads, source, [pages('a'), pages('b')], {
      thenConvert: TO_PDF,
      way: 'fast',
    });
    expect(openPack(few.bytes, filledRows).list).toMatchObject({
      forms: [],
      rows: [
        { document: {}, plain: 'few' },
        { document: {}, plain: 'few' },
      ],
    });
    const rows = [pages('a'), pages(''), pages('b'), pages('c'), { data: { name: { $html: '<b>x</b>' } } }];
    const mixed = await fillRows(threads, source, rows, { thenConvert: TO_PDF, way: 'fast' });
    expect(openPack(mixed.bytes, filledRows).list.rows).toMatchObject([
      { values: { texts: ['Ada', 'a', 'a'] } },
      { document: {}, plain: 'empty' },
      { values: {} },
      { values: {} },
      { document: {}, plain: 'content' },
    ]);
  });

  test('has a document for each row in the plain way, and both if they are compared', async () => {
    const plain = openPack(
      (await fillRows(threads, LETTER, data, { thenConvert: TO_PDF })).bytes,
      filledRows,
    ).list;
    expect(plain.forms).toEqual([]);
    for (const row of plain.rows)
      expect(row).toEqual({ document: expect.anything(), report: expect.anything() });
    const { list } = openPack(
      (await fillRows(threads, LETTER, data, { thenConvert: TO_PDF, way: 'both' })).bytes,
      filledRows,
    );
    const both = ['document', 'report', 'values'];
    const keys = list.rows.map((row) => Object.keys(row).sort());
    expect(keys).toEqual([both, both, both, both]);
  });
});

const lined = (text: string) =>
  text.split('\n').map(escapeXml).join('</w:t><w:br/><w:t xml:space="preserve">');
