import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { PASSWORD_BYTES_MAX } from '../finish/finish-options.ts';
import type { EncryptionDictionary } from './encryption-dictionary.ts';

const ROUNDS_MIN = 64;
const REPEATS = 64;
const HASHES = ['sha256', 'sha384', 'sha512'] as const;
const KEY_BYTES = 32;
const NO_BYTES = Buffer.alloc(0);
/** /U and /O: a hash, the salt of the check, and the salt of the key. */
const [HASH_END, CHECK_END, KEY_END] = [32, 40, 48];

/** Algorithm 2.B; revision 5 has only its first hash. It ends after 287 rounds at the latest: the last byte is at most 255. */
export function hashed(revision: number, password: Buffer, salt: Buffer, user: Buffer): Buffer {
  let key = createHash('sha256').update(password).update(salt).update(user).digest();
  if (revision === 5) return key;
  let last = 0;
  for (let round = 0; round < ROUNDS_MIN || last > round - 32; round++) {
    const part = Buffer.concat([password, key, user]);
    const repeated = Buffer.concat(Array.from({ length: REPEATS }, () => part));
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32));
    const text = cipher.setAutoPadding(false).update(repeated);
    const remainder = text.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = createHash(HASHES[remainder] ?? 'sha256')
      .update(text)
      .digest();
    last = text.at(-1) ?? 0;
  }
  return key.subarray(0, KEY_BYTES);
}

/** Algorithm 2.A: returns the file encryption key if this is the password of `entry`. */
function keyOf(
  { revision }: EncryptionDictionary,
  password: Buffer,
  entry: { value: Buffer; key: Buffer; user: Buffer },
): Buffer | undefined {
  const text = password.subarray(0, PASSWORD_BYTES_MAX);
  const { value, key, user } = entry;
  const check = hashed(revision, text, value.subarray(HASH_END, CHECK_END), user);
  if (!check.equals(value.subarray(0, HASH_END))) return undefined;
  const own = hashed(revision, text, value.subarray(CHECK_END, KEY_END), user);
  return createDecipheriv('aes-256-cbc', own, Buffer.alloc(16)).setAutoPadding(false).update(key);
}

export const keyOfLongUser = (password: Buffer, dictionary: EncryptionDictionary): Buffer | undefined =>
  keyOf(dictionary, password, { value: dictionary.user, key: dictionary.userKey, user: NO_BYTES });

export const keyOfLongOwner = (password: Buffer, dictionary: EncryptionDictionary): Buffer | undefined =>
  keyOf(dictionary, password, {
    value: dictionary.owner,
    key: dictionary.ownerKey,
    user: dictionary.user,
  });

/** Returns the permissions that the file encryption key protects (Algorithm 13); all bits if it cannot read them. */
export function protectedPermissions(key: Buffer, { permissionsCopy }: EncryptionDictionary): number {
  if (permissionsCopy.length === 0) return -1;
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const copy = decipher.update(permissionsCopy);
  return copy.toString('latin1', 9, 12) === 'adb' ? copy.readInt32LE(0) : -1;
}
