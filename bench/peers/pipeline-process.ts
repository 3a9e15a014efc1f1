/**
 * pipeline-process.ts WAY LISTENERS RESTART_AFTER
 *
 * A service as its users would build it, in a process of its own. Here docxtemplater fills a template that it knows, and
 * LibreOffice converts the result. Driven by messages instead of HTTP.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docxtemplater from 'docxtemplater';
import PizZip from 'pizzip';
import { Gotenberg } from './gotenberg.ts';
import { UnoListeners } from './uno-listeners.ts';
import { UnoServers } from './uno-servers.ts';

/** What this process is asked to do; each message is answered with one of the same id. */
export type Order =
  | { id: number; type: 'learn'; template: string; docx: Uint8Array }
  | { id: number; type: 'make'; template: string; data: object }
  | { id: number; type: 'settle' };

export interface Answer {
  id: number;
  pdf?: Uint8Array;
  error?: string;
}

interface Converter {
  convert(docx: Buffer): Promise<Buffer>;
  settled?(): Promise<void>;
  close(): Promise<void>;
}

const [, , way = '', listeners = '1', restartAfter = '0'] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'bench-pipeline-'));
const templates = new Map<string, Uint8Array>();

const WAYS: Record<string, () => Promise<Converter>> = {
  listeners: async () => {
    const pool = new UnoListeners(Number(listeners), folder);
    await pool.start();
    return pool;
  },
  unoserver: async () => {
    const servers = new UnoServers(folder, Number(restartAfter));
    await servers.start(Number(listeners));
    return servers;
  },
  gotenberg: async () => {
    const gotenberg = new Gotenberg(folder, Number(restartAfter));
    await gotenberg.start();
    return gotenberg;
  },
};

function fill(template: Uint8Array | undefined, data: object): Buffer {
  if (template === undefined) throw new Error('unknown template');
  const document = new Docxtemplater(new PizZip(template), { linebreaks: true, paragraphLoop: true });
  document.render(data);
  return document.toBuffer();
}

async function obey(converter: Converter, order: Order): Promise<Buffer | undefined> {
  if (order.type === 'learn') templates.set(order.template, order.docx);
  if (order.type === 'settle') await converter.settled?.();
  return order.type === 'make'
    ? await converter.convert(fill(templates.get(order.template), order.data))
    : undefined;
}

const converter = await WAYS[way]?.();
if (converter === undefined) throw new Error(`unknown way: ${way}`);
process.on('message', async (order: Order) => {
  const { id } = order;
  const answer = await obey(converter, order).then(
    (pdf): Answer => (pdf === undefined ? { id } : { id, pdf }),
    (error): Answer => ({ id, error: String(error) }),
  );
  process.send?.(answer);
});
process.once('disconnect', async () => {
  await converter.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
process.send?.({ id: 0 } satisfies Answer);
