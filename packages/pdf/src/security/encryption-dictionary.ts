import { malformed, PdfError } from '../pdf-error.ts';
import { type Dict, Name, PdfString, type PdfValue } from '../read/values.ts';
import type { CryptMethod } from './object-cipher.ts';

/** The document with an encryption dictionary, as a reader without decryption shows it. */
export interface EncryptedSource {
  trailer: Dict;
  resolve(value: PdfValue): PdfValue;
  get(dict: Dict, key: string): PdfValue;
  dict(dict: Dict, key: string): Dict | undefined;
}

/** What the standard security handler needs (ISO 32000-2, tables 20 and 21). */
export interface EncryptionDictionary {
  revision: 2 | 3 | 4 | 5 | 6;
  keyBytes: number;
  owner: Buffer;
  user: Buffer;
  /** Revisions 5 and 6 only; empty in others. */
  ownerKey: Buffer;
  userKey: Buffer;
  permissionsCopy: Buffer;
  /** /P as a signed number of 32 bits. */
  permissions: number;
  isMetadataEncrypted: boolean;
  /** Methods of the crypt filters by name. */
  filters: ReadonlyMap<string, CryptMethod>;
  strings: CryptMethod;
  streams: CryptMethod;
  embeddedFiles: CryptMethod;
}

/** /V, and the revisions that it may have; some writers use revision 3 with version 1. */
const REVISIONS: Readonly<Record<number, readonly number[]>> = { 1: [2, 3], 2: [2, 3], 4: [4], 5: [5, 6] };
const METHODS: Readonly<Record<number, readonly string[]>> = { 4: ['V2', 'AESV2'], 5: ['AESV3'] };
const CRYPT_FILTERS_MAX = 1_000;
const RC4_KEY_BITS = { min: 40, max: 128 };

const unsupported = (what: string): PdfError =>
  new PdfError('DOCUMENT_ENCRYPTED', `The PDF is encrypted with ${what}, which is not supported.`);
const broken = (what: string): PdfError => malformed(`its encryption dictionary has ${what}`);

/**
 * Reads and checks the encryption dictionary. Throws DOCUMENT_ENCRYPTED for other security handlers and versions, and
 * INVALID_FILE_FORMAT for entries that are missing, too short or inconsistent.
 */
export function readEncryptionDictionary(document: EncryptedSource, dict: Dict): EncryptionDictionary {
  const handler = document.get(dict, 'Filter');
  if (!(handler instanceof Name)) throw broken('no security handler');
  if (handler.text !== 'Standard') throw unsupported('a security handler other than passwords');
  if (dict.repeatedKeys.length > 0) throw broken('a key twice');
  const version = document.get(dict, 'V') ?? 0;
  const revision = document.get(dict, 'R');
  if (typeof version !== 'number' || typeof revision !== 'number') throw broken('no version');
  const revisions = REVISIONS[version];
  if (!revisions) throw unsupported(`version ${version} of the standard security handler`);
  if (!revisions.includes(revision)) throw broken(`revision ${revision} with version ${version}`);
  const isLong = version === 5;
  const bytes = (key: string, length: number) => stringOf(document, dict, key, length);
  const permissions = document.get(dict, 'P');
  if (typeof permissions !== 'number') throw broken('no permissions');
  return {
    revision: revision as EncryptionDictionary['revision'],
    keyBytes: keyBytesOf(version, revision, document.get(dict, 'Length')),
    owner: bytes('O', isLong ? 48 : 32),
    user: bytes('U', isLong ? 48 : 32),
    ownerKey: isLong ? bytes('OE', 32) : Buffer.alloc(0),
    userKey: isLong ? bytes('UE', 32) : Buffer.alloc(0),
    permissionsCopy: revision === 6 ? bytes('Perms', 16) : Buffer.alloc(0),
    // Some writers write the number without a sign.
    permissions: permissions | 0,
    isMetadataEncrypted: document.get(dict, 'EncryptMetadata') !== false,
    ...(version < 4 ? RC4_ONLY : filtersOf(document, dict, METHODS[version] ?? [])),
  };
}

type Filters = Pick<EncryptionDictionary, 'filters' | 'strings' | 'streams' | 'embeddedFiles'>;

const RC4_ONLY: Filters = { filters: new Map(), strings: 'V2', streams: 'V2', embeddedFiles: 'V2' };

/** Returns the first `length` bytes of a string; some writers add zeros. */
function stringOf(document: EncryptedSource, dict: Dict, key: string, length: number): Buffer {
  const value = document.get(dict, key);
  const bytes = value instanceof PdfString ? value.undeciphered.bytes : undefined;
  if (!bytes || bytes.length < length) throw broken(`no /${key} of ${length} bytes`);
  return bytes.subarray(0, length);
}

function keyBytesOf(version: number, revision: number, bits: PdfValue): number {
  if (version === 5) return 32;
  // Versions 1 and 4 have one length; writers disagree about /Length in them.
  if (version === 4) return 16;
  if (version === 1 || revision === 2 || bits === null) return 5;
  const { min, max } = RC4_KEY_BITS;
  if (typeof bits !== 'number' || !(bits >= min && bits <= max) || bits % 8 !== 0) {
    throw broken('an invalid key length');
  }
  return bits / 8;
}

function filtersOf(document: EncryptedSource, dict: Dict, methods: readonly string[]): Filters {
  const listed = document.dict(dict, 'CF');
  if ((listed?.entries.size ?? 0) > CRYPT_FILTERS_MAX) throw broken('too many crypt filters');
  const filters = new Map<string, CryptMethod>([['Identity', 'Identity']]);
  for (const name of listed?.entries.keys() ?? []) {
    const filter = listed && document.dict(listed, name);
    const method = filter && document.get(filter, 'CFM');
    // The name of the standard filter cannot be given another meaning.
    if (name !== 'Identity' && method instanceof Name && methods.includes(method.text)) {
      filters.set(name, method.text as CryptMethod);
    }
  }
  const methodOf = (key: string, byDefault: CryptMethod): CryptMethod => {
    const name = document.get(dict, key);
    if (name === null) return byDefault;
    const method = name instanceof Name ? filters.get(name.text) : undefined;
    if (!method) throw broken(`no usable crypt filter for /${key}`);
    return method;
  };
  const streams = methodOf('StmF', 'Identity');
  return { filters, streams, strings: methodOf('StrF', 'Identity'), embeddedFiles: methodOf('EFF', streams) };
}
