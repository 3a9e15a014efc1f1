import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import type { AppError } from '@scriptorium/contracts/errors';
import {
  type FinishedRows,
  finishedRows,
  newPack,
  openPack,
  PACKED_BYTES_MAX,
} from '@scriptorium/contracts/jobs/rows';
import { seal } from '@scriptorium/sealing/sealed-box';
import { collectResults, openedBlob } from '@scriptorium/shared/blob/exchange';
import { Secret } from '@scriptorium/shared/config';
import { unsealer } from '@scriptorium/shared/secrets/unsealer';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { type Signing, signReply } from '@scriptorium/signatures/sign-request';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import { Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { openRefWith } from '../src/handler.ts';
import { developmentSigner } from '../src/keys/development.ts';
import { signRowsHandler } from '../src/sign-rows.ts';
import { type SignThreads, signThreads } from '../src/sign-threads.ts';

const SECRET = new Secret('ab'.repeat(32));
const REPORT = {
  filled: 1,
  unmatched: { count: 0, names: [] },
  signaturesRemoved: false,
  macrosRemoved: false,
  linksRemoved: false,
  partsRemoved: false,
  contentRemoved: [],
};
const SERVICE: Signing['key'] = { kind: 'profile', profile: 'service', apiKey: 'key_ada' };
const openssl = new Openssl();
const authority = new TestAuthority(openssl);
const folder = mkdtempSync(join(tmpdir(), 'sign-rows-'));
let threads: SignThreads;
beforeAll(async () => {
  await developmentSigner(folder);
  const file = join(folder, 'authorities.json');
  writeFileSync(file, '{}');
  threads = signThreads({
    threads: 1,
    data: {
      version: '0.0.0',
      profilesFile: undefined,
      developmentKeyFolder: folder,
      timestampProfilesFile: file,
      fetch: { FETCH: 'off', FETCH_ALLOW: [], FETCH_DENY: [] },
    },
  });
  await threads.ready();
});
afterAll(async () => {
  await threads.close();
  rmSync(folder, { recursive: true });
  openssl.remove();
});

type Row = FinishedRows['rows'][number];

/** Signs a pack of the batch `req_1`. A row with bytes is a document, in the pack or as a blob of its own. */
async function signRows(
  rows: readonly (Buffer | Row)[],
  { key = SERVICE, packId = 'req_1.3', signal = new AbortController().signal } = {},
) {
  const blobs = createMemoryBlobStore();
  const leave = async (name: string, bytes: Buffer) => {
    await blobs.put(name, bytes, 60_000);
    return { key: name, bytes: bytes.length };
  };
  const large: [string, Buffer][] = [];
  const pack = newPack<FinishedRows>((bytes) => {
    large.push(['large', bytes]);
    return { key: 'large', bytes: bytes.length };
  });
  const list = rows.map((row) => (Buffer.isBuffer(row) ? { document: pack.add(row), report: REPORT } : row));
  for (const [name, bytes] of large) await leave(name, bytes);
  const signing: Signing = { key, level: 'B-B', hasAuditPages: false, allowBrokenSignatures: false };
  const input = {
    source: await leave('source', pack.bytes({ rows: list, compared: 'same' })),
    request: await leave('request', Buffer.from(JSON.stringify(signing))),
  };
  const failures: AppError[] = [];
  const handler = signRowsHandler({
    threads,
    blobs,
    opening: { unseal: unsealer(SECRET, 'SIGNER_SECRET'), openRef: openRefWith(undefined) },
    onFailure: (_, error) => failures.push(error),
  });
  const { keep, kept } = collectResults(packId, Date.now() + 60_000);
  const context = { requestId: packId, deadlineAt: Date.now() + 60_000, signal, keep };
  const { output, next } = await handler(input, context);
  expect(next).toBeUndefined();
  const bytesOf = (ref: BlobRef) =>
    openedBlob(ref, kept.find(({ key }) => key === ref.key)?.bytes ?? null) ?? Buffer.alloc(0);
  return { ...openPack(bytesOf(output.result), finishedRows), bytesOf, failures };
}

/** The signed document and the reply of a row. */
function signedIn({ list, part, bytesOf }: Awaited<ReturnType<typeof signRows>>, at: number) {
  const row = list.rows[at];
  if (row === undefined || !('document' in row) || row.reply === undefined) throw new Error('not signed');
  const read = (place: typeof row.document) => ('part' in place ? part(place.part) : bytesOf(place.blob));
  return { row, bytes: read(row.document), reply: signReply.parse(JSON.parse(read(row.reply).toString())) };
}

describe('a pack of documents', () => {
  test('is signed one by one, and each has its own reply', async () => {
    const signed = await signRows([plainPdf(), plainPdf()]);
    for (const at of [0, 1]) {
      const { row, bytes } = signedIn(signed, at);
      expect(bytes.subarray(0, plainPdf().length).equals(plainPdf())).toBe(true);
      expect(bytes.includes('/ByteRange')).toBe(true);
      expect(row.report).toEqual(REPORT);
    }
    expect(signed.list.compared).toBe('same');
  });

  test('keeps the errors of earlier steps, and goes on after a document that cannot be signed', async () => {
    const details = [{ field: 'data.a', issue: 'is missing' }];
    const error = { code: 'DATA_MISSING' as const, message: 'x', details };
    const signed = await signRows([
      { error },
      { again: 'failed' },
      Buffer.from('%PDF-1.7 broken'),
      plainPdf(),
    ]);
    expect(signed.list.rows.slice(0, 3)).toEqual([
      { error },
      { again: 'failed' },
      { error: { code: 'INVALID_FILE_FORMAT', message: expect.any(String) } },
    ]);
    expect(signedIn(signed, 3).bytes.includes('/ByteRange')).toBe(true);
    expect(signed.failures).toEqual([]);
  });

  test('may have large documents, before and after', async () => {
    const comment = Buffer.from(`%${'x'.repeat(PACKED_BYTES_MAX)}\n`);
    const pdf = Buffer.from(plainPdf());
    const signed = await signRows([Buffer.concat([pdf, comment])]);
    const { row, bytes } = signedIn(signed, 0);
    expect(row.document).toMatchObject({ blob: { bytes: bytes.length } });
    expect(bytes.length).toBeGreaterThan(PACKED_BYTES_MAX);
  });

  test('is signed with a key that was sealed for its batch, and for no other', async () => {
    authority.issue('caller', { kind: 'p256' });
    const pem = {
      kind: 'pem',
      privateKey: authority.text('caller.key'),
      certificates: authority.chain('caller'),
    };
    const key: Signing['key'] = {
      kind: 'sealed',
      box: seal(SECRET, 'req_1', Buffer.from(JSON.stringify(pem))),
    };
    const signed = await signRows([plainPdf(), plainPdf()], { key });
    expect(signedIn(signed, 1).bytes.includes('/ByteRange')).toBe(true);
    for (const packId of ['req_2.3', 'req_1', 'req_1.3.1']) {
      const failed = await signRows([plainPdf()], { key, packId }).then(() => undefined, toAppError);
      expect([packId, failed?.code]).toEqual([packId, 'INTERNAL_ERROR']);
    }
  });

  test('throws when it is aborted', async () => {
    const failed = signRows([plainPdf()], { signal: AbortSignal.abort() }).then(() => undefined, toAppError);
    expect((await failed)?.code).toBe('DEADLINE_EXCEEDED');
  });
});
