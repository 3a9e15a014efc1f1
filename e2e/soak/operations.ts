import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { textCell, workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { type Answer, answerTo, ask, askFilled, askMerged, askSigned, askVerified } from '../callers.ts';
import { postDocument } from '../service.ts';

/** Sends one small request, and waits for its whole answer. Never throws. */
export type Operation = (url: string, key: string) => Promise<Answer>;

const LETTER = templateOf(p(run('Dear {name}, this letter has the number {number}.')));
const WORKBOOK = workbookWith({ sheets: [{ rows: `<row r="1">${textCell('A1', 'one cell')}</row>` }] });
const base64 = LETTER.toString('base64');
const data = { name: 'Ada', number: 7 };

const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

/** Sends JSON. */
export const post = (url: string, key: string, body: object, more: RequestInit = {}): Promise<Response> =>
  fetch(url, {
    ...more,
    method: 'POST',
    headers: { ...headersOf(key), ...more.headers },
    body: JSON.stringify(body),
  });

const bytes = (body: Buffer): Buffer => body;

/** A job, from its start until its result is fetched. */
async function resultOfJob(url: string, key: string): Promise<Response> {
  const body = { document: { base64 } };
  const headers = { prefer: 'respond-async' };
  const accepted = await post(`${url}/v1/convert?from=docx`, key, body, { headers });
  if (accepted.status !== 202) return accepted;
  const { id } = (await accepted.json()) as { id: string };
  const state = await fetch(`${url}/v1/jobs/${id}`, { headers: { ...headersOf(key), prefer: 'wait=60' } });
  await state.arrayBuffer();
  return fetch(`${url}/v1/jobs/${id}/result`, { headers: headersOf(key) });
}

/** By the names of the table. `signed` is what is verified. */
export const operationsOn = (signed: Answer): Record<string, Operation> => ({
  convert: (url, key) => ask(url, key),
  'convert xlsx': (url, key) =>
    answerTo('', () => postDocument(url, key, WORKBOOK, 'table.xlsx', { query: 'from=xlsx' })),
  annotate: (url, key) => askFilled(url, key, [], 'docx'),
  generate: (url, key) =>
    answerTo('', () => post(`${url}/v1/generate?to=docx`, key, { document: { base64 }, data }), bytes),
  merge: (url, key) => askMerged(url, key),
  inspect: (url, key) =>
    answerTo('', () => post(`${url}/v1/templates/inspect`, key, { document: { base64 } }), bytes),
  sign: (url, key) => askSigned(url, key),
  verify: (url, key) => askVerified(url, key, signed),
  job: (url, key) => answerTo('', () => resultOfJob(url, key)),
  batch: (url, key) =>
    answerTo('', () =>
      post(`${url}/v1/batches?to=docx`, key, { document: { base64 }, rows: [{ data }, { data }, { data }] }),
    ),
});
