import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { few, testInWhole } from '@scriptorium/testing/extent';
import { hostileSources } from '@scriptorium/testing/fixtures/hostile/sources';
import { presentationWith, textShape } from '@scriptorium/testing/fixtures/presentation';
import { escaped, textCell, workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { SourceRouter } from '../../src/engines/kit/source-router.ts';
import { pdfOrNone } from '../engines/engine.suite.ts';
import { textOf } from '../rigs/pdf-text.ts';

const CANARY_TEXT = 'This sentence must stay secret';
const OPTIONS = { revisions: 'markup', updateFields: 'none' } as const;
const run = () => ({ timeoutMs: 150_000, signal: new AbortController().signal });

const directory = mkdtempSync(join(tmpdir(), 'hostile-sources-'));
const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.url ?? '');
  response.end();
});
const engine = new SourceRouter({ zygotes: 1, workRoot: directory });

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const documents = hostileSources({ origin, directory }).filter((document) => 'dropped' in document.expect);
const named = documents.map((document) => [`${document.from}: ${document.name}`, document] as const);

beforeAll(async () => {
  // World-readable: its mode must not be what prevents reading it.
  chmodSync(directory, 0o755);
  writeFileSync(join(directory, 'canary.txt'), CANARY_TEXT, { mode: 0o644 });
  await engine.start();
});

afterAll(async () => {
  await Promise.all([engine.close(), new Promise((resolve) => server.close(resolve))]);
  rmSync(directory, { recursive: true, force: true });
});

beforeEach(() => {
  requests.length = 0;
});

function expectNothingTaken(pdf: Buffer): void {
  expect(requests).toEqual([]);
  expect(textOf(pdf)).not.toContain(CANARY_TEXT);
}

describe('spreadsheets and presentations become pages without their hostile content', () => {
  test.each(few(named, 6, 20))('%s', async (_name, { from, make }) => {
    const { bytes, engineSource } = await prepare(make(), { from, ...OPTIONS });
    expectNothingTaken((await engine.convert(bytes, { from: engineSource, to: 'pdf' }, run())).bytes);
  });
});

describe('the walls around the engine are sufficient without the sanitizer', () => {
  test.each(few(named, 3, 10))('%s', async (_name, { from, make }) => {
    const pdf = await pdfOrNone(engine.convert(make(), { from, to: 'pdf' }, run()));
    if (pdf !== undefined) expectNothingTaken(pdf);
    expect(requests).toEqual([]);
  });
});

describe('a formula that takes all memory', () => {
  const doubled = ['REPT("x",60000)', ...Array.from({ length: 40 }, (_, at) => `A${at + 1}&A${at + 1}`)];
  const row = (formula: string, at: number) =>
    `<row r="${at + 1}"><c r="A${at + 1}" t="str"><f>${escaped(formula)}</f></c></row>`;

  // The matrix keeps a core for more than a minute.
  const books = [
    ['by many texts', doubled],
    ['by one matrix', ['SUM(MMULT(ROW(A1:A9000),TRANSPOSE(ROW(A1:A9000))))']],
  ] as const;
  testInWhole.each(few(books, 1, 1))(
    'exceeds a limit %s, and does not damage the document',
    async (_name, formulas) => {
      const book = workbookWith({ sheets: [{ rows: formulas.map(row).join('') }] });
      const { bytes } = await prepare(book, { from: 'xlsx', ...OPTIONS });
      await expect(engine.convert(bytes, { from: 'xlsx', to: 'pdf' }, run())).rejects.toMatchObject({
        kind: 'exhausted',
      });
    },
  );
});

describe('the engine counts pages', () => {
  test('of sheets, which have them only for a printer', async () => {
    const rows = Array.from(
      { length: 200 },
      (_, at) => `<row r="${at + 1}">${textCell(`A${at + 1}`, 'x')}</row>`,
    );
    const book = workbookWith({
      sheets: [{ rows: rows.join('') }, { rows: `<row r="1">${textCell('A1', 'y')}</row>` }],
    });
    const { bytes } = await prepare(book, { from: 'xlsx', ...OPTIONS });
    const whole = await engine.convert(bytes, { from: 'xlsx', to: 'pdf' }, run());
    const last = `${whole.pages}`;
    const part = await engine.convert(bytes, { from: 'xlsx', to: 'pdf', pages: last }, run());
    const picture = await engine.convert(bytes, { from: 'xlsx', to: 'png' }, run());
    expect(whole.pages).toBeGreaterThan(3);
    expect([part.pages, part.documentPages, textOf(part.bytes)]).toEqual([1, whole.pages, 'y']);
    expect(picture.documentPages).toBe(whole.pages);
  });

  test('of slides', async () => {
    const show = presentationWith({ slides: [{ shapes: textShape('one') }, { shapes: textShape('two') }] });
    const { bytes } = await prepare(show, { from: 'pptx', ...OPTIONS });
    const part = await engine.convert(bytes, { from: 'pptx', to: 'pdf', pages: '2' }, run());
    expect([part.pages, part.documentPages, textOf(part.bytes)]).toEqual([1, 2, 'two']);
  });
});
