import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { testInWhole } from '@scriptorium/testing/extent';
import { answerOf, document, expectWhole, linesOf, rowsOf, stream, textIn } from '../rigs/batch-rig.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { DOCX_TYPE, docx, PDF_TYPE, until } from '../rigs/signing-rig.ts';

let rig: Rig;
let key: string;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  rig = await startRig();
  key = (await rig.newKey()).key;
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
});
afterAll(() => rig.close());

const echo = async ({ json }: { json: unknown }) => Buffer.from(` ${JSON.stringify(json)}`);

describe('a batch', () => {
  test('answers each row of a JSON body with its document', async () => {
    stops.push(rig.fillRowsWith(echo));
    const lines = await answerOf(await rig.postJson(key, '/v1/batches', { document, rows: rowsOf(10) }));
    expectWhole(lines, 10);
    for (const line of lines.slice(0, -1)) {
      expect(textIn(line)).toBe(`${docx} {"number":${line.index}}`);
      expect(line).toMatchObject({
        id: `row ${line.index}`,
        document: { contentType: DOCX_TYPE },
        report: { filled: 1 },
      });
    }
  });

  test('answers each line of a stream, and ends with the stream', async () => {
    stops.push(rig.fillRowsWith(echo));
    const lines = await answerOf(await stream(rig, key, linesOf({}, rowsOf(700))));
    expectWhole(lines, 700);
    for (const line of lines.slice(0, -1)) expect(textIn(line)).toBe(`${docx} {"number":${line.index}}`);
  });

  test('answers rows before the stream has ended', async () => {
    stops.push(rig.fillRowsWith(echo));
    const lines = linesOf({}, rowsOf(3)).match(/.*\n/g) ?? [];
    const answered = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const line of lines) {
          controller.enqueue(Buffer.from(line));
          await delay(50);
        }
        await answered.promise;
        controller.close();
      },
    });
    const response = await stream(rig, key, body);
    let text = '';
    // A busy machine gets empty lines in between, which keep the connection open.
    const lineTexts = () => text.split('\n').filter((line) => line !== '');
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (lineTexts().length >= 3 && text.endsWith('\n')) answered.resolve();
    }
    expectWhole(
      lineTexts().map((line) => JSON.parse(line)),
      3,
    );
  });

  test('converts the documents', async () => {
    stops.push(rig.fillRowsWith(echo), rig.convertRowsWith());
    const response = await rig.postJson(key, '/v1/batches?to=pdf', { document, rows: rowsOf(5) });
    const lines = await answerOf(response);
    expectWhole(lines, 5);
    for (const line of lines.slice(0, -1)) {
      expect(textIn(line)).toBe(`%PDF of ${docx} {"number":${line.index}}`);
      expect(line).toMatchObject({
        document: { contentType: PDF_TYPE },
        report: { pages: 1, conversionWarnings: 0 },
      });
    }
  });

  test('answers in the order of the rows if the caller asks for it', async () => {
    stops.push(
      rig.fillRowsWith(
        async ({ json }) => {
          await delay(((json as { number: number }).number * 37) % 20);
          return await echo({ json });
        },
        undefined,
        4,
      ),
    );
    const body = linesOf({ options: { order: 'input' } }, rowsOf(60));
    const lines = await answerOf(await stream(rig, key, body));
    expectWhole(lines, 60);
    expect(lines.slice(0, -1).map(({ index }) => index)).toEqual(Array.from({ length: 60 }, (_, at) => at));
  });

  test('fails a row with a defect alone, and names the defect', async () => {
    stops.push(
      rig.fillRowsWith(async ({ json }) => {
        if ((json as { number: number }).number === 1)
          throw new AppError('DATA_MISSING', 'The data lacks 1 value.', {
            details: [{ field: 'data.name', issue: 'is missing' }],
          });
        return await echo({ json });
      }),
    );
    const [first, second] = rowsOf(2);
    const rows = [
      JSON.stringify(first),
      JSON.stringify(second),
      '{"id": 7, "data": {"a": 1, "a": 2}}',
      '{"id": "x", "data": 5, "other": 1}',
      '[1, 2]',
      'no json',
      '{"id": "both", "data": {}, "fields": []}',
      '{"id": "image", "data": {"logo": {"$image": {"source": "nothing"}}}}',
    ];
    const lines = await answerOf(await stream(rig, key, `${linesOf({}, [])}${rows.join('\r\n')}`));
    expectWhole(lines, 8, 7);
    const errorAt = (index: number) => lines.find((line) => line.index === index);
    expect(errorAt(1)).toEqual({
      index: 1,
      id: 'row 1',
      error: {
        code: 'DATA_MISSING',
        error: 'Bad Request',
        message: 'The data lacks 1 value.',
        details: [{ field: 'data.name', issue: 'is missing' }],
      },
    });
    expect(errorAt(2)?.error?.details).toEqual([
      { field: 'row', issue: 'repeats the key "a" in one object' },
    ]);
    expect(errorAt(3)).toMatchObject({ id: 'x', error: { code: 'VALIDATION_ERROR' } });
    expect(errorAt(3)?.error?.details?.map(({ field }) => field)).toEqual(['data', 'other']);
    expect(errorAt(5)?.error?.details).toEqual([{ field: 'row', issue: 'is not valid JSON' }]);
    expect(errorAt(7)).toMatchObject({ id: 'image', error: { code: 'IMAGE_INVALID' } });
  });

  test('stops at the first failed row if the caller asks for it', async () => {
    stops.push(
      rig.fillRowsWith(async ({ json }) => {
        if ((json as { number: number }).number === 2) throw new AppError('DATA_MISSING', 'Nothing there.');
        return await echo({ json });
      }),
    );
    const body = linesOf({ options: { onError: 'stop', order: 'input' } }, rowsOf(1_000));
    const lines = await answerOf(await stream(rig, key, body));
    const last = lines.at(-1);
    expect(last).toMatchObject({ error: { code: 'DATA_MISSING', message: 'Row 2 failed: Nothing there.' } });
    expect(last?.nextIndex).toBe(lines.length - 1);
    expect(lines.length).toBeLessThan(500);
  });

  test.each([
    ['no head', '', 'body'],
    ['a head that is no JSON', '{"document"\n', 'body'],
    ['a head without a document', '{"options":{}}\n', 'document'],
    ['rows in the head of a stream', JSON.stringify({ document, rows: [] }), 'rows'],
    ['unknown options', linesOf({ options: { unknown: 1 } }, []), 'options.unknown'],
    ['options of a conversion without one', linesOf({ convert: { pdfa: '2b' } }, []), 'convert'],
  ])('refuses a stream with %s before the first row', async (_what, body, field) => {
    stops.push(rig.fillRowsWith(echo));
    const response = await stream(rig, key, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  test('refuses a wrong template before the first row', async () => {
    stops.push(
      rig.fillRowsWith(echo, async () => {
        throw new AppError('TEMPLATE_INVALID', 'The template has 1 mistake.');
      }),
    );
    const response = await stream(rig, key, linesOf({}, rowsOf(3)));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'TEMPLATE_INVALID' });
  });

  test('does not refuse wrong marks to rows with fields, which do not use marks', async () => {
    stops.push(
      rig.fillRowsWith(echo, async (rows) => {
        if (rows === 0) throw new AppError('TEMPLATE_INVALID', 'The template has 1 mistake.');
      }),
    );
    const rows = Array.from({ length: 3 }, (_, at) => ({
      fields: [{ id: 'name', type: 'text', value: `${at}` }],
    }));
    const lines = await answerOf(await stream(rig, key, linesOf({}, rows)));
    expectWhole(lines, 3);
    for (const line of lines.slice(0, -1)) expect(textIn(line)).toContain(`"value":"${line.index}"`);
    expect((await stream(rig, key, linesOf({}, []))).status).toBe(400);
  });

  test('refuses what it cannot answer with', async () => {
    const pdf = await rig.postJson(key, '/v1/batches?output=pdf', { document, rows: rowsOf(1) });
    expect(pdf.status).toBe(400);
    expect(await pdf.json()).toMatchObject({ details: [{ field: 'query.output' }] });
    const many = await rig.postJson(key, '/v1/batches', { document, rows: rowsOf(1_001) });
    expect(await many.json()).toMatchObject({ details: [{ field: 'rows' }] });
    const text = await rig.postJson(key, '/v1/batches', 'x', { headers: { 'content-type': 'text/plain' } });
    expect(text.status).toBe(415);
  });

  testInWhole('makes packs in the fast way only after both ways were compared', async () => {
    for (const compared of ['same', 'different', undefined] as const) {
      const ways: string[] = [];
      const stopFilling = rig.fillRowsWith(async ({ json, way }) => {
        ways.push(way);
        return await echo({ json });
      });
      const stopConverting = rig.convertRowsWith(() => compared);
      const lines = await answerOf(await stream(rig, key, linesOf({}, rowsOf(800)), { query: '?to=pdf' }));
      await Promise.all([stopFilling(), stopConverting()]);
      expectWhole(lines, 800);
      expect(ways[0]).toBe('both');
      expect(ways.includes('fast')).toBe(compared === 'same');
      if (compared === 'different') expect(ways.lastIndexOf('both')).toBeLessThan(100);
    }
  });
});
