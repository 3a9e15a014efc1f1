import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPackage } from '@scriptorium/ooxml/package';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { textFrom } from '@scriptorium/testing/pdf-reading';
import type { Canaries } from '../canaries.ts';

export const ROWS = 40;
/** What a store needs for each object. */
const PUT_MS = 50;
/** A store refuses each of so many objects at first. */
const REFUSES_EACH = 10;

const TEMPLATE = templateOf(p(run('{word}')) + p(sdt({ id: 7 }, run('prompt'))));
const inBase64 = (bytes: Buffer) => ({ base64: bytes.toString('base64') });
const PDF = 'application/pdf';

/** What a listener of webhooks heard of one job. */
interface Heard {
  job: number;
  id: string;
  type: string;
  endedAt: string;
}

/** A store, a listener of webhooks and a server of inputs, for jobs with numbers. Each address and document has a canary. */
export async function startStore(canaries: Canaries) {
  const objects = new Map<string, Buffer>();
  const heard: Heard[] = [];
  let puts = 0;
  const word = (job: number, row?: number) => canaries.word(`J${job}${row === undefined ? '' : `R${row}`}E`);
  const signature = canaries.word('Address');
  const rowsOf = (job: number, isBare = false) =>
    Array.from({ length: ROWS }, (_, row) => ({
      data: { word: word(job, row) },
      ...(!isBare && { deliver: { put: { url: at(`put/${job}/${row}`) } } }),
    }));
  const contents = (kind = '', job: number): Buffer => {
    if (kind === 'template') return TEMPLATE;
    if (kind === 'letter') return docxWith([word(job)]);
    const rows = rowsOf(job, kind === 'bare').map((row) => `${JSON.stringify(row)}\n`);
    return Buffer.from(rows.join(''));
  };
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const path = new URL(request.url ?? '', 'http://localhost').pathname.slice(1);
    const [kind, job] = path.split('/');
    if (request.method === 'GET') response.setHeader('etag', '"1"').end(contents(kind, Number(job)));
    else if (request.method === 'POST') {
      const { type, data } = JSON.parse(body.toString());
      const id = String(request.headers['webhook-id']);
      heard.push({ job: Number(job), id, type, endedAt: data.endedAt });
      response.end();
    } else {
      puts += 1;
      await sleep(PUT_MS);
      if (puts % REFUSES_EACH === 0) return response.writeHead(503).end();
      objects.set(path, body);
      response.setHeader('etag', '"2"').end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (path: string) => `http://${place}/${path}?signature=${signature}`;
  return {
    ...{ objects, heard, place, at, word, rowsOf },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export type Store = Awaited<ReturnType<typeof startStore>>;

/** A request of a job, and the operations that it counts. */
export interface MixedJob {
  path: string;
  counts: [operation: string, count: number];
  accept?: string;
  /** It has only addresses: Redis may lose everything. */
  isFetched?: boolean;
  body: object;
  /** The words in each of its documents: of one that waits, by no name; of others, by the names in the store. */
  expected: Record<string, string> | 'lines' | 'report';
}

const sign = {
  signer: { name: 'Ada Lovelace', email: 'ada@example.com' },
  auditTrail: [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z' }],
};
export const CONTRACT = { document: inBase64(docxWith(['A contract'])), ...sign };

/** Jobs of each kind in turns. `signed` is what is verified. */
export function mixedJob(job: number, { at, word, rowsOf }: Store, signed: Buffer): MixedJob {
  const convert = { path: '/v1/convert?from=docx', counts: ['convert', 1] as [string, number] };
  const deliver = { put: { url: at(`put/${job}`) } };
  const there = { [`put/${job}`]: word(job) };
  const letter = inBase64(docxWith([word(job)]));
  const byRow = Object.fromEntries(
    Array.from({ length: ROWS }, (_, row) => [`put/${job}/${row}`, word(job, row)]),
  );
  const template = inBase64(TEMPLATE);
  const rows = (kind: string) => ({
    ...{ counts: ['generate', ROWS] as [string, number], isFetched: true },
    body: { document: { url: at('template') }, rows: { url: at(`${kind}/${job}`) } },
  });
  const kinds: MixedJob[] = [
    { ...convert, body: { document: letter }, expected: { '': word(job) } },
    { ...convert, body: { document: letter, deliver }, expected: there },
    {
      ...{ ...convert, isFetched: true, expected: there },
      body: { document: { url: at(`letter/${job}`) }, deliver },
    },
    {
      ...{ path: '/v1/generate?to=pdf', counts: ['generate', 1], accept: PDF, expected: there },
      body: { document: template, data: { word: word(job) }, sign, deliver },
    },
    {
      ...{ path: '/v1/annotate?to=pdf', counts: ['annotate', 1], accept: PDF, expected: { '': word(job) } },
      body: { document: template, fields: [{ id: '7', type: 'text', value: word(job) }] },
    },
    {
      ...{ path: '/v1/merge?to=pdf', counts: ['merge', 1], accept: PDF, isFetched: true, expected: there },
      body: { documents: [1, 2].map(() => ({ url: at(`letter/${job}`) })), deliver },
    },
    {
      ...{ path: '/v1/sign?to=pdf', counts: ['sign', 1], accept: PDF, expected: there },
      body: { document: letter, ...sign, deliver },
    },
    {
      ...{ path: '/v1/verify', counts: ['verify', 1], expected: 'report' },
      body: { document: inBase64(signed) },
    },
    { path: '/v1/batches', ...rows('rows'), expected: byRow },
    {
      ...{ path: '/v1/batches?to=pdf', counts: ['generate', ROWS], expected: byRow },
      body: { document: template, rows: rowsOf(job) },
    },
    {
      ...{ path: '/v1/batches?output=ndjson', counts: ['generate', ROWS], isFetched: true },
      expected: 'lines',
      body: {
        ...rows('bare').body,
        deliver: { parts: { urls: [at(`put/${job}`)], bytes: 5 * 2 ** 20 } },
      },
    },
  ];
  return kinds[job % kinds.length] as MixedJob;
}

/** The text of a DOCX, of the first page of a PDF, or of one of them in JSON. */
export async function textIn(bytes: Buffer): Promise<string> {
  if (bytes.subarray(0, 4).toString() === '%PDF') return textFrom(bytes, 1);
  if (bytes.subarray(0, 2).toString() === 'PK') {
    const { main } = await openPackage(bytes);
    return main.bytes.toString().replace(/<[^<>]{0,500}>/g, '');
  }
  const { document } = JSON.parse(bytes.toString()) as { document: { base64: string } };
  return textIn(Buffer.from(document.base64.slice(document.base64.indexOf(',') + 1), 'base64'));
}
