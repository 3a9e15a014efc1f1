import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import * as notDocx from '@scriptorium/testing/fixtures/not-docx';
import { type Deployment, health, until } from './service.ts';
import { sharedService } from './shared-service.ts';

let service: Deployment;
let key: string;
let folder: string;

beforeAll(async () => {
  service = await sharedService();
  key = await service.register();
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-text-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function textOf(pdf: Uint8Array): string {
  const file = join(folder, `${randomBytes(6).toString('hex')}.pdf`);
  writeFileSync(file, pdf);
  return execFileSync('pdftotext', [file, '-'], { encoding: 'utf8' });
}

interface Refusal {
  status: number;
  body: { code: string; message: string; requestId: string; details?: { field: string }[] };
}

/** Posts a raw body, so that the form can be malformed. */
function postRaw(headers: Record<string, string>, body: Uint8Array, query = 'from=docx'): Promise<Refusal> {
  return new Promise((resolve, reject) => {
    const url = `${service.url}/v1/convert?${query}`;
    const request = httpRequest(
      url,
      { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (data) => {
          text += data;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
const part = (name: string, content: string, filename = 'x.docx') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n${content}\r\n`;

describe('POST /v1/convert', () => {
  test('converts a DOCX to a PDF with the same text', async () => {
    const response = await service.convert(key, docxWith(['Dear reader,', 'the weather is fine in Łódź.']));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('x-page-count')).toBe('1');
    const text = textOf(new Uint8Array(await response.arrayBuffer()));
    expect(text).toContain('Dear reader,');
    expect(text).toContain('the weather is fine in Łódź.');
  });

  test('converts the service’s own sample', async () => {
    const sample = await fetch(`${service.url}/sample.docx`);
    const response = await service.convert(key, new Uint8Array(await sample.arrayBuffer()), 'sample.docx');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="sample.pdf"');
    expect(textOf(new Uint8Array(await response.arrayBuffer()))).toContain('A sample letter');
  });

  test('returns to each of many callers their own document', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const response = await service.convert(key, docxWith([`letter number ${i}.`]));
        return textOf(new Uint8Array(await response.arrayBuffer()));
      }),
    );
    answers.forEach((text, i) => {
      expect(text).toContain(`letter number ${i}.`);
    });
  });

  test.each([
    ['a PDF', notDocx.pdf],
    ['a workbook', notDocx.xlsx],
    ['a presentation', notDocx.pptx],
    ['an OpenDocument text', notDocx.odt],
    ['a picture', notDocx.png],
    ['a photo', notDocx.jpeg],
    ['a web page', notDocx.html],
    ['an RTF', notDocx.rtf],
    ['plain text', notDocx.text],
    ['an old binary document', notDocx.oldDoc],
    ['an Office lock file', () => notDocx.lockFile()],
    ['a plain archive', notDocx.plainZip],
    ['a truncated document', () => notDocx.truncatedDocx()],
    ['a single byte', () => Buffer.from('P')],
    ['nothing', () => Buffer.alloc(0)],
    ['noise', () => randomBytes(20_000)],
  ])('refuses %s named .docx with INVALID_FILE_FORMAT', async (_name, file) => {
    const response = await service.convert(key, file());
    expect(response.status).toBe(400);
    const body = (await response.json()) as Refusal['body'];
    expect(body.code).toBe('INVALID_FILE_FORMAT');
    expect(body.requestId).toBe(response.headers.get('x-request-id'));
  });

  test.each([
    ['a password', notDocx.passwordProtectedDocx],
    ['rights management', notDocx.rightsManagedDocx],
    ['archive encryption', notDocx.zipEncryptedDocx],
  ])('refuses a document protected by %s with DOCUMENT_ENCRYPTED', async (_name, file) => {
    const response = await service.convert(key, file());
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'DOCUMENT_ENCRYPTED' });
  });

  test('refuses 26 MiB with 413, with and without a declared length', async () => {
    const large = Buffer.alloc(26 * 1024 * 1024);
    const response = await service.convert(key, large);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('26214400'),
    });
    const body = Buffer.concat([
      Buffer.from(part('file', '').slice(0, -2)),
      large,
      Buffer.from('\r\n--b--\r\n'),
    ]);
    const chunked = await postRaw({ ...multipart, 'transfer-encoding': 'chunked' }, body);
    expect(chunked.status).toBe(413);
  });

  test.each([
    ['from', ''],
    ['from', 'from=xls'],
    ['from', 'from=docx&from=docx'],
    ['to', 'from=docx&to=exe'],
    ['quality', 'from=docx&quality=high'],
  ])('names the parameter at fault: %s in "%s"', async (field, query) => {
    const refusal = await postRaw(multipart, Buffer.from(`${part('file', 'PK')}--b--\r\n`), query);
    expect(refusal.status).toBe(400);
    expect(refusal.body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: `query.${field}` }] });
  });

  test.each([
    ['no part', '--b--\r\n'],
    ['a part of another name', `${part('document', 'PK')}--b--\r\n`],
    ['a second file', `${part('file', 'PK')}${part('file', 'PK')}--b--\r\n`],
    [
      'an additional text field',
      `${part('file', 'PK')}--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n--b--\r\n`,
    ],
    ['no closing boundary', part('file', 'PK')],
    ['a part without a head', '--b\r\n\r\nPK\r\n--b--\r\n'],
    ['a broken part head', '--b\r\nContent-Disposition form-data\r\n\r\nPK\r\n--b--\r\n'],
    ['another boundary', part('file', 'PK').replaceAll('--b', '--c')],
    ['a nameless part', '--b\r\nContent-Disposition: form-data\r\n\r\nPK\r\n--b--\r\n'],
    ['a nested name', `${part('file[a][b]', 'PK')}--b--\r\n`],
    ['an empty body', ''],
    ['noise', '\u0000\u0001--b\r\n\r\n'],
  ])('refuses a form with %s as the caller’s mistake', async (_name, body) => {
    const refusal = await postRaw(multipart, Buffer.from(body));
    expect(refusal.status).toBe(400);
    expect(refusal.body.code).toBe('VALIDATION_ERROR');
  });

  test.each([
    ['a JSON body without a document', { 'content-type': 'application/json' }, 400],
    ['a text', { 'content-type': 'text/plain' }, 415],
    ['no content type', {}, 415],
    ['a form without a boundary', { 'content-type': 'multipart/form-data' }, 400],
    ['a compressed body', { ...multipart, 'content-encoding': 'gzip' }, 415],
  ])('refuses %s', async (_name, headers, status) => {
    expect((await postRaw(headers as Record<string, string>, Buffer.from('{}'))).status).toBe(status);
  });

  test('refuses a caller without a key before reading the document', async () => {
    const response = await service.convert('scr_wrong', Buffer.alloc(1024 * 1024));
    expect(response.status).toBe(401);
  });

  test('leaves nothing of a document in Redis, in folders or in the log', async () => {
    const marker = `marker${randomBytes(8).toString('hex')}`;
    await service.convert(key, docxWith([marker]));
    const job = join('/dev/shm');
    const own = (await readdir(job)).filter((name) =>
      name.startsWith(`scriptorium-engine-${service.converters[0]?.child.pid}-`),
    );
    for (const name of own) {
      const found = execFileSync('sh', ['-c', 'grep -rl "$0" "$1" || true', marker, join(job, name)], {
        encoding: 'utf8',
      });
      expect(found).toBe('');
    }
    expect(service.gateway.log() + (service.converters[0]?.log() ?? '')).not.toContain(marker);
    expect(service.gateway.log() + (service.converters[0]?.log() ?? '')).not.toContain(key);
    await until('Redis is free of documents', () => !redisCommand('KEYS', '*').includes(':blob:'));
  });
});

function redisCommand(...words: string[]): string {
  return execFileSync('redis-cli', ['-s', service.redis.url, ...words], { encoding: 'utf8' });
}

test('the printed quick start matches the service', async () => {
  const text = await (await fetch(`${service.url}/`, { headers: { accept: '*/*' } })).text();
  expect(text).toContain(`curl '${service.url}/v1/auth/register?email=you@example.com'`);
});

test('the health endpoint reports that documents are read within the sandbox', async () => {
  expect((await health(service.url)).checks.sandbox).toBe('enforced');
});
