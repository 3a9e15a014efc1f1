import { createDecipheriv, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { TAG } from '../../asn1/der.ts';
import {
  DerError,
  type DerValue,
  readDer,
  readNumber,
  readOctetString,
  readOid,
  readSequence,
} from '../../asn1/der-reader.ts';
import { OID } from '../../asn1/oids.ts';
import { signingKeyInvalid } from '../../pki-error.ts';
import type { IterationBudget } from './iteration-budget.ts';
import { PURPOSE, pkcs12Derive, pkcs12Password } from './pkcs12-kdf.ts';
import { decryptRc2Cbc } from './rc2.ts';

const deriveOff = promisify(pbkdf2);

const PRFS: Record<string, string | undefined> = {
  [OID.hmacSha1]: 'sha1',
  [OID.hmacSha224]: 'sha224',
  [OID.hmacSha256]: 'sha256',
  [OID.hmacSha384]: 'sha384',
  [OID.hmacSha512]: 'sha512',
};

interface Cipher {
  keyOctets: number;
  ivOctets: number;
  decrypt(key: Buffer, iv: Buffer, ciphertext: Buffer): Buffer;
}

const native = (name: string, keyOctets: number, ivOctets: number): Cipher => ({
  keyOctets,
  ivOctets,
  decrypt(key, iv, ciphertext) {
    const decipher = createDecipheriv(name, key, iv).setAutoPadding(false);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  },
});
const tripleDes = native('des-ede3-cbc', 24, 8);
const tripleDesOfTwoKeys: Cipher = {
  ...tripleDes,
  keyOctets: 16,
  decrypt: (key, iv, ciphertext) =>
    tripleDes.decrypt(Buffer.concat([key, key.subarray(0, 8)]), iv, ciphertext),
};
const rc2 = (keyOctets: number): Cipher => ({ keyOctets, ivOctets: 8, decrypt: decryptRc2Cbc });

const PBES2_CIPHERS: Record<string, Cipher | undefined> = {
  [OID.aes128Cbc]: native('aes-128-cbc', 16, 16),
  [OID.aes192Cbc]: native('aes-192-cbc', 24, 16),
  [OID.aes256Cbc]: native('aes-256-cbc', 32, 16),
  [OID.tripleDesCbc]: tripleDes,
};
const PKCS12_CIPHERS: Record<string, Cipher | undefined> = {
  [OID.pbeSha1TripleDes3]: tripleDes,
  [OID.pbeSha1TripleDes2]: tripleDesOfTwoKeys,
  [OID.pbeSha1Rc2128]: rc2(16),
  [OID.pbeSha1Rc240]: rc2(5),
};
const NAMES: Record<string, string | undefined> = {
  [OID.pbeSha1Rc4128]: 'RC4',
  [OID.pbeSha1Rc440]: 'RC4',
  [OID.scrypt]: 'scrypt',
};

export interface Encrypted {
  /** AlgorithmIdentifier (RFC 8018, Appendix A; RFC 7292, Appendix C). */
  algorithm: DerValue;
  ciphertext: Buffer;
}

/**
 * Decrypts password-encrypted data by PBES2 (RFC 8018, 6), or by SHA-1 with Triple DES or RC2 (RFC 7292). Undefined
 * if the password is wrong. The plaintext is always one SEQUENCE, which detects a wrong password more reliably than
 * padding. Throws DerError, and SIGNING_KEY_INVALID for other algorithms and too many iterations.
 */
export async function decrypt(
  { algorithm, ciphertext }: Encrypted,
  password: string | undefined,
  budget: IterationBudget,
): Promise<Buffer | undefined> {
  const [id, parameters] = readSequence(algorithm);
  const name = readOid(id);
  const { cipher, key, iv } =
    name === OID.pbes2
      ? await pbes2(readSequence(parameters), password, budget)
      : await pkcs12Pbe(name, readSequence(parameters), password, budget);
  if (ciphertext.length === 0 || ciphertext.length % cipher.ivOctets !== 0)
    throw new DerError('ciphertext is not a multiple of the block size');
  return sequenceIn(cipher.decrypt(key, iv, ciphertext));
}

interface Decryption {
  cipher: Cipher;
  key: Buffer;
  iv: Buffer;
}

async function pbes2(
  [derivation, encryption]: DerValue[],
  password: string | undefined,
  budget: IterationBudget,
): Promise<Decryption> {
  const [cipherId, ivValue] = readSequence(encryption);
  const cipher = PBES2_CIPHERS[readOid(cipherId)] ?? refuse(readOid(cipherId));
  const iv = readOctetString(ivValue);
  if (iv.length !== cipher.ivOctets) throw new DerError('initialization vector of a wrong length');
  const [kdf, kdfParameters] = readSequence(derivation);
  if (readOid(kdf) !== OID.pbkdf2) refuse(readOid(kdf));
  const [salt, iterationCount, ...options] = readSequence(kdfParameters);
  const prf = options.find(({ tag }) => tag === TAG.sequence);
  const prfName = prf === undefined ? OID.hmacSha1 : readOid(readSequence(prf)[0]);
  const hash = PRFS[prfName] ?? refuse(prfName);
  const iterations = readNumber(iterationCount);
  budget.spend(iterations);
  const key = await deriveOff(password ?? '', readOctetString(salt), iterations, cipher.keyOctets, hash);
  return { cipher, key, iv };
}

async function pkcs12Pbe(
  name: string,
  [salt, iterationCount]: DerValue[],
  password: string | undefined,
  budget: IterationBudget,
): Promise<Decryption> {
  const cipher = PKCS12_CIPHERS[name] ?? refuse(name);
  const derivation = {
    hash: 'sha1',
    password: pkcs12Password(password),
    salt: readOctetString(salt),
    iterations: readNumber(iterationCount),
  };
  const key = await pkcs12Derive(derivation, { purpose: PURPOSE.key, length: cipher.keyOctets, budget });
  const iv = await pkcs12Derive(derivation, { purpose: PURPOSE.iv, length: cipher.ivOctets, budget });
  return { cipher, key, iv };
}

function refuse(oid: string): never {
  throw signingKeyInvalid(
    `The key is encrypted with ${NAMES[oid] ?? oid}, which is not supported. Supported are PBES2 with PBKDF2 and AES or Triple DES, and SHA-1 with Triple DES or RC2.`,
  );
}

/** Removes the padding (RFC 8018, 6.1.1). Undefined if the plaintext is not a SEQUENCE with padding. */
function sequenceIn(plain: Buffer): Buffer | undefined {
  const pad = plain.at(-1) ?? 0;
  const content = plain.subarray(0, plain.length - pad);
  if (pad === 0 || pad > plain.length || !plain.subarray(content.length).every((octet) => octet === pad))
    return undefined;
  return isSequence(content) ? content : undefined;
}

function isSequence(content: Buffer): boolean {
  try {
    return readDer(content).tag === TAG.sequence;
  } catch {
    // The content may be BER, with an indefinite length and two zero octets at the end.
    return content[0] === TAG.sequence && content[1] === 0x80 && content.subarray(-2).equals(Buffer.alloc(2));
  }
}
