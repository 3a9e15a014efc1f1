import { createCipheriv, randomBytes } from 'node:crypto';
import { PASSWORD_BYTES_MAX, type Permission } from '../finish/finish-options.ts';
import type { EncryptionDictionary } from './encryption-dictionary.ts';
import { hashed } from './file-key-by-sha2.ts';
import { writtenPassword } from './password-encoding.ts';
import { ALL_RIGHTS } from './rights.ts';
import { Security } from './security.ts';

/** The bits of /P for each permission, from 1 (ISO 32000-2, table 22). */
const BITS = {
  print: [3, 12],
  printDraft: [3],
  modify: [4],
  copy: [5],
  annotate: [6],
  fillForms: [9],
  assemble: [11],
} as const satisfies Record<Permission, readonly number[]>;

/** The passwords of a new encryption, and what the user may do; by default everything. */
export interface EncryptionRequest {
  /** Opens the document. Without it, the document opens for everyone, with the same permissions. */
  user?: string | undefined;
  /** Opens it with all rights. Without it, no password does. */
  owner?: string | undefined;
  permissions?: readonly Permission[] | undefined;
}

const KEY_BYTES = 32;
const SALT_BYTES = 8;
const NO_BYTES = Buffer.alloc(0);

/**
 * Makes an encryption with AES-256 (ISO 32000-2, 7.6.4, revision 6): its cipher and the text of its dictionary. Throws for a
 * password of more than 127 bytes, which readers would cut.
 */
export function newEncryption(request: EncryptionRequest): { security: Security; dictionary: string } {
  const key = randomBytes(KEY_BYTES);
  const user = entryFor(key, passwordOf(request.user));
  const owner = entryFor(key, passwordOf(request.owner) ?? randomBytes(KEY_BYTES), user.value);
  const permissions = permissionBits(request.permissions);
  const copy = permissionsCopy(key, permissions);
  const hex = (bytes: Buffer) => `<${bytes.toString('hex')}>`;
  const dictionary =
    `<</Filter/Standard/V 5/R 6/Length 256/P ${permissions}/O${hex(owner.value)}/U${hex(user.value)}` +
    `/OE${hex(owner.key)}/UE${hex(user.key)}/Perms${hex(copy)}/EncryptMetadata true` +
    '/CF<</StdCF<</Type/CryptFilter/CFM/AESV3/AuthEvent/DocOpen/Length 32>>>>/StmF/StdCF/StrF/StdCF>>';
  const read: EncryptionDictionary = {
    revision: 6,
    keyBytes: KEY_BYTES,
    owner: owner.value,
    user: user.value,
    ownerKey: owner.key,
    userKey: user.key,
    permissionsCopy: copy,
    permissions,
    isMetadataEncrypted: true,
    filters: new Map([['StdCF', 'AESV3']]),
    strings: 'AESV3',
    streams: 'AESV3',
    embeddedFiles: 'AESV3',
  };
  return { security: new Security(read, key, ALL_RIGHTS, undefined), dictionary };
}

function passwordOf(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  const bytes = writtenPassword(text);
  if (bytes.length > PASSWORD_BYTES_MAX) throw new RangeError(`a password has ${bytes.length} bytes`);
  return bytes;
}

/** Algorithms 8 and 9: the value of /U or /O, and the file encryption key under it. */
function entryFor(
  key: Buffer,
  password: Buffer = NO_BYTES,
  user: Buffer = NO_BYTES,
): { value: Buffer; key: Buffer } {
  const [check, own] = [randomBytes(SALT_BYTES), randomBytes(SALT_BYTES)];
  const value = Buffer.concat([hashed(6, password, check, user), check, own]);
  const cipher = createCipheriv('aes-256-cbc', hashed(6, password, own, user), Buffer.alloc(16));
  return { value, key: cipher.setAutoPadding(false).update(key) };
}

/** Bits 1 and 2 are 0; bits 7, 8, 10 and those above 12 are 1. Bit 10 permits reading aloud. */
function permissionBits(permissions: readonly Permission[] | undefined): number {
  if (permissions === undefined) return ~3;
  const permitted = new Set<number>(permissions.flatMap((permission) => [...BITS[permission]]));
  return [...new Set<number>(Object.values(BITS).flat())]
    .filter((bit) => !permitted.has(bit))
    .reduce((bits, bit) => bits & ~(1 << (bit - 1)), ~3);
}

/** Algorithm 10. */
function permissionsCopy(key: Buffer, permissions: number): Buffer {
  const plain = Buffer.concat([Buffer.alloc(8, 0xff), Buffer.from('Tadb'), randomBytes(4)]);
  plain.writeInt32LE(permissions, 0);
  return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(plain);
}
