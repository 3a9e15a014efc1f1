import { createHash } from 'node:crypto';
import type { EncryptionDictionary } from './encryption-dictionary.ts';
import { rc4 } from './rc4.ts';

/** Fills passwords up to 32 bytes (ISO 32000-2, 7.6.4.3.2). */
const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const PASSWORD_BYTES = 32;
const MD5_ROUNDS = 50;
const RC4_ROUNDS = 20;

const md5 = (...parts: Buffer[]): Buffer => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const padded = (password: Buffer): Buffer => Buffer.concat([password, PADDING]).subarray(0, PASSWORD_BYTES);

function rehashed(hash: Buffer, { revision, keyBytes }: EncryptionDictionary): Buffer {
  let key = hash;
  if (revision >= 3) for (let round = 0; round < MD5_ROUNDS; round++) key = md5(key.subarray(0, keyBytes));
  return key.subarray(0, keyBytes);
}

const keyOfRound = (key: Buffer, round: number): Buffer => Buffer.from(key.map((byte) => byte ^ round));

/** Algorithm 2. */
function fileKey(password: Buffer, dictionary: EncryptionDictionary, id: Buffer): Buffer {
  const { owner, permissions, revision, isMetadataEncrypted } = dictionary;
  const flags = Buffer.alloc(4);
  flags.writeInt32LE(permissions);
  const metadata = revision >= 4 && !isMetadataEncrypted ? Buffer.alloc(4, 0xff) : Buffer.alloc(0);
  return rehashed(md5(padded(password), owner, flags, id, metadata), dictionary);
}

/** Algorithms 4, 5 and 6: returns the file encryption key if this is the user password. */
export function keyOfUser(
  password: Buffer,
  dictionary: EncryptionDictionary,
  id: Buffer,
): Buffer | undefined {
  const key = fileKey(password, dictionary, id);
  const { user, revision } = dictionary;
  if (revision === 2) return rc4(key, PADDING).equals(user) ? key : undefined;
  let check = md5(PADDING, id);
  for (let round = 0; round < RC4_ROUNDS; round++) check = rc4(keyOfRound(key, round), check);
  return check.equals(user.subarray(0, check.length)) ? key : undefined;
}

/** Algorithm 7: returns the file encryption key if this is the owner password. */
export function keyOfOwner(
  password: Buffer,
  dictionary: EncryptionDictionary,
  id: Buffer,
): Buffer | undefined {
  const key = rehashed(md5(padded(password)), dictionary);
  let user = dictionary.owner;
  if (dictionary.revision === 2) user = rc4(key, user);
  else for (let round = RC4_ROUNDS - 1; round >= 0; round--) user = rc4(keyOfRound(key, round), user);
  return keyOfUser(user, dictionary, id);
}
