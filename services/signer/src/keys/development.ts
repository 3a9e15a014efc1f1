import { generateKeyPair, randomUUID, X509Certificate } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  buildCertificate,
  privateKeySigner,
  type RawSigner,
  readPem,
  validityObjection,
} from '@scriptorium/pki/keys';

const generate = promisify(generateKeyPair);

/** The key, its certificate and its authority's certificate in PEM. */
const FILE = 'development-key.pem';
const ORGANIZATION = 'Scriptorium';
const AUTHORITY = 'Scriptorium development CA – do not trust';
const SERVICE = 'Scriptorium development key – do not trust';
const YEARS = 5;

/**
 * A key for trials, kept in `folder` (created if missing) and reused by later starts and other processes. It is RSA of 2048 bits,
 * with a certificate of a development authority. That authority's own key is discarded, so trusting it means trusting only this
 * one key. An expired key is replaced. Throws SIGNING_KEY_INVALID if the file is damaged.
 */
export async function developmentSigner(folder: string, now = new Date()): Promise<RawSigner> {
  const file = join(folder, FILE);
  const stored = await readStored(file, now);
  if (stored !== undefined && validityObjection(stored.certificates[0], now) === undefined) return stored;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const made = `${file}.${randomUUID()}`;
  await writeFile(made, await makeKey(now), { mode: 0o600, flag: 'wx' });
  try {
    await (stored === undefined ? linkUnlessThere(made, file) : rename(made, file));
  } finally {
    await rm(made, { force: true });
  }
  const text = await readFile(file, 'utf8');
  return signerOf(text, now);
}

async function readStored(file: string, now: Date): Promise<RawSigner | undefined> {
  try {
    return await signerOf(await readFile(file, 'utf8'), now);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** If several processes start at once, only one of their keys is kept. */
async function linkUnlessThere(made: string, file: string): Promise<void> {
  await link(made, file).catch((error: unknown) => {
    if (!isCode(error, 'EEXIST')) throw error;
  });
}

async function signerOf(text: string, now: Date): Promise<RawSigner> {
  return privateKeySigner(await readPem({ privateKey: text, certificates: text }), { now });
}

async function makeKey(now: Date): Promise<string> {
  const authority = await generate('ec', { namedCurve: 'prime256v1' });
  const service = await generate('rsa', { modulusLength: 2048 });
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(now.getUTCFullYear() + YEARS);
  const common = {
    issuer: AUTHORITY,
    organization: ORGANIZATION,
    issuerKey: authority,
    notBefore: now,
    notAfter,
  };
  const certificates = [
    buildCertificate({ ...common, subject: SERVICE, publicKey: service.publicKey, isAuthority: false }),
    buildCertificate({ ...common, subject: AUTHORITY, publicKey: authority.publicKey, isAuthority: true }),
  ];
  const key = service.privateKey.export({ type: 'pkcs8', format: 'pem' });
  return [key, ...certificates.map((certificate) => new X509Certificate(certificate))].join('');
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
