import { expect } from '@jest/globals';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import { type Rig, startRig } from './rig.ts';
import { docx, inBase64, signAll, until } from './signing-rig.ts';
import { GENERATE_REPORT, type GenerationAsked, REPORT } from './workers.ts';

export const document = inBase64(docx);
export const data = { name: 'Ada', items: [{ price: 1.5 }] };

/** A gateway, and workers of each step that a test starts. */
export interface GeneratingRig {
  rig: Rig;
  generate(body: object, query?: string, options?: Parameters<Rig['postJson']>[3]): Promise<Response>;
  /** Stops the worker after the test. */
  until(stop: () => Promise<void>): void;
  /** Appends a text to each template, and keeps the last input. */
  startGenerator(report?: typeof GENERATE_REPORT): { last?: GenerationAsked };
  startConverter(): Promise<{ last?: Conversion }>;
  startSigner(): ReturnType<typeof signAll>['asked'];
  /** Stops the workers. Nothing of a document must be left. */
  clear(): Promise<void>;
}

export async function startGeneratingRig(settings: Record<string, string> = {}): Promise<GeneratingRig> {
  const rig = await startRig(settings);
  const { key } = await rig.newKey();
  const stops: (() => Promise<void>)[] = [];
  return {
    rig,
    generate: (body, query = '', options = {}) =>
      rig.postJson(key, `/v1/generate${query}`, { document, ...body }, options),
    until: (stop) => void stops.push(stop),
    startGenerator(report = GENERATE_REPORT) {
      const asked: { last?: GenerationAsked } = {};
      const stop = rig.generateWith(async (request) => {
        asked.last = request;
        return { bytes: Buffer.concat([request.source, Buffer.from(' filled')]), report };
      });
      stops.push(stop);
      return asked;
    },
    async startConverter() {
      const asked: { last?: Conversion } = {};
      const stop = await rig.convertWith(async (bytes, _context, options) => {
        asked.last = options;
        return { bytes: Buffer.from(`%PDF of ${bytes}`), report: { ...REPORT, pages: 3, warnings: 2 } };
      });
      stops.push(stop);
      return asked;
    },
    startSigner() {
      const { asked, stop } = signAll(rig);
      stops.push(stop);
      return asked;
    },
    async clear() {
      await Promise.all(stops.splice(0).map((stop) => stop()));
      expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
    },
  };
}

export async function documentOf(response: Response) {
  expect(response.status).toBe(200);
  const { document: made, ...rest } = (await response.json()) as {
    document: { base64: string; contentType: string };
  };
  const prefix = `data:${made.contentType};base64,`;
  expect(made.base64.slice(0, prefix.length)).toBe(prefix);
  return { text: Buffer.from(made.base64.slice(prefix.length), 'base64').toString(), made, rest };
}
