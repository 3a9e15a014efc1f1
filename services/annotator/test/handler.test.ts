import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { convertJob, pdfOptions } from '@scriptorium/contracts/jobs/convert';
import { generateJob } from '@scriptorium/contracts/jobs/generate';
import { signJob } from '@scriptorium/contracts/jobs/sign';
import { inspection } from '@scriptorium/docx-generate/inspection';
import type { FieldValueInput } from '@scriptorium/docx-template/fields';
import { openPackage } from '@scriptorium/ooxml/package';
import { collectResults, openedBlob } from '@scriptorium/shared/blob/exchange';
import { toAppError } from '@scriptorium/shared/to-app-error';
import * as notDocx from '@scriptorium/testing/fixtures/not-docx';
import { p, run, sdt, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import type { z } from 'zod';
import { annotateHandler, generateHandler, inspectHandler } from '../src/handler.ts';
import { type AnnotateThreads, annotateThreads } from '../src/threads.ts';
import { warmUpData, warmUpFields } from '../src/warm-up.ts';

const text = (id: string, value: string): FieldValueInput => ({ id, type: 'text', value });

const TEMPLATE = templateOf(p(sdt({ id: 7 }, run('prompt'))));
/** Half a million paragraphs take about a second. */
const SLOW = templateOf(p(run('x')).repeat(500_000));

let threads: AnnotateThreads;
beforeAll(() => {
  threads = annotateThreads({ threads: 1, data: { templateCacheBytesMax: 1_000_000, font: undefined } });
});
afterAll(() => threads.close());

let blobs = createMemoryBlobStore();
let results = collectResults('req_1', Date.now() + 60_000);
beforeEach(() => {
  blobs = createMemoryBlobStore();
  results = collectResults('req_1', Date.now() + 60_000);
});

/** The bytes of a result that a job kept. */
const keptAs = (ref: BlobRef) =>
  openedBlob(ref, results.kept.find(({ key }) => key === ref.key)?.bytes ?? null) ?? Buffer.alloc(0);

const context = (signal = new AbortController().signal) => ({
  requestId: 'req_1',
  deadlineAt: Date.now() + 60_000,
  signal,
  keep: results.keep,
});

async function leave(key: string, bytes: Buffer) {
  await blobs.put(key, bytes, 60_000);
  return { key, bytes: bytes.length };
}

const unseal = () => Buffer.from('');

async function annotate(
  source: Buffer,
  fields: readonly FieldValueInput[],
  { to = 'docx', signal }: { to?: 'docx' | 'pdf'; signal?: AbortSignal } = {},
) {
  const input = {
    source: await leave('source', source),
    fields: await leave('fields', Buffer.from(JSON.stringify(fields))),
    options: { onMissing: 'error', flatten: false } as const,
    to,
  };
  return await annotateHandler(threads, blobs, unseal)(input, context(signal));
}

describe('an annotate job', () => {
  test('keeps the filled document and returns the report', async () => {
    const { output, next } = await annotate(TEMPLATE, [text('7', 'Ada')]);
    expect(output.result.key).toMatch(/^req_1\.result\./);
    expect(output.report).toMatchObject({ filled: 1, unmatched: { count: 0, fields: [] } });
    expect(next).toBeUndefined();
    const bytes = keptAs(output.result);
    expect(bytes.length).toBe(output.result.bytes);
    const { parts } = await openPackage(bytes);
    expect(parts.get('word/document.xml')?.xml).toContain('>Ada<');
  });

  test('with PDF forwards the filled document to the converter, with a unique name per run', async () => {
    const runs = [1, 2].map(() => annotate(TEMPLATE, [text('7', 'Ada')], { to: 'pdf' }));
    const [first, second] = await Promise.all(runs);
    expect(first?.next).toMatchObject({
      queue: convertJob.name,
      input: {
        source: first?.output.result,
        options: expect.objectContaining({ from: 'docx', to: 'pdf', revisions: 'markup' }),
      },
    });
    expect(convertJob.input.safeParse(first?.next?.input).success).toBe(true);
    expect(first?.output.result.key).not.toBe(second?.output.result.key);
  });

  test('that is rejected names the fields', async () => {
    await expect(annotate(TEMPLATE, [text('8', 'Ada')])).rejects.toMatchObject({
      code: 'FIELD_NOT_FOUND',
      details: [{ field: 'fields[0].id', issue: expect.stringContaining('8') }],
    });
    await expect(annotate(notDocx.xlsx(), [])).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });

  test('with a lost document fails with a retryable error', async () => {
    const fields = await leave('fields', Buffer.from('[]'));
    const options = { onMissing: 'ignore', flatten: false } as const;
    const input = { source: { key: 'gone', bytes: 10 }, fields, options, to: 'docx' } as const;
    await expect(annotateHandler(threads, blobs, unseal)(input, context())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  test('ends when its caller disconnects, and the next job gets another thread', async () => {
    const caller = new AbortController();
    const pending = annotate(SLOW, [], { signal: caller.signal });
    setTimeout(() => caller.abort(), 300);
    await expect(pending).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect((await annotate(TEMPLATE, [text('7', 'next')])).output.report.filled).toBe(1);
  });

  test('that takes too long is rejected with the limit', async () => {
    const impatient = annotateThreads({
      threads: 1,
      data: { templateCacheBytesMax: 0, font: undefined },
      timeoutMs: 50,
    });
    const options = { onMissing: 'ignore', flatten: false } as const;
    const request = { source: SLOW, fields: Buffer.from('[]'), images: Buffer.alloc(0), options };
    await expect(impatient.fill(request, context().signal)).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: expect.stringContaining('0.05 seconds to fill'),
    });
    await impatient.close();
  });
});

describe('a generate job', () => {
  const MARKS = templateOf(p(run('Dear {name}, {#items}[{price}]{/items}')));
  const signing = { request: { key: 'signing', bytes: 1 } };
  const pdf = { from: 'docx', to: 'pdf', ...pdfOptions.parse({ pdfua: true }) } as const;

  async function generate(
    source: Buffer,
    json: { data: unknown } | { fields: unknown },
    more: Partial<z.input<typeof generateJob.input>> = {},
  ) {
    const ref = await leave('content', Buffer.from(JSON.stringify('data' in json ? json.data : json.fields)));
    const content = 'data' in json ? { data: ref } : { fields: ref };
    const input = { source: await leave('source', source), content, options: {}, ...more };
    return await generateHandler(threads, blobs, unseal)(generateJob.input.parse(input), context());
  }

  async function textOf(result: BlobRef): Promise<string> {
    const { parts } = await openPackage(keptAs(result));
    return (parts.get('word/document.xml')?.xml ?? '').replace(/<[^>]+>/g, '');
  }

  test('fills the marks of a template with data, and returns the report', async () => {
    const data = { name: 'Ada', items: [{ price: 1.5 }, { price: 2 }, {}] };
    const { output, next } = await generate(MARKS, { data });
    expect(await textOf(output.result)).toBe('Dear Ada, [1.5][2][]');
    expect(output.report).toMatchObject({
      filled: 3,
      unmatched: { count: 1, names: ['data.items[2].price'] },
    });
    expect(results.kept.map(({ key }) => key)).toEqual([output.result.key]);
    expect(next).toBeUndefined();
  });

  test('fills fields as an annotate job does, and names the unmatched ones', async () => {
    const fields = [text('7', 'Ada'), text('8', 'Bob')];
    const { output } = await generate(TEMPLATE, { fields });
    expect(await textOf(output.result)).toBe('Ada');
    expect(output.report).toMatchObject({ filled: 1, unmatched: { count: 1, names: ['fields[1]'] } });
    for (const onMissing of ['keep', 'empty'] as const)
      expect((await generate(TEMPLATE, { fields }, { options: { onMissing } })).output.report.filled).toBe(1);
    await expect(generate(TEMPLATE, { fields }, { options: { onMissing: 'error' } })).rejects.toMatchObject({
      code: 'FIELD_NOT_FOUND',
      details: [{ field: 'fields[1].id' }],
    });
  });

  test('inserts the documents of the data, each time with its own lists', async () => {
    const source = templateOf(
      p(run('{#parts}')) + p(run('Before {body} after')) + p(run('{/parts}')) + p(run('{x}')),
      {
        links: [{ id: 'rId1', kind: 'header', target: 'header1.xml' }],
        parts: [
          {
            name: 'word/header1.xml',
            type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml',
            data: wordPart('hdr', p(run('{head}'))),
          },
        ],
      },
    );
    const picture = Buffer.from('picture');
    const inserted = templateOf(p(run('one')) + p(run('two')));
    const files = Buffer.concat([picture, inserted, Buffer.from('PK no document')]);
    const images = await leave('images', files);
    const place = { start: picture.length, bytes: inserted.length };
    const body = { $document: place };
    const data = { parts: [{ body }, { body: { $document: place } }], x: '-' };
    const { output } = await generate(source, { data }, { images });
    const { parts } = await openPackage(keptAs(output.result));
    const paragraphs = (parts.get('word/document.xml')?.xml ?? '').match(/<w:p>.*?<\/w:p>/g) ?? [];
    const texts = paragraphs.map((xml) => xml.replace(/<[^>]+>/g, ''));
    expect(texts).toEqual(['Before ', 'one', 'two', ' after', 'Before ', 'one', 'two', ' after', '-']);

    const broken = { $document: { start: picture.length + inserted.length, bytes: 14 } };
    const withPart = (parts: unknown, more = {}) =>
      generate(source, { data: { parts, ...more } }, { images });
    await expect(withPart([{ body }, { body: broken }])).rejects.toMatchObject({
      code: 'INVALID_FILE_FORMAT',
      details: [{ field: 'data.parts[1].body.$document' }],
    });
    await expect(withPart([], { head: body })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'data.head.$document', issue: expect.stringContaining('body') }],
    });
    await expect(withPart(Array(101).fill({ body }))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'data.parts[100].body.$document', issue: expect.stringContaining('100') }],
    });
  });

  test('goes to the converter and on to the signer, or to the signer at once', async () => {
    const steps = [
      [{ thenConvert: pdf }, convertJob],
      [{ thenConvert: pdf, thenSign: signing }, convertJob],
      [{ thenSign: signing }, signJob],
    ] as const;
    for (const [more, job] of steps) {
      const { output, next } = await generate(MARKS, { data: {} }, more);
      const input = job.input.parse(next?.input);
      expect(next?.queue).toBe(job.name);
      expect(input.source).toEqual(output.result);
      expect(next?.blobs.includes('signing')).toBe('thenSign' in more);
      if ('options' in input) expect(input.options).toEqual(pdf);
    }
  });

  test('that lacks data names what is missing if the caller requests it', async () => {
    const options = { onMissing: 'error' } as const;
    const failed = generate(MARKS, { data: { items: [{}] } }, { options });
    const { code, details } = (await failed.then(() => undefined, toAppError)) ?? {};
    expect(code).toBe('DATA_MISSING');
    expect(details?.map(({ field }) => field).sort()).toEqual(['data.items[0].price', 'data.name']);
  });

  test('names what is missing by short paths, however long the keys are', async () => {
    const key = 'k'.repeat(300);
    const data = { [key]: { [key]: { [key]: { items: [{}] } } } };
    const deep = templateOf(p(run(`${`{#${key}}`.repeat(3)}{#items}[{price}]{/}{/}{/}{/}`)));
    const { output } = await generate(deep, { data });
    expect(output.report.unmatched.count).toBe(1);
    expect(output.report.unmatched.names[0]?.length).toBe(500);
    const failed = generate(deep, { data }, { options: { onMissing: 'error' } }).then(
      () => undefined,
      toAppError,
    );
    const { details = [], message = '' } = (await failed) ?? {};
    expect(details.map(({ field }) => field.length)).toEqual([501]);
    expect(message.length).toBeLessThan(5_002);
  });

  test('with a wrong template names the place of each mistake', async () => {
    const wrong = templateOf(p(run('{#items}')) + p(run('{name}')));
    const { code, status, details } =
      (await generate(wrong, { data: {} }).then(() => undefined, toAppError)) ?? {};
    expect([code, status]).toEqual(['TEMPLATE_INVALID', 400]);
    expect(details).toEqual([
      { field: expect.stringMatching(/^word\/document\.xml:/), issue: expect.stringContaining('{#items}') },
    ]);
  });
});

test('an inspect job keeps its result as JSON', async () => {
  const source = await leave('source', TEMPLATE);
  const { output } = await inspectHandler(threads, blobs, unseal)({ source, to: 'json' }, context());
  const found = inspection.parse(JSON.parse(String(keptAs(output.result))));
  expect(found.fields).toMatchObject([{ id: '7', type: 'text', current: 'prompt' }]);
});

test('an inspect job keeps the template with comments', async () => {
  const source = await leave('source', templateOf(p(run('{#a}'))));
  const { output } = await inspectHandler(threads, blobs, unseal)({ source, to: 'docx' }, context());
  expect(output.lint).toMatchObject({ mistakes: 1, doubts: 0, macrosRemoved: false });
  const { parts } = await openPackage(keptAs(output.result));
  expect(parts.get('word/comments.xml')?.xml).toContain('Unclosed loop: “{#a}”');
});

test('the warm-up documents can be filled', async () => {
  const fields = await threads.fill(warmUpFields(), context().signal);
  const data = await threads.generate(warmUpData(), context().signal);
  for (const { report } of [fields, data]) expect(report.filled).toBeGreaterThan(0);
});
