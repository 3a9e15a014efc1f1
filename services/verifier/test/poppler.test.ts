import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ComparisonRequest, compareRevisions } from '@scriptorium/rendering/compare-revisions';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { boundlessPdf } from '@scriptorium/testing/fixtures/pdf/costly';
import { onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { encryptedBy } from '@scriptorium/testing/fixtures/pdf/programs';
import { processTree } from '@scriptorium/testing/processes';
import { compareWithPoppler } from '../src/poppler.ts';
import { PopplerConnection } from '../src/poppler-connection.ts';
import { PopplerHost, tryPoppler } from '../src/poppler-host.ts';
import { RenderThread } from '../src/render-threads.ts';
import { startSecondReader } from '../src/second-reader.ts';
import { annotated, FRAMED_LINK, type Note, POPPLER_ONLY, STAMP } from './annotated.ts';

const folder = mkdtempSync(join(tmpdir(), 'poppler-test-'));
const make = (target: string) =>
  execFileSync('make', ['-s', '-C', fileURLToPath(new URL('../second-reader', import.meta.url)), target]);
const host = new PopplerHost();
beforeAll(async () => {
  make('all');
  make('probe');
  await host.start();
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

const pageWith = (added: readonly number[]) => ({
  page: 0,
  fields: [],
  annotations: [],
  added,
  unsure: [],
  isPrintedToo: true,
});
const requestOf = (bytes: Buffer, before = bytes.length, added: readonly number[] = []) => ({
  bytes,
  comparisons: [{ before, now: bytes.length, pages: [pageWith(added)] }],
  pictures: [],
});
const REPAIRED = 'Poppler repairs the document, and drawing all of its pages takes too long.';
const byPoppler = async (request: ComparisonRequest, name = host.name, timeoutMs?: number) =>
  (await compareWithPoppler(request, { name, timeoutMs })).compared;

test('the program names its walls and the version of Poppler', async () => {
  expect(await tryPoppler()).toMatch(/^enforced landlock-\d+,seccomp poppler-\d+\.\d+\.\d+$/);
});

describe('beside PDFium, Poppler', () => {
  const updateOf = (note: Note) => {
    const before = plainPdf();
    return requestOf(annotated(before, [note]), before.length, [0]);
  };
  const pagesOf = ({ comparisons }: Awaited<ReturnType<typeof byPoppler>>) => {
    expect(comparisons.map(({ failure }) => failure)).toEqual([undefined]);
    return comparisons[0]?.differences.map(({ page }) => page);
  };

  test.each([
    ...Object.entries(POPPLER_ONLY),
    ['a link with an empty look and a wide frame', FRAMED_LINK],
  ] as const)('alone finds the difference of %s', async (_, note) => {
    const request = updateOf(note);
    expect(pagesOf(await compareRevisions(request))).toEqual([]);
    expect(pagesOf(await byPoppler(request))).toEqual([0]);
  });

  test('finds none where a stamp was added beside the text', async () => {
    expect(pagesOf(await byPoppler(updateOf(STAMP)))).toEqual([]);
  });

  test('keeps what was hidden before, where paper shows a cover: it would lie under that, over the text', async () => {
    const hidden = { keys: '/Subtype/Stamp/F 6/Rect[0 0 612 792]', look: '1 g 0 0 20 20 re f' };
    const onPaper = { keys: '/Subtype/Stamp/F 36/Rect[40 490 130 520]', look: '1 g 0 0 20 20 re f' };
    const before = annotated(plainPdf(), [hidden]);
    const bytes = annotated(before, [STAMP, onPaper]);
    const pages = [{ ...pageWith([0, 1, 2]), annotations: [0] }];
    const request = {
      bytes,
      comparisons: [{ before: before.length, now: bytes.length, pages }],
      pictures: [],
    };
    expect(pagesOf(await byPoppler(request))).toEqual([0]);
  });

  test.each(['V5 R6, AES-256', 'V4 R4, AES-128'] as const)(
    'counts the pages, and opens a document with its password (%s)',
    async (kind) => {
      const user = kind.includes('256') ? 'Zürich' : 'Zurich';
      const bytes = await encryptedBy(plainPdf(), { kind, user });
      const compared = await byPoppler({ ...requestOf(bytes), password: user });
      expect(compared.readings).toEqual([
        { end: bytes.length, pages: 1, signatures: [], signatureFields: 0 },
      ]);
      expect(compared.comparisons).toEqual([{ differences: [] }]);
    },
  );

  test('finds what an update hides in a stream from readers that follow its table', async () => {
    const before = plainPdf();
    const hidden = '4 0 obj\n<</Length 33>>\nstream\nBT /F1 20 Tf 50 500 Td (900) Tj ET\nendstream\nendobj\n';
    const added = annotated(before, [{ keys: '/Subtype/Text/Rect[0 0 9 9]', look: hidden }]);
    const bytes = Buffer.from(
      added.toString('latin1').replace(/\/Size \d+(?!.*\/Size)/s, '/Size 99999999'),
      'latin1',
    );
    const others = (of: Buffer) => ({
      bytes: of,
      comparisons: [{ before: before.length, now: of.length, pages: [], everyPageBut: [] }],
      pictures: [],
    });
    expect((await byPoppler(others(bytes))).comparisons).toEqual([
      { differences: [{ page: 0, regions: [] }] },
    ]);
    expect((await byPoppler(others(before))).comparisons).toEqual([{ differences: [] }]);
  });

  test.each<[string, (pdf: string) => string, string | undefined]>([
    ['which it need not repair', (pdf) => pdf, undefined],
    ['which it repairs to open it', (pdf) => pdf.replace(/xref\n0 \d+/, 'xref\n0 99999999'), REPAIRED],
    ['which it repairs to read an object', (pdf) => pdf.replace('\n4 0 obj', '4 0  obj\n'), REPAIRED],
  ])('reads pages without drawing them only in a document %s', async (_, edit, failure) => {
    const bytes = Buffer.from(edit(plainPdf().toString('latin1')), 'latin1');
    const reader = new PopplerConnection(host.name);
    reader.send(`0 ${bytes.length}\n`, bytes);
    await reader.ask(`open 0 ${bytes.length}`, 'unreadable');
    const looked = reader.ask('look 0 0 0', 'unreadable').catch(({ message }) => ({ words: [message] }));
    expect((await looked).words[0]).toEqual(failure ?? expect.stringMatching(/^\d+:\d+:0*1:0*1$/));
    reader.close();
  });

  test('says that it cannot read a file', async () => {
    const { comparisons } = await byPoppler(requestOf(Buffer.from('not a PDF')));
    expect(comparisons[0]?.failure).toEqual({
      code: 'UNREADABLE',
      message: 'Poppler cannot read the document.',
    });
  });
});

/** An array of 40 million numbers, which takes more than a gigabyte of memory. */
function bombPdf(): Buffer {
  const bodies = [...onePage()];
  const content = deflateSync(Buffer.from(`[${'0 '.repeat(40_000_000)}] 0 d`));
  bodies[3] = streamBody('/Filter/FlateDecode', content);
  return classicPdf(bodies);
}

const failureOf = async (bytes: Buffer, name?: string, timeoutMs?: number) =>
  (await byPoppler(requestOf(bytes), name, timeoutMs)).comparisons[0]?.failure;
const FAILED = { code: 'FAILED', message: 'Poppler failed on the document.' };
const children = () => {
  const [own] = processTree().filter(({ name }) => name === 'second-reader');
  return own === undefined ? [] : processTree(own.pid).slice(1);
};
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe('a process that', () => {
  test('takes more memory than its limit leaves a failure, and the next one draws', async () => {
    expect(await failureOf(bombPdf())).toEqual(FAILED);
    expect(await failureOf(plainPdf())).toBeUndefined();
  });

  test('draws for long ends with the thread that waits for it', async () => {
    const thread = new RenderThread({ poppler: { name: host.name } });
    await thread.ready();
    const answer = thread.second?.compare(requestOf(boundlessPdf()));
    await until(() => children().length > 0);
    await thread.close();
    expect(await answer).toBe('rendering was stopped');
    await until(() => children().length === 0);
  });
});

/** A host that answers otherwise. */
async function otherHost(answer: (socket: Socket) => void): Promise<{ name: string; server: Server }> {
  const name = `other-${process.pid}-${Math.random()}`;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    answer(socket);
  });
  await once(server.listen({ path: `\0${name}` }), 'listening');
  return { name, server };
}

describe('a connection that', () => {
  test('gets no answer is closed after its limit', async () => {
    const closed = Promise.withResolvers<void>();
    const { name, server } = await otherHost((socket) => void socket.resume().once('close', closed.resolve));
    expect(await failureOf(plainPdf(), name, 1_000)).toEqual({
      code: 'FAILED',
      message: 'Poppler takes longer than the limit of 1 seconds.',
    });
    await closed.promise;
    server.close();
  });

  test.each<[string, (socket: Socket) => void, string]>([
    ['ends', (socket) => socket.destroy(), 'failed on the document'],
    ['gets a line without an end', (socket) => socket.write('y'.repeat(1_000)), 'failed on the document'],
    ['gets more than it asked for', (socket) => socket.write('ok 1 1\nok 1 1\n'), 'failed on the document'],
    ['gets what is no answer', (socket) => socket.write('gone\n'), 'failed on the document'],
    [
      'hears that the time is over',
      (socket) => socket.write('gone 24 10004\n'),
      'takes longer than the limit of 10 seconds of processor time',
    ],
  ])('%s leaves a failure', async (_, answer, what) => {
    const { name, server } = await otherHost((socket) => socket.once('data', () => answer(socket)));
    const answered = failureOf(plainPdf(), name);
    expect(await answered).toEqual({ code: 'FAILED', message: `Poppler ${what}.` });
    server.close();
  });
});

describe('a host', () => {
  test('is not started with SECOND_READER=off', async () => {
    expect(await startSecondReader({ SECOND_READER: 'off' })).toEqual({
      host: undefined,
      why: 'SECOND_READER=off',
    });
  });

  test('draws a page before it counts as started', async () => {
    const started = await startSecondReader({ SECOND_READER: 'required' });
    expect([started.host?.isUp, started.why]).toEqual([true, await tryPoppler()]);
    await started.host?.close();
  });

  test('that cannot be started ends the start only if it is required', async () => {
    const program = join(folder, 'nothing');
    const why = `${program} cannot be started (ENOENT)`;
    expect(await startSecondReader({ SECOND_READER: 'preferred' }, { program })).toEqual({
      host: undefined,
      why,
    });
    await expect(startSecondReader({ SECOND_READER: 'required' }, { program })).rejects.toMatchObject({
      mistakes: [`SECOND_READER: ${why}`],
    });
  });

  test('that was killed is started again', async () => {
    const ended = Promise.withResolvers<void>();
    const other = new PopplerHost({ onEnd: ended.resolve });
    await other.start();
    const [killed] = processTree().filter(({ commandLine }) => commandLine.includes(other.name));
    process.kill(killed?.pid ?? 0, 'SIGKILL');
    await ended.promise;
    expect(await failureOf(plainPdf(), other.name)).toEqual({
      code: 'FAILED',
      message: 'Poppler is not running.',
    });
    while ((await failureOf(plainPdf(), other.name)) !== undefined) await new Promise(setImmediate);
    await other.close();
  });
});

test('a document that has taken the process over reaches no file, socket, process, thread or program', () => {
  const canary = join(folder, 'canary');
  writeFileSync(canary, 'sings');
  const probe = fileURLToPath(new URL('../dist/second-reader-probe', import.meta.url));
  const outcomes = (...more: string[]) =>
    execFileSync(probe, [canary, ...more], { encoding: 'utf8' })
      .trim()
      .split('\n');
  expect(outcomes()).toEqual([
    'read_file EACCES',
    'read_accounts EACCES',
    'write_file EACCES',
    'create_file EACCES',
    'read_environment_of_parent EACCES',
    'open_socket EAFNOSUPPORT',
    'open_local_socket EAFNOSUPPORT',
    'start_process EPERM',
    'start_thread EPERM',
    'signal_parent EPERM',
    'take_memory ENOMEM',
    'start_program EPERM',
  ]);
  expect(existsSync(`${canary}.new`)).toBe(false);
  // So it is the walls that stop them.
  expect(outcomes('free').filter((line) => !line.endsWith(' done'))).toEqual([]);
});
