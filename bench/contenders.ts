import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '@scriptorium/converter/engines/engine';
import { LibreOfficeKitEngine } from '@scriptorium/converter/engines/kit/libreofficekit';
import { LibreOfficeConvertEngine } from '@scriptorium/converter/engines/libreoffice-convert';
import type { ProcessInfo } from '@scriptorium/testing/processes';
import { UnoListeners } from './peers/uno-listeners.ts';

const TIMEOUT_MS = 60_000;

/** One way to turn a DOCX into a PDF. */
export interface Contender {
  readonly name: string;
  start(): Promise<void>;
  convert(docx: Buffer): Promise<Buffer>;
  /**
   * Whether a process belongs to this contender, if that can be distinguished; undefined if its processes run
   * elsewhere.
   */
  owns: ((process: ProcessInfo) => boolean) | undefined;
  /** The parent of this contender's processes, if it is not this process. */
  root?: number | undefined;
  close(): Promise<void>;
}

function engineContender(engine: Engine, owns: (process: ProcessInfo) => boolean): Contender {
  return {
    name: engine.name,
    owns,
    start: () => engine.start(),
    close: () => engine.close(),
    convert: async (docx) => {
      const run = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal };
      return (await engine.convert(docx, { from: 'docx', to: 'pdf' }, run)).bytes;
    },
  };
}

export function zygotes(count: number): Contender {
  return engineContender(new LibreOfficeKitEngine({ zygotes: count }), ({ name }) => name === 'engine-host');
}

export function packageContender(slots: number): Contender {
  const engine = new LibreOfficeConvertEngine({ slots });
  return engineContender(engine, ({ commandLine }) => commandLine.includes('libreofficeConvert_'));
}

export function unoContender(count: number): Contender {
  let dir = '';
  let listeners: UnoListeners | undefined;
  return {
    name: 'bare UNO listener',
    owns: ({ commandLine }) => commandLine.includes(dir),
    start: async () => {
      dir = mkdtempSync(join(tmpdir(), 'bench-uno-'));
      listeners = new UnoListeners(count, dir);
      await listeners.start();
    },
    convert: async (docx) => {
      if (listeners === undefined) throw new Error('the UNO listeners are not started');
      return await listeners.convert(docx);
    },
    close: async () => {
      await listeners?.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The whole service over HTTP; undefined without BASE_URL and API_KEY. */
export function serviceContender(
  baseUrl: string | undefined,
  apiKey: string | undefined,
  stackPid: number | undefined,
): Contender | undefined {
  if (baseUrl === undefined || apiKey === undefined) return undefined;
  const post = async (docx: Buffer) => {
    const body = new FormData();
    body.set('file', new Blob([new Uint8Array(docx)]), 'document.docx');
    const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/pdf' };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const reply = await fetch(`${baseUrl}/v1/convert?from=docx`, { method: 'POST', headers, body, signal });
    const answer = Buffer.from(await reply.arrayBuffer());
    if (!reply.ok) throw new Error(`${reply.status} ${answer.toString('utf8', 0, 300)}`);
    return answer;
  };
  return {
    name: 'service over HTTP',
    owns: stackPid === undefined ? undefined : () => true,
    root: stackPid,
    start: async () => {},
    convert: post,
    close: async () => {},
  };
}
