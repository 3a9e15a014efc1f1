import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCertificate } from '@scriptorium/pki/certificates';
import { loadConfig } from '@scriptorium/shared/config';
import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import { type VerifyTools, verify } from '@scriptorium/signatures/verify';
import type { Pki } from '@scriptorium/testing/pki/pki';
import { z } from 'zod';

/** One way to verify a document. */
export interface VerifyContender {
  name: string;
  /** Whether it works in this process. */
  isHere: boolean;
  /** Throws where the document is not found to be as good as it is. */
  verify(): Promise<void>;
}

/** The whole of a worker's call: every check, the changes between revisions, the report. */
export function ours(bytes: Buffer, signatures: number, pki: Pki): VerifyContender {
  const root = readCertificate(pki.root.der);
  const tools: VerifyTools = {
    now: () => new Date(),
    service: [],
    anchors: () => [root],
    fetcher: createFetcher(loadConfig(z.object(fetchSettings), { FETCH: 'off' })),
  };
  const verification = { trust: { anchors: [] }, revocation: 'embedded' as const };
  return {
    name: 'this service',
    isHere: true,
    async verify() {
      const told = await verify({ source: bytes, verification }, tools);
      if (told.verdict !== 'valid' || told.signatures.length !== signatures)
        throw new Error(`${told.verdict}: ${told.reason}`);
    },
  };
}

/** Poppler: the value of each signature and what it covers; no chain, and nothing of changes. */
export function pdfsig(bytes: Buffer, signatures: number, folder: string): VerifyContender {
  const file = join(folder, 'signed.pdf');
  writeFileSync(file, bytes);
  return {
    name: 'pdfsig -nocert, a process',
    isHere: false,
    async verify() {
      const text = execFileSync('pdfsig', ['-nocert', file], { encoding: 'utf8', stdio: 'pipe' });
      // It lists time-stamps of a document, and does not look into them.
      const valid = text.match(/Signature is Valid\./g)?.length ?? 0;
      const stamps = text.match(/Signature Type: unknown/g)?.length ?? 0;
      if (valid + stamps !== signatures) throw new Error(text);
    },
  };
}

/** OpenSSL, given the value of the first signature and the bytes that it covers: neither is found by it. */
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
