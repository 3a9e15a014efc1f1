import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

/** A P-256 key and a certificate for `name`; `extension` in openssl's syntax. */
export async function opensslKey(name: string, extension?: string): Promise<OpensslKey> {
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
    ...(extension ? ['-addext', extension] : []),
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

const TIME_STAMPS = `[tsa]
default_policy = 1.2.3.4.1
serial = SERIAL
digests = sha256
signer_digest = sha256
ess_cert_id_alg = sha256
`;

/** A time-stamp token (RFC 3161) over these bytes, DER. The certificate must allow only time-stamping. */
export function opensslTimestamp(
  stamped: readonly Uint8Array[],
  { key, certificate }: OpensslKey,
): Promise<Buffer> {
  return withFiles([Buffer.concat(stamped)], '.bin', async ([path], folder) => {
    const file = (name: string) => join(folder, name);
    await writeFile(file('tsa.cnf'), TIME_STAMPS.replace('SERIAL', file('serial')));
    await writeFile(file('serial'), '01\n');
    await run(['ts', '-query', '-data', path ?? '', '-sha256', '-cert', '-no_nonce', '-out', file('query')]);
    const signer = ['-signer', certificate, '-inkey', key, '-section', 'tsa', '-config', file('tsa.cnf')];
    await run(['ts', '-reply', '-queryfile', file('query'), ...signer, '-token_out', '-out', file('token')]);
    return readFile(file('token'));
  });
}
