import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCertificate } from '@scriptorium/pki/certificates';
import { loadConfig } from '@scriptorium/shared/config';
import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import { type VerifyTools, verify } from '@scriptorium/signatures/verify';
import type { Pki } from '@scriptorium/testing/pki/pki';
import type { RenderThread } from '@scriptorium/verifier/render-threads';
import { z } from 'zod';

/** One way to verify a document. */
export interface VerifyContender {
  name: string;
  /** Whether it runs in this process. */
  isHere: boolean;
  /** CPU time of processes that do not end with a run. */
  otherCpuMs?: (() => number) | undefined;
  /** Throws if the valid document is not reported as valid. */
  verify(): Promise<void>;
}

/** Where pages are rendered, as in a verifier. */
export interface Rendering {
  thread: RenderThread;
  /** Whether Poppler draws them as well. */
  isTwice: boolean;
  /** CPU time of its processes so far. */
  popplerCpuMs(): number;
}

/** A worker's complete call: every check, the changes between revisions, the report. */
export function ours(bytes: Buffer, signatures: number, pki: Pki, rendering?: Rendering): VerifyContender {
  const root = readCertificate(pki.root.der);
  const tools: VerifyTools = {
    now: () => new Date(),
    service: [],
    anchors: () => [root],
    fetcher: createFetcher(loadConfig(z.object(fetchSettings), { FETCH: 'off' })),
    ...(rendering && { renderer: rendering.thread }),
    ...(rendering?.isTwice && { secondReader: rendering.thread.second }),
  };
  const verification = { trust: { anchors: [] }, revocation: 'embedded' as const };
  const without = rendering ? 'this service, without Poppler' : 'this service, without rendering';
  return {
    name: rendering?.isTwice ? 'this service' : without,
    isHere: true,
    otherCpuMs: rendering?.isTwice ? rendering.popplerCpuMs : undefined,
    async verify() {
      const report = await verify({ source: bytes, verification }, tools);
      if (report.verdict !== 'valid' || report.signatures.length !== signatures)
        throw new Error(`${report.verdict}: ${report.reason}`);
    },
  };
}

/** Poppler: each signature's value and coverage; no chain, no changes. */
export function pdfsig(bytes: Buffer, signatures: number, folder: string): VerifyContender {
  const file = join(folder, 'signed.pdf');
  writeFileSync(file, bytes);
  return {
    name: 'pdfsig -nocert, a process',
    isHere: false,
    async verify() {
      const text = execFileSync('pdfsig', ['-nocert', file], { encoding: 'utf8', stdio: 'pipe' });
      // It lists document time-stamps, but does not check them.
      const valid = text.match(/Signature is Valid\./g)?.length ?? 0;
      const stamps = text.match(/Signature Type: unknown/g)?.length ?? 0;
      if (valid + stamps !== signatures) throw new Error(text);
    },
  };
}

/** OpenSSL, given the first signature's value and the bytes that it covers: it finds neither itself. */
export function openssl(bytes: Buffer, pki: Pki, folder: string): VerifyContender {
  const [, ...numbers] = /\/ByteRange *\[ *(\d+) +(\d+) +(\d+) +(\d+)/.exec(bytes.toString('latin1')) ?? [];
  const [start = 0, length = 0, next = 0, rest = 0] = numbers.map(Number);
  const hex = bytes.toString('latin1', start + length + 1, next - 1).replace(/(00)+$/, '');
  const files = ['value.der', 'content.bin', 'root.pem'].map((name) => join(folder, name));
  const [value = '', content = '', root = ''] = files;
  writeFileSync(value, Buffer.from(hex.length % 2 === 0 ? hex : `${hex}0`, 'hex'));
  writeFileSync(
    content,
    Buffer.concat([bytes.subarray(start, start + length), bytes.subarray(next, next + rest)]),
  );
  writeFileSync(root, pki.root.pem);
  const given = ['-inform', 'DER', '-in', value, '-content', content, '-CAfile', root, '-purpose', 'any'];
  return {
    name: 'openssl cms -verify, a process',
    isHere: false,
    async verify() {
      execFileSync('openssl', ['cms', '-verify', '-binary', '-cades', ...given, '-out', '/dev/null'], {
        stdio: 'pipe',
      });
    },
  };
}
