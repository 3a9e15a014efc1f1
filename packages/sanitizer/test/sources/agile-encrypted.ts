import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { writeCompoundFile } from '../../src/sources/doc/compound-writer.ts';

const SPINS = 1_000;
const ENCRYPTION = 'http://schemas.microsoft.com/office/2006';

const sha512 = (...parts: Buffer[]) => createHash('sha512').update(Buffer.concat(parts)).digest();
const hex = (text: string) => Buffer.from(text, 'hex');

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Fills the last block up with zeros. */
function encrypt(key: Buffer, vector: Buffer, data: Buffer): Buffer {
  const padded = Buffer.concat([data, Buffer.alloc((16 - (data.length % 16)) % 16)]);
  const cipher = createCipheriv('aes-256-cbc', key, vector.subarray(0, 16)).setAutoPadding(false);
  return cipher.update(padded);
}

/** A package that is encrypted as Office does since 2010, with AES-256 and SHA-512 ([MS-OFFCRYPTO] §2.3.4.10 to §2.3.4.15). */
export function agileEncrypted(bytes: Buffer, password: string, { spins = SPINS, more = '' } = {}): Buffer {
  const [key, salt, own, input, hmacKey] = [32, 16, 16, 16, 64].map((bytes) => randomBytes(bytes)) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  let spun = sha512(own, Buffer.from(password, 'utf16le'));
  for (let at = 0; at < Math.min(spins, SPINS); at++) spun = sha512(number(at), spun);
  const boxed = (purpose: string, data: Buffer) =>
    encrypt(sha512(spun, hex(purpose)).subarray(0, 32), own, data).toString('base64');
  const segments = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, at) =>
    encrypt(key, sha512(salt, number(at)), bytes.subarray(4096 * at, 4096 * (at + 1))),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  const data = Buffer.concat([length, ...segments]);
  const sealed = (purpose: string, bytes: Buffer) =>
    encrypt(key, sha512(salt, hex(purpose)), bytes).toString('base64');
  const method =
    'blockSize="16" keyBits="256" hashSize="64" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512"';
  const xml =
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><encryption xmlns="${ENCRYPTION}/encryption" xmlns:p="${ENCRYPTION}/keyEncryptor/password">` +
    `<keyData saltSize="16" ${method} saltValue="${salt.toString('base64')}"/>` +
    `<dataIntegrity encryptedHmacKey="${sealed('5fb2ad010cb9e1f6', hmacKey)}" encryptedHmacValue="${sealed('a0677f02b22c8433', createHmac('sha512', hmacKey).update(data).digest())}"/>` +
    `<keyEncryptors><keyEncryptor uri="${ENCRYPTION}/keyEncryptor/password"><p:encryptedKey spinCount="${spins}" saltSize="16" ${method} ` +
    `saltValue="${own.toString('base64')}" encryptedVerifierHashInput="${boxed('fea7d2763b4b9e79', input)}" ` +
    `encryptedVerifierHashValue="${boxed('d7aa0f6d3061344e', sha512(input))}" encryptedKeyValue="${boxed('146e0be7abacd0d6', key)}"/>` +
    `</keyEncryptor>${more}</keyEncryptors></encryption>`;
  const info = Buffer.concat([hex('0400040040000000'), Buffer.from(xml)]);
  return writeCompoundFile(
    new Map([
      ['EncryptionInfo', info],
      ['EncryptedPackage', data],
    ]),
  );
}
