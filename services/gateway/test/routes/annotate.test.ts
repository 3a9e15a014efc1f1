import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { ANNOTATE_REPORT, type AnnotationAsked, REPORT } from '../rigs/workers.ts';

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const source = Buffer.from('PK a template');
const document = { base64: source.toString('base64') };
const field = { id: 'name', type: 'text', value: 'Ada' };

let rig: Rig;
let key: string;
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  rig = await startRig({ UPLOAD_BYTES_MAX: '12000000' });
  ({ key } = await rig.newKey());
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
  expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
});
afterAll(() => rig.close());

const annotate = (body: unknown, query = '', options = {}) =>
  rig.postJson(key, `/v1/annotate${query}`, body, options);

/** Answers every job with these bytes and keeps the last input. */
function answerWith(bytes: Buffer, report = ANNOTATE_REPORT) {
  const asked: { last?: AnnotationAsked } = {};
  stop = rig.annotateWith(async (request) => {
    asked.last = request;
    return { bytes, report };
  });
  return asked;
}

interface Answer {
  document: { base64: string; contentType: string };
}

async function documentOf(response: Response): Promise<Buffer> {
  const text = await response.text();
  const answer = JSON.parse(text) as Answer;
  expect(Object.keys(answer)).toEqual(['document']);
  expect(Object.keys(answer.document).sort()).toEqual(['base64', 'contentType']);
  expect(response.headers.get('content-length')).toBe(String(text.length));
  const prefix = `data:${answer.document.contentType};base64,`;
  expect(answer.document.base64.slice(0, prefix.length)).toBe(prefix);
  return Buffer.from(answer.document.base64.slice(prefix.length), 'base64');
}

describe('an annotation', () => {
  test('returns the filled document as a data URI and the report in headers', async () => {
    const filled = randomBytes(1000);
    const asked = answerWith(filled);
    const response = await annotate({ document, fields: [field] });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-fields-filled')).toBe('1');
    for (const absent of [
      'x-fields-unmatched',
      'x-fields-unmatched-list',
      'x-annotate-warnings',
      'x-page-count',
    ])
      expect(response.headers.get(absent)).toBeNull();
    expect(response.headers.get('server-timing')).toMatch(
      /^load;dur=[\d.]+, queue;dur=[\d.]+, annotate;dur=4\.0$/,
    );
    expect((await documentOf(response)).equals(filled)).toBe(true);
    expect(asked.last).toEqual({
      source,
      fieldValues: [
        {
          id: 'name',
          type: 'text',
          value: 'Ada',
          options: expect.objectContaining({ keepTextNodeStyles: true }),
        },
      ],
      images: Buffer.alloc(0),
      options: { onMissing: 'ignore', flatten: false },
    });
  });

  test('reports unmatched fields and removed content in headers', async () => {
    answerWith(source, {
      ...ANNOTATE_REPORT,
      remaining: 3,
      filled: 0,
      unmatched: { count: 2, fields: [3, 7] },
      signaturesRemoved: true,
      macrosRemoved: true,
    });
    const { headers } = await annotate({ document, fields: [] }, '?to=docx');
    expect(headers.get('x-fields-filled')).toBe('0');
    expect(headers.get('x-marks-remaining')).toBe('3');
    expect(headers.get('x-fields-unmatched')).toBe('2');
    expect(headers.get('x-fields-unmatched-list')).toBe('fields[3], fields[7]');
    expect(headers.get('x-annotate-warnings')).toBe('signatures-removed, macros-removed, nothing-filled');
  });

  test('passes its options to the worker, and an id takes precedence over a group', async () => {
    const asked = answerWith(source);
    const fields = [
      { id: 'a', group: 'g', value: 1 },
      { group: 'g', value: [['x', 'y']] },
    ];
    await annotate({ document, fields }, '?onMissing=error&flatten=true');
    expect(asked.last?.options).toEqual({ onMissing: 'error', flatten: true });
    expect(asked.last?.fieldValues).toEqual([
      { id: 'a', type: 'text', value: '1', options: expect.objectContaining({ keepTextNodeStyles: true }) },
      {
        group: 'g',
        type: 'table',
        value: [['x', 'y']],
        options: expect.objectContaining({ copyRowStyle: true }),
      },
    ]);
  });

  test.each([0, 1, 2, 3, 196_607, 196_608, 196_609, 10_000_000])(
    'returns %i bytes unchanged',
    async (size) => {
      const filled = randomBytes(size);
      answerWith(filled);
      const back = await documentOf(await annotate({ document, fields: [field] }));
      expect(sha256(back)).toBe(sha256(filled));
    },
  );

  test('accepts a document as a data URI of any document type', async () => {
    const asked = answerWith(source);
    for (const type of [
      DOCX_TYPE,
      'application/octet-stream',
      'APPLICATION/ZIP',
      `${DOCX_TYPE};name=a.docx`,
      '',
    ]) {
      const base64 = `data:${type};base64,${document.base64}`;
      expect((await annotate({ document: { base64 }, fields: [] })).status).toBe(200);
      expect(asked.last?.source).toEqual(source);
    }
  });

  test('returns a large document', async () => {
    const large = randomBytes(11_999_999);
    const asked = answerWith(source);
    const body = JSON.stringify({ document: { base64: large.toString('base64') }, fields: [field] });
    expect((await annotate(body)).status).toBe(200);
    expect(sha256(asked.last?.source ?? source)).toBe(sha256(large));
  });

  test('with to=pdf is forwarded to a converter and has its report too', async () => {
    answerWith(Buffer.from('the filled template'), {
      ...ANNOTATE_REPORT,
      unmatched: { count: 1, fields: [0] },
    });
    const stopConverter = await rig.convertWith(async (bytes, _context, options) => {
      expect(options).toMatchObject({ from: 'docx', to: 'pdf' });
      return { bytes: Buffer.from(`%PDF of ${bytes}`), report: { ...REPORT, pages: 3, warnings: 2 } };
    });
    const response = await annotate({ document, fields: [field] }, '?to=pdf');
    expect(response.status).toBe(200);
    expect(response.headers.get('x-fields-unmatched')).toBe('1');
    expect(response.headers.get('x-page-count')).toBe('3');
    expect(response.headers.get('x-conversion-warnings')).toBe('2');
    expect(response.headers.get('x-conversion-report')).toContain('fonts-replaced=0');
    expect(response.headers.get('server-timing')).toMatch(
      /^load;dur=[\d.]+, annotate;dur=4\.0, queue;dur=[\d.]+, sanitize;dur=1\.0, convert;dur=2\.0$/,
    );
    expect((await documentOf(response)).toString()).toBe('%PDF of the filled template');
    await stopConverter();
  });
});

describe('an annotation that fails', () => {
  test('in the annotator returns its code and details', async () => {
    stop = rig.annotateWith(async () => {
      throw new AppError('FIELD_NOT_FOUND', 'Nothing matches.', {
        details: [{ field: 'fields[0].id', issue: 'matches nothing' }],
      });
    });
    const response = await annotate({ document, fields: [field] }, '?onMissing=error');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'FIELD_NOT_FOUND',
      message: 'Nothing matches.',
      details: [{ field: 'fields[0].id', issue: 'matches nothing' }],
    });
  });

  test('in the converter returns its code', async () => {
    answerWith(source);
    const stopConverter = await rig.convertWith(async () => {
      throw new AppError('CONVERSION_FAILED', 'The engine failed.');
    });
    const response = await annotate({ document, fields: [field] }, '?to=pdf');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'CONVERSION_FAILED' });
    await stopConverter();
  });

  test('without a worker returns 503 at the wait limit', async () => {
    const hasty = await startRig({ QUEUE_WAIT_MS_MAX: '100' });
    const { key: own } = await hasty.newKey();
    const response = await hasty.postJson(own, '/v1/annotate', { document, fields: [field] });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ code: 'OVERLOADED' });
    await hasty.close();
  });

  test('because its caller disconnected is canceled in the worker', async () => {
    let begun = false;
    let canceled = false;
    stop = rig.annotateWith((_asked, { signal }) => {
      begun = true;
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          canceled = true;
          reject(signal.reason);
        }),
      );
    });
    const caller = new AbortController();
    const answer = annotate({ document, fields: [field] }, '', { signal: caller.signal }).catch(() => 'left');
    expect(await until(() => begun)).toBe(true);
    caller.abort();
    expect(await answer).toBe('left');
    expect(await until(() => canceled)).toBe(true);
  });
});

describe('an inspection', () => {
  const inspect = (body: unknown) => rig.postJson(key, '/v1/templates/inspect', body);

  test('returns the result of the worker', async () => {
    const found = {
      fields: [],
      schema: { type: 'array', description: 'no fields at all, “quotes” and all' },
      template: { syntaxes: [], tags: [], schema: {} },
    };
    stop = rig.inspectWith(async (bytes) => {
      expect(bytes).toEqual(source);
      return found;
    });
    const response = await inspect({ document });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('server-timing')).toMatch(/^queue;dur=[\d.]+, inspect;dur=[\d.]+$/);
    expect(await response.json()).toEqual(found);
  });

  test('compares data with the template', async () => {
    const asked: unknown[] = [];
    const data = { a: [1, 'é'] };
    stop = rig.inspectWith(async (_bytes, given) => {
      asked.push(given);
      return { fields: [], schema: {}, template: { syntaxes: [], tags: [], schema: {} } };
    });
    expect((await inspect({ document, data })).status).toBe(200);
    expect(asked).toEqual([data]);
    expect(await (await inspect({ document, data: 7 })).json()).toMatchObject({
      details: [{ field: 'data', issue: 'must be an object or an array' }],
    });
  });

  test('rejects properties other than the document and data', async () => {
    const response = await inspect({ document, fields: [] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      details: [{ field: 'fields', issue: 'is not a known property' }],
    });
  });
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
