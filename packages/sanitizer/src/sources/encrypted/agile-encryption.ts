import { Budget } from '@scriptorium/ooxml/bounds';
import { decodeXml, type OpenTag, scanXml, XmlError } from '@scriptorium/ooxml/xml';
import { SanitizerError } from '../../sanitizer-error.ts';
import { damaged } from '../refusal.ts';

/** The parameters of a key ([MS-OFFCRYPTO] §2.3.4.10). */
interface Parameters {
  hash: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  hashBytes: number;
  salt: Buffer;
  /** That of AES. */
  blockBytes: number;
  keyBytes: number;
}

/** The key of a password: what is encrypted with it. */
export interface AgileKey extends Parameters {
  spinCount: number;
  input: Buffer;
  value: Buffer;
  key: Buffer;
}

export interface AgileEncryption {
  data: Parameters;
  hmacKey: Buffer;
  hmacValue: Buffer;
  password: AgileKey;
}

const HEAD_BYTES = 8;
const INFO_BYTES_MAX = 64 * 1024;
const BLOCK_BYTES = 16;
/** Word takes 100,000 rounds; ten times as many take seconds. */
const SPINS_MAX = 1_000_000;
const HASHES: Readonly<Record<string, [Parameters['hash'], number]>> = {
  SHA1: ['sha1', 20],
  'SHA-1': ['sha1', 20],
  SHA256: ['sha256', 32],
  SHA384: ['sha384', 48],
  SHA512: ['sha512', 64],
};
const KEY_BITS = ['128', '192', '256'];
const OFFICE = 'http://schemas.microsoft.com/office/2006';
const DATA = `{${OFFICE}/encryption}keyData`;
const INTEGRITY = `{${OFFICE}/encryption}dataIntegrity`;
const PASSWORD = `{${OFFICE}/keyEncryptor/password}encryptedKey`;

const unsupported = (what: string): SanitizerError =>
  new SanitizerError('DOCUMENT_ENCRYPTED', `The document is encrypted with ${what}, which is not supported.`);

/**
 * Reads the stream that describes the encryption of a package. Throws SanitizerError: DOCUMENT_ENCRYPTED for other
 * ciphers and keys without a password, or INVALID_FILE_FORMAT.
 */
export function readAgileEncryption(info: Buffer): AgileEncryption {
  if (info.length < HEAD_BYTES || info.length > INFO_BYTES_MAX)
    throw damaged('the description of its encryption is invalid');
  const tags = new Map<string, OpenTag>();
  const note = {
    open(tag: OpenTag) {
      if (tags.has(tag.name)) throw damaged('the description of its encryption has two keys');
      tags.set(tag.name, tag);
    },
  };
  try {
    const { xml } = decodeXml(info.subarray(HEAD_BYTES));
    const visitor = { [DATA]: note, [INTEGRITY]: note, [PASSWORD]: note };
    scanXml(xml, [visitor], { budget: new Budget(), part: 'EncryptionInfo' });
  } catch (error) {
    if (error instanceof XmlError) throw damaged('the description of its encryption is invalid', error);
    throw error;
  }
  const [data, integrity, password] = [DATA, INTEGRITY, PASSWORD].map((name) => tags.get(name));
  if (!data || !integrity) throw damaged('the description of its encryption is incomplete');
  if (!password) throw unsupported('a certificate');
  const spinCount = Number(password.attribute('spinCount'));
  if (!Number.isInteger(spinCount) || spinCount < 0 || spinCount > SPINS_MAX)
    throw unsupported(`more than ${SPINS_MAX} rounds of its password`);
  return {
    data: parametersOf(data),
    hmacKey: blocksOf(integrity, 'encryptedHmacKey'),
    hmacValue: blocksOf(integrity, 'encryptedHmacValue'),
    password: {
      ...parametersOf(password),
      spinCount,
      input: blocksOf(password, 'encryptedVerifierHashInput'),
      value: blocksOf(password, 'encryptedVerifierHashValue'),
      key: blocksOf(password, 'encryptedKeyValue'),
    },
  };
}

function parametersOf(tag: OpenTag): Parameters {
  const is = (name: string, value: string) => tag.attribute(name) === value;
  const [hash, hashBytes] = HASHES[tag.attribute('hashAlgorithm') ?? ''] ?? [];
  const bits = tag.attribute('keyBits') ?? '';
  const isKnown =
    is('cipherAlgorithm', 'AES') && is('cipherChaining', 'ChainingModeCBC') && KEY_BITS.includes(bits);
  if (!isKnown || hash === undefined || hashBytes === undefined) throw unsupported('another cipher than AES');
  const salt = bytesOf(tag, 'saltValue');
  return { hash, hashBytes, salt, blockBytes: BLOCK_BYTES, keyBytes: Number(bits) / 8 };
}

function bytesOf(tag: OpenTag, name: string): Buffer {
  const bytes = Buffer.from(tag.attribute(name) ?? '', 'base64');
  if (bytes.length === 0) throw damaged(`the description of its encryption lacks ${name}`);
  return bytes;
}

/** Encrypted bytes: whole blocks. */
function blocksOf(tag: OpenTag, name: string): Buffer {
  const bytes = bytesOf(tag, name);
  if (bytes.length % BLOCK_BYTES !== 0)
    throw damaged(`${name} in the description of its encryption is invalid`);
  return bytes;
}
