import { createPrivateKey, type KeyObject } from 'node:crypto';
import { DerError } from '../asn1/der-reader.ts';
import { otherKind, signingKeyInvalid } from '../pki-error.ts';
import { type CertificateList, readCertificates } from './certificates.ts';
import { IterationBudget } from './password/iteration-budget.ts';
import { decryptPrivateKey, readPrivateKey } from './pkcs8.ts';
import type { KeyMaterial } from './private-key-signer.ts';

const TEXT_LENGTH_MAX = 1024 * 1024;
/** PKCS #1 and SEC 1. */
const TRADITIONAL = new Set(['RSA PRIVATE KEY', 'EC PRIVATE KEY']);
const WRONG_PASSWORD = 'The password of the private key is wrong.';

/** A textual encoding (RFC 7468): its label and all its lines. */
interface PemBlock {
  label: string;
  text: string;
  der: Buffer;
}

export interface PemKey {
  privateKey: string;
  certificates: string;
  password?: string | undefined;
}

/**
 * Reads a private key (PKCS #8, encrypted or not, PKCS #1 or SEC 1) and certificates, including the signer's, in PEM.
 * Throws SIGNING_KEY_INVALID.
 */
export async function readPem({ privateKey, certificates, password }: PemKey): Promise<KeyMaterial> {
  return {
    privateKeys: [await readKey(privateKey, password)],
    certificates: readPemCertificates(certificates),
  };
}

/** The certificates in a text, in its order; at least one. Throws SIGNING_KEY_INVALID. */
export function readPemCertificates(text: string): CertificateList {
  const blocks = pemBlocks(text, 'certificate').filter(({ label }) => label === 'CERTIFICATE');
  const [own, ...others] = readCertificates(blocks.map(({ der }) => der));
  if (own === undefined) throw signingKeyInvalid('The certificate text contains no PEM certificate.');
  return [own, ...others];
}

async function readKey(text: string, password: string | undefined): Promise<KeyObject> {
  const blocks = pemBlocks(text, 'private key').filter(({ label }) => label.endsWith('PRIVATE KEY'));
  const [block, second] = blocks;
  if (block === undefined) throw signingKeyInvalid('The private key text contains no PEM private key.');
  if (second !== undefined) throw signingKeyInvalid('The private key text contains several private keys.');
  if (block.label === 'OPENSSH PRIVATE KEY')
    throw signingKeyInvalid('The private key is in the OpenSSH format; use PKCS #8.');
  if (block.label === 'PRIVATE KEY') return readPrivateKey(block.der);
  if (block.label === 'ENCRYPTED PRIVATE KEY') return readEncrypted(block.der, password);
  if (TRADITIONAL.has(block.label)) return readTraditional(block, password);
  throw otherKind();
}

/** Avoids node:crypto, which runs as many iterations as the text specifies. */
async function readEncrypted(der: Buffer, password: string | undefined): Promise<KeyObject> {
  requirePassword(password);
  try {
    const plain = await decryptPrivateKey(der, password, new IterationBudget());
    if (plain === undefined) throw signingKeyInvalid(WRONG_PASSWORD);
    return readPrivateKey(plain);
  } catch (error) {
    if (error instanceof DerError) throw signingKeyInvalid('The encrypted private key is damaged.', error);
    throw error;
  }
}

/** PKCS #1 and SEC 1, possibly encrypted in the old OpenSSL way, with one iteration of MD5. */
function readTraditional({ text }: PemBlock, password: string | undefined): KeyObject {
  const isEncrypted = /^Proc-Type: *4, *ENCRYPTED/m.test(text);
  if (isEncrypted) requirePassword(password);
  try {
    return createPrivateKey({ key: text, format: 'pem', ...(isEncrypted && { passphrase: password }) });
  } catch (cause) {
    throw signingKeyInvalid(isEncrypted ? WRONG_PASSWORD : 'The private key is damaged.', cause);
  }
}

function requirePassword(password: string | undefined): void {
  if (password === undefined || password === '')
    throw signingKeyInvalid('The private key is encrypted, and its password is missing.');
}

function pemBlocks(text: string, what: string): PemBlock[] {
  if (text.length > TEXT_LENGTH_MAX)
    throw signingKeyInvalid(`The ${what} text is longer than ${TEXT_LENGTH_MAX} characters.`);
  const blocks: PemBlock[] = [];
  let begun: { label: string; lines: string[] } | undefined;
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const line = raw.trim();
    const begin = /^-----BEGIN ([A-Z0-9 ]{1,40})-----$/.exec(line);
    if (begin !== null) begun = { label: begin[1] ?? '', lines: [] };
    begun?.lines.push(line);
    if (begun === undefined || line !== `-----END ${begun.label}-----`) continue;
    blocks.push(blockOf(begun.label, begun.lines));
    begun = undefined;
  }
  return blocks;
}

function blockOf(label: string, lines: string[]): PemBlock {
  const base64 = lines.slice(1, -1).join('');
  return { label, text: `${lines.join('\n')}\n`, der: Buffer.from(base64, 'base64') };
}
