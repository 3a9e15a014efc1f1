import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf, withFiles } from './judges/programs.ts';

/** A self-signed certificate and its key, made by openssl; both PEM files. */
export interface OpensslKey {
  key: string;
  certificate: string;
  remove(): Promise<void>;
}

async function run(args: readonly string[]): Promise<void> {
  const { status, text } = await outcomeOf('openssl', args);
  if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${text}`);
}

/** A key on the curve P-256 and a certificate for `name`. */
export async function opensslKey(name: string): Promise<OpensslKey> {
  const folder = await mkdtemp(join(tmpdir(), 'openssl-key-'));
  const key = join(folder, 'key.pem');
  const certificate = join(folder, 'certificate.pem');
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await run([
    'req',
    '-x509',
    ...curve,
    '-keyout',
    key,
    '-out',
    certificate,
    '-days',
    '30',
    '-subj',
    `/CN=${name}`,
  ]);
  return { key, certificate, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A detached CAdES signature over these bytes, DER. */
export function opensslCms(signed: readonly Uint8Array[], { key, certificate }: OpensslKey): Promise<Buffer> {
  return withFiles([Buffer.concat(signed)], '.bin', async ([path], folder) => {
    const out = join(folder, 'signature.der');
    const files = ['-in', path ?? '', '-signer', certificate, '-inkey', key, '-out', out];
    await run(['cms', '-sign', '-binary', '-cades', '-md', 'sha256', '-outform', 'DER', ...files]);
    return readFile(out);
  });
}
