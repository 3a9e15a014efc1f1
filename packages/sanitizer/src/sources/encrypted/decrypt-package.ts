import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isCompoundFile, isEncryptedPackage } from '@scriptorium/ooxml/package';
import { SanitizerError } from '../../sanitizer-error.ts';
import { readCompoundFile } from '../doc/compound-reader.ts';
import { damaged } from '../refusal.ts';
import { type AgileEncryption, type AgileKey, readAgileEncryption } from './agile-encryption.ts';
import { spin } from './spin.ts';
import { decryptBlocks, openStandardKey } from './standard-encryption.ts';

/** [MS-OFFCRYPTO] §2.3.4.13: what each derived key is for. */
const FOR_INPUT = Buffer.from('fea7d2763b4b9e79', 'hex');
const FOR_VALUE = Buffer.from('d7aa0f6d3061344e', 'hex');
const FOR_KEY = Buffer.from('146e0be7abacd0d6', 'hex');
/** §2.3.4.14. */
const FOR_HMAC_KEY = Buffer.from('5fb2ad010cb9e1f6', 'hex');
const FOR_HMAC_VALUE = Buffer.from('a0677f02b22c8433', 'hex');
const SEGMENT_BYTES = 4_096;
const FILLER = 0x36;
/** Before the data: their length, 64 bits. */
const LENGTH_BYTES = 8;

/** The versions of the encryptions (§2.3.4.5 and §2.3.4.10): the minor one in the upper half. */
const AGILE = 0x00040004;
const STANDARD = [0x00020002, 0x00020003, 0x00020004];

/**
 * Returns a package that is not encrypted unchanged, and decrypts one that a password protects. It does so as Office since 2010
 * ("agile"), or as Office 2007 and LibreOffice ("standard"). Without a password, `unasked` is tried, if the format has one.
 * Throws SanitizerError: PASSWORD_REQUIRED, PASSWORD_WRONG, DOCUMENT_ENCRYPTED for other protections, or INVALID_FILE_FORMAT.
 */
export function decryptPackage(bytes: Buffer, password: string | undefined, unasked?: string): Buffer {
  if (!isCompoundFile(bytes) || !isEncryptedPackage(bytes)) return bytes;
  const streams = new Map(readCompoundFile(bytes).map(({ path, read }) => [path.join('/'), read]));
  const [info, data] = ['EncryptionInfo', 'EncryptedPackage'].map((name) => streams.get(name)?.());
  const version = info === undefined || info.length < 4 ? 0 : info.readUInt32LE(0);
  if (info === undefined || data === undefined || !(version === AGILE || STANDARD.includes(version)))
    throw new SanitizerError(
      'DOCUMENT_ENCRYPTED',
      'The document is protected by rights management, or by an encryption that is not supported.',
    );
  if (data.length < LENGTH_BYTES) throw damaged('its encrypted package is truncated');
  const decrypted = decryptedWith(password ?? unasked, { info, data });
  if (decrypted !== undefined) return decrypted;
  if (password === undefined)
    throw new SanitizerError('PASSWORD_REQUIRED', 'The document is protected by a password.');
  throw new SanitizerError('PASSWORD_WRONG', 'The password of the document is wrong.');
}

/** Undefined if this is not its password, or if there is none. */
function decryptedWith(
  password: string | undefined,
  { info, data }: { info: Buffer; data: Buffer },
): Buffer | undefined {
  if (password === undefined) return undefined;
  if (info.readUInt32LE(0) !== AGILE) {
    const key = openStandardKey(info, password);
    return key && ofLength(decryptBlocks(key, data.subarray(LENGTH_BYTES)), data);
  }
  const encryption = readAgileEncryption(info);
  const key = openKey(encryption.password, password);
  if (key === undefined) return undefined;
  requireIntegrity(encryption, key, data);
  return ofLength(decryptSegments(encryption.data, key, data), data);
}

function ofLength(decrypted: Buffer, data: Buffer): Buffer {
  const length = data.readBigUInt64LE(0);
  if (length > BigInt(decrypted.length)) throw damaged('its encrypted package is truncated');
  return decrypted.subarray(0, Number(length));
}

/** Returns the key of the package; undefined if this is not its password (§2.3.4.11 and §2.3.4.13). */
function openKey(
  { spinCount, input, value, key, ...parameters }: AgileKey,
  password: string,
): Buffer | undefined {
  const { hash, salt, keyBytes } = parameters;
  const digest = (...parts: Buffer[]) => createHash(hash).update(Buffer.concat(parts)).digest();
  const spun = spin(hash, digest(salt, Buffer.from(password, 'utf16le')), spinCount);
  const opened = (box: Buffer, purpose: Buffer) =>
    decrypt(sized(digest(spun, purpose), keyBytes), sized(salt, parameters.blockBytes), box);
  const expected = digest(opened(input, FOR_INPUT).subarray(0, salt.length));
  const found = opened(value, FOR_VALUE).subarray(0, expected.length);
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return undefined;
  return opened(key, FOR_KEY).subarray(0, keyBytes);
}

/** §2.3.4.14: the code of the whole stream, with its length. */
function requireIntegrity({ data, hmacKey, hmacValue }: AgileEncryption, key: Buffer, stream: Buffer): void {
  const opened = (box: Buffer, purpose: Buffer) => decrypt(key, vectorOf(data, purpose), box);
  const hmac = createHmac(data.hash, opened(hmacKey, FOR_HMAC_KEY).subarray(0, data.hashBytes));
  const found = opened(hmacValue, FOR_HMAC_VALUE).subarray(0, data.hashBytes);
  const expected = hmac.update(stream).digest();
  if (found.length !== expected.length || !timingSafeEqual(found, expected))
    throw damaged('its encrypted package was changed');
}

/** §2.3.4.15. */
function decryptSegments(data: AgileEncryption['data'], key: Buffer, stream: Buffer): Buffer {
  const encrypted = stream.subarray(LENGTH_BYTES);
  const segments: Buffer[] = [];
  const number = Buffer.alloc(4);
  for (let start = 0; start < encrypted.length; start += SEGMENT_BYTES) {
    number.writeUInt32LE(start / SEGMENT_BYTES);
    const segment = encrypted.subarray(start, start + SEGMENT_BYTES);
    segments.push(decrypt(key, vectorOf(data, number), segment));
  }
  return Buffer.concat(segments);
}

/** §2.3.4.12. */
function vectorOf({ hash, salt, blockBytes }: AgileEncryption['data'], purpose: Buffer): Buffer {
  return sized(createHash(hash).update(salt).update(purpose).digest(), blockBytes);
}

function decrypt(key: Buffer, vector: Buffer, data: Buffer): Buffer {
  const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, vector).setAutoPadding(false);
  // Whole blocks only: what is behind them is not part of the data.
  return decipher.update(data.subarray(0, data.length - (data.length % vector.length)));
}

/** Cuts bytes, or fills them up. */
function sized(bytes: Buffer, length: number): Buffer {
  if (bytes.length >= length) return bytes.subarray(0, length);
  return Buffer.concat([bytes, Buffer.alloc(length - bytes.length, FILLER)]);
}
