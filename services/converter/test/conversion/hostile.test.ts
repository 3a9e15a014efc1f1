import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import { conform as conformPdf } from '@scriptorium/pdf/conformance';
import { few } from '@scriptorium/testing/extent';
import {
  type HostileDocument,
  imageDocument,
  type Targets,
} from '@scriptorium/testing/fixtures/hostile/document';
import { pngImage } from '@scriptorium/testing/fixtures/hostile/image-files';
import { hostileDocuments } from '@scriptorium/testing/fixtures/hostile/table';
import { convert } from '../../src/conversion/convert.ts';
import { systemFonts } from '../../src/conversion/fonts.ts';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { type Finish, sanitizerThreads } from '../../src/threads/threads.ts';
import { pdfOrNone, run } from '../engines/engine.suite.ts';
import { textOf } from '../rigs/pdf-text.ts';

const ANSWER_MS_MAX = 60_000;
const CANARY_TEXT = 'This sentence must stay secret';
const CANARY_COLOR = [13, 201, 77] as const;
/** Colors shift a little where an engine compresses an image. */
const COLOR_TOLERANCE = 6;
const OPTIONS = {
  from: 'docx',
  to: 'pdf',
  revisions: 'markup',
  comments: 'hide',
  updateFields: 'none',
} as Conversion;

const directory = mkdtempSync(join(tmpdir(), 'hostile-'));
const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.url ?? '');
  response.end();
});
const engine = new LibreOfficeKitEngine({ zygotes: 1, workRoot: directory });
const sanitizer = sanitizerThreads({ threads: 1, data: {} });

// The table is built before any test runs, so that each document is a separate test.
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const targets: Targets = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, directory };
const documents = hostileDocuments(targets);

beforeAll(async () => {
  // World-readable: its mode must not be what prevents reading it.
  chmodSync(directory, 0o755);
  writeFileSync(join(directory, 'canary.txt'), CANARY_TEXT, { mode: 0o644 });
  writeFileSync(join(directory, 'canary.png'), pngImage(40, 40, { color: [...CANARY_COLOR] }), {
    mode: 0o644,
  });
  await engine.start();
});

afterAll(async () => {
  await Promise.all([engine.close(), sanitizer.close(), new Promise((resolve) => server.close(resolve))]);
  rmSync(directory, { recursive: true, force: true });
});

beforeEach(() => {
  requests.length = 0;
});

/** Whether one of the images in a PDF has the canary's color in its middle. */
function showsCanary(pdf: Buffer): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'hostile-images-'));
  try {
    writeFileSync(join(dir, 'in.pdf'), pdf);
    execFileSync('pdfimages', [join(dir, 'in.pdf'), join(dir, 'image')]);
    return readdirSync(dir)
      .filter((name) => name.endsWith('.ppm'))
      .some((name) => {
        const ppm = readFileSync(join(dir, name));
        const pixels = ppm.subarray(
          /^P6\s+\d+\s+\d+\s+255\s/.exec(ppm.toString('latin1', 0, 40))?.[0].length,
        );
        const middle = 3 * Math.floor(pixels.length / 6);
        return CANARY_COLOR.every(
          (value, index) => Math.abs(value - (pixels[middle + index] ?? 0)) <= COLOR_TOLERANCE,
        );
      });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function expectNothingTaken(pdf: Buffer): void {
  expect(requests).toEqual([]);
  expect(textOf(pdf)).not.toContain(CANARY_TEXT);
  expect(showsCanary(pdf)).toBe(false);
}

test('the canary check detects the canary in a PDF', async () => {
  const image = pngImage(40, 40, { color: [...CANARY_COLOR] });
  const { bytes } = await run(engine, imageDocument(image));
  expect(showsCanary(bytes)).toBe(true);
});

describe('the converter removes or refuses every hostile content', () => {
  const named = documents.map((document) => [`${document.threat}: ${document.name}`, document] as const);

  // The test of the sanitizer has each document. Here is one of several in a row, which are of one kind.
  test.each(few(named, 16, 24))(
    '%s',
    async (_name, document) => {
      const answer = await attempt(document);
      if ('code' in document.expect) expect(answer).toEqual({ code: document.expect.code });
      else if ('pdf' in answer) expectNothingTaken(answer.pdf);
      // Within the sanitizer's limits, it may still exceed what an engine can lay out in time.
      else expect(['DOCUMENT_TOO_COMPLEX', 'DEADLINE_EXCEEDED']).toContain(answer.code);
      expect(requests).toEqual([]);
    },
    2 * ANSWER_MS_MAX,
  );
});

async function attempt({ make }: HostileDocument): Promise<{ code: string } | { pdf: Buffer }> {
  const context = { signal: new AbortController().signal, deadlineAt: Date.now() + ANSWER_MS_MAX };
  const finish: Finish = async ({ bytes, claims }) => ({ ...conformPdf(bytes, claims), removed: [] });
  const parts = {
    engines: [engine],
    prepare: sanitizer.prepare,
    fonts: systemFonts(),
    finish,
    draw: () => Promise.reject(new Error('no image is asked for')),
    onRemoved: () => {},
  };
  try {
    return { pdf: (await convert(parts, make(), OPTIONS, context)).bytes };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code };
  }
}

describe('the walls around the engine are sufficient without the sanitizer', () => {
  const reaching = documents.filter(({ threat }) => ['T1', 'T2', 'T5'].includes(threat));

  test.each(
    few(reaching, 6, 12).map((document) => [`${document.threat}: ${document.name}`, document] as const),
  )(
    '%s',
    async (_name, document) => {
      const pdf = await pdfOrNone(run(engine, document.make()));
      if (pdf !== undefined) expectNothingTaken(pdf);
      expect(requests).toEqual([]);
    },
    2 * ANSWER_MS_MAX,
  );
});
