import { malformed, PdfError } from '../pdf-error.ts';
import { Dict, isName, Name, PdfString, type PdfValue, Ref } from '../read/values.ts';
import {
  type EncryptedSource,
  type EncryptionDictionary,
  readEncryptionDictionary,
} from './encryption-dictionary.ts';
import { keyOfOwner, keyOfUser } from './file-key-by-md5.ts';
import { keyOfLongOwner, keyOfLongUser, protectedPermissions } from './file-key-by-sha2.ts';
import { type CryptMethod, type ObjectCipher, objectCipher } from './object-cipher.ts';
import { passwordBytes } from './password-encoding.ts';
import { type DocumentRights, rightsOf } from './rights.ts';

/** An opened encryption: the ciphers of objects, and what the password permits. */
export class Security {
  readonly rights: DocumentRights;
  readonly #dictionary: EncryptionDictionary;
  readonly #key: Buffer;
  /** The encryption dictionary's own strings are not encrypted. */
  readonly #ownNum: number | undefined;

  constructor(
    dictionary: EncryptionDictionary,
    key: Buffer,
    rights: DocumentRights,
    ownNum: number | undefined,
  ) {
    this.#dictionary = dictionary;
    this.#key = key;
    this.rights = rights;
    this.#ownNum = ownNum;
  }

  /** Returns the cipher for the strings of an object; undefined if they are not encrypted. */
  strings(num: number, gen: number): ObjectCipher | undefined {
    const method = this.#dictionary.strings;
    return method === 'Identity' || num === this.#ownNum
      ? undefined
      : objectCipher(method, this.#key, num, gen);
  }

  /** Returns the cipher for the data of a stream. Throws INVALID_FILE_FORMAT for an unknown crypt filter. */
  stream(num: number, gen: number, dict: Dict, resolve: (value: PdfValue) => PdfValue): ObjectCipher {
    return objectCipher(this.#methodOf(dict, resolve), this.#key, num, gen);
  }

  /** ISO 32000-2, 7.6.6 and 7.4.10. */
  #methodOf(dict: Dict, resolve: (value: PdfValue) => PdfValue): CryptMethod {
    const { filters, streams, embeddedFiles, isMetadataEncrypted, revision } = this.#dictionary;
    const type = resolve(dict.get('Type'));
    if (isName(type, 'XRef')) return 'Identity';
    if (revision < 4) return streams;
    const first = (value: PdfValue): PdfValue => {
      const resolved = resolve(value);
      return Array.isArray(resolved) ? resolve(resolved[0] ?? null) : resolved;
    };
    if (isName(first(dict.get('Filter')), 'Crypt')) {
      const parameters = first(dict.get('DecodeParms'));
      const name = parameters instanceof Dict ? resolve(parameters.get('Name')) : null;
      const method = filters.get(name instanceof Name ? name.text : 'Identity');
      if (!method) throw malformed('a stream names an unknown crypt filter');
      return method;
    }
    if (!isMetadataEncrypted && isName(type, 'Metadata')) return 'Identity';
    return isName(type, 'EmbeddedFile') ? embeddedFiles : streams;
  }
}

/**
 * Opens the encryption of a document. `document` reads it without decryption. Throws PASSWORD_REQUIRED, PASSWORD_WRONG,
 * DOCUMENT_ENCRYPTED for other security handlers, and INVALID_FILE_FORMAT.
 */
export function openSecurity(document: EncryptedSource, password: string | undefined): Security {
  const value = document.trailer.get('Encrypt');
  const dict = document.resolve(value);
  if (!(dict instanceof Dict)) throw malformed('it has no encryption dictionary');
  const dictionary = readEncryptionDictionary(document, dict);
  const opened = openedBy(password ?? '', dictionary, identifierOf(document));
  if (!opened) {
    if (password) throw new PdfError('PASSWORD_WRONG', 'The password of the PDF is wrong.');
    throw new PdfError('PASSWORD_REQUIRED', 'The PDF is encrypted and requires a password.');
  }
  const { key, isOwner } = opened;
  const permissions = dictionary.permissions & protectedPermissions(key, dictionary);
  const rights = rightsOf({ permissions, revision: dictionary.revision, isOwner });
  return new Security(dictionary, key, rights, value instanceof Ref ? value.num : undefined);
}

function openedBy(
  password: string,
  dictionary: EncryptionDictionary,
  id: Buffer,
): { key: Buffer; isOwner: boolean } | undefined {
  const isLong = dictionary.revision >= 5;
  for (const bytes of passwordBytes(password, dictionary.revision)) {
    const owner = isLong ? keyOfLongOwner(bytes, dictionary) : keyOfOwner(bytes, dictionary, id);
    if (owner) return { key: owner, isOwner: true };
    const user = isLong ? keyOfLongUser(bytes, dictionary) : keyOfUser(bytes, dictionary, id);
    if (user) return { key: user, isOwner: false };
  }
  return undefined;
}

/** Returns the first part of the trailer's /ID, which up to revision 4 is part of the key. */
function identifierOf(document: EncryptedSource): Buffer {
  const id = document.get(document.trailer, 'ID');
  const first = Array.isArray(id) ? document.resolve(id[0] ?? null) : null;
  // It is never encrypted, and neither is what the dictionary refers to, even as objects of their own.
  return first instanceof PdfString ? first.undeciphered.bytes : Buffer.alloc(0);
}

/**
 * Whether two revisions are encrypted alike, by their dictionaries and the /ID of an encrypted one. Throws INVALID_FILE_FORMAT or DOCUMENT_ENCRYPTED if an encryption cannot be read.
 */
export function isSameEncryption(older: EncryptedSource, newer: EncryptedSource): boolean {
  return older.trailer === newer.trailer || encryptionOf(older) === encryptionOf(newer);
}

function encryptionOf(document: EncryptedSource): string {
  const value = document.trailer.get('Encrypt');
  if (value === null) return '';
  const dict = document.resolve(value);
  if (!(dict instanceof Dict)) throw malformed('it has no encryption dictionary');
  const { filters, ...read } = readEncryptionDictionary(document, dict);
  // Readers differ in whether they use the length with every version.
  const length = document.get(dict, 'Length');
  return JSON.stringify([identifierOf(document).toString('hex'), length, [...filters], read]);
}
