import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { documentXml, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { ask, isOwn } from '../../callers.ts';
import { type Deployment, deploy } from '../../service.ts';
import { expectNothingLeft } from '../promise.ts';

/** A few kilobytes that take an engine half a minute. */
const TABLE_ROWS = 7_000;
const GREEDY = 4;
const CALM = 6;
/** The first documents of an owner may hold every engine for a second and a half, but not until they are made. */
const ANSWER_MS_MAX = 20_000;

let service: Deployment;
beforeAll(async () => {
  service = await deploy({ settings: { ENGINES: '2' } });
});
afterAll(() => service.close());

function slowDocument(): Buffer {
  const cell = '<w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc>';
  const table = `<w:tbl>${`<w:tr>${cell.repeat(6)}</w:tr>`.repeat(TABLE_ROWS)}</w:tbl><w:p/>`;
  return zip(packageEntries({ mainXml: documentXml([]).replace('<w:body>', `<w:body>${table}`) }));
}

test('documents of one key that take long do not keep the engines from another key', async () => {
  const [greedy, calm] = [await service.register(), await service.register()];
  const file = slowDocument();
  expect(file.length).toBeLessThan(64 * 1024);
  const leaving = new AbortController();
  const form = () => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(file)]), 'slow.docx');
    return body;
  };
  const slow = Array.from({ length: GREEDY }, () =>
    fetch(`${service.url}/v1/convert?from=docx`, {
      method: 'POST',
      headers: { authorization: `Bearer ${greedy}` },
      body: form(),
      signal: leaving.signal,
    }).then(
      ({ status }) => status,
      () => 'left',
    ),
  );
  await sleep(500);
  for (let i = 0; i < CALM; i++) {
    const answer = await ask(service.url, calm);
    expect(answer).toMatchObject({ status: 200, code: undefined });
    expect(answer.ms).toBeLessThan(ANSWER_MS_MAX);
    expect(await isOwn(answer)).toBe(true);
    await sleep(500);
  }
  leaving.abort();
  // A slow document may have ended for another one of its owner, and says so.
  for (const answer of await Promise.all(slow)) expect(['left', 429]).toContain(answer);
  await expectNothingLeft(service);
});
