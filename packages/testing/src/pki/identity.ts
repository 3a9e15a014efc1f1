import { execFile } from 'node:child_process';
import type { KeyObject, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import type { ExtendedKeyUsage, KeyUsage, Places } from './issue-certificate.ts';
import type { Hash, KeyType } from './keys.ts';

export interface IssueRequest {
  /** Common name. */
  name: string;
  /** `p-256` by default. */
  keyType?: KeyType;
  /** The issuer; by default the intermediate authority. */
  issuer?: Identity;
  /** By default an hour ago and in a year; the issuer’s own dates are ignored. */
  notBefore?: Date;
  notAfter?: Date;
  /** By default `digitalSignature` and `nonRepudiation`; for an authority `keyCertSign` and `cRLSign`. */
  keyUsage?: KeyUsage[];
  extendedKeyUsage?: ExtendedKeyUsage[];
  isExtendedKeyUsageCritical?: boolean;
  /** Makes an authority, which has its own OCSP responder and CRL. */
  ca?: { pathLength?: number };
  /** Hash of the issuer’s signature; by default as strong as its key. */
  hash?: Hash;
  hasNoCheck?: boolean;
  /** Replaces the certificate’s addresses of its status; `{ocsp: []}` leaves only the CRL. */
  places?: Partial<Places>;
  /** In addition to the requested extensions, each an Extension in DER. */
  otherExtensions?: Buffer[];
  /** A certificate for this key instead of a new one. */
  keyPair?: { privateKey: KeyObject; publicKey: KeyObject };
}

/** A key with its certificate chain. */
export interface Identity {
  name: string;
  /** Its Name in DER. */
  subject: Buffer;
  privateKey: KeyObject;
  publicKey: KeyObject;
  certificate: X509Certificate;
  der: Buffer;
  pem: string;
  /** Hexadecimal, lower case. */
  serialNumber: string;
  /** Undefined for a root. */
  issuer: Identity | undefined;
  /** DER: its own certificate first, the root last. */
  chain: Buffer[];
  /** The same in PEM, one after another. */
  chainPem: string;
  /** PKCS #8 in PEM; encrypted (AES-256) if a password is given. */
  keyPem(password?: string): string;
  /** PKCS #12 with the key and the chain; `isLegacy` uses the old protection (RC2, 3DES, SHA-1). */
  p12(password: string, options?: { isLegacy?: boolean }): Promise<Buffer>;
}

export function keyPem(key: KeyObject, password?: string): string {
  const protection = password === undefined ? {} : { cipher: 'aes-256-cbc', passphrase: password };
  return key.export({ type: 'pkcs8', format: 'pem', ...protection }) as string;
}

/** Made by openssl, so that our reader is not tested against our own writer. */
export async function writeP12(
  { privateKey, chainPem, name }: Pick<Identity, 'privateKey' | 'chainPem' | 'name'>,
  password: string,
  isLegacy: boolean,
): Promise<Buffer> {
  const options = ['-passout', 'env:P12_PASSWORD', '-name', name, ...(isLegacy ? ['-legacy'] : [])];
  const child = execFile('openssl', ['pkcs12', '-export', ...options], {
    env: { PATH: process.env.PATH, P12_PASSWORD: password },
    encoding: 'buffer',
  });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('openssl has no pipes.');
  const exited = once(child, 'close');
  stdin.end(keyPem(privateKey) + chainPem);
  const [file, complaint, [code]] = await Promise.all([buffer(stdout), buffer(stderr), exited]);
  if (code !== 0) throw new Error(`openssl pkcs12 failed: ${complaint}`);
  return file;
}
