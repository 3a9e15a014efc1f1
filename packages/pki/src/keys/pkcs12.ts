import { berToDer } from '../asn1/ber.ts';
import { contextTag, TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  expectTag,
  readChildren,
  readDer,
  readNumber,
  readOctetString,
  readOid,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { signingKeyInvalid } from '../pki-error.ts';
import { readCertificates } from './certificates.ts';
import { decrypt } from './password/decrypt.ts';
import { IterationBudget } from './password/iteration-budget.ts';
import { decryptPrivateKey, readPrivateKey } from './pkcs8.ts';
import { macHolds } from './pkcs12-mac.ts';
import type { KeyMaterial } from './private-key-signer.ts';

const FILE_BYTES_MAX = 1024 * 1024;
const BAGS_MAX = 200;
const NESTING_MAX = 4;
const WRONG_PASSWORD = 'The password of the PKCS #12 file is wrong.';
const DAMAGED = 'The PKCS #12 file is damaged or not a PKCS #12 file.';

/**
 * The private keys and certificates in a PKCS #12 file (RFC 7292), in its order. Throws SIGNING_KEY_INVALID, with
 * different messages for a wrong password and a damaged file.
 */
export async function readPkcs12(file: Buffer, password: string): Promise<KeyMaterial> {
  if (file.length > FILE_BYTES_MAX)
    throw signingKeyInvalid(`The PKCS #12 file exceeds the limit of ${FILE_BYTES_MAX / 1024} KiB.`);
  try {
    const { content, macData } = openFile(file);
    const budget = new IterationBudget();
    const reader = await readerFor({ content, macData, password, budget });
    return await reader.read();
  } catch (error) {
    if (error instanceof DerError) throw signingKeyInvalid(DAMAGED, error);
    throw error;
  }
}

interface Opened {
  /** AuthenticatedSafe. */
  content: Buffer;
  macData: DerValue | undefined;
}

function openFile(file: Buffer): Opened {
  const [version, authSafe, macData] = readSequence(readDer(berToDer(file)));
  if (readNumber(version) !== 3) throw new DerError('PFX version is not 3');
  const { type, content } = readContentInfo(authSafe);
  if (type !== OID.data)
    throw signingKeyInvalid(
      'The PKCS #12 file is signed with a key instead of a password MAC, which is not supported.',
    );
  return { content: readOctetString(content), macData };
}

function readContentInfo(value: DerValue | undefined): { type: string; content: DerValue } {
  const [type, content] = readSequence(value);
  return { type: readOid(type), content: readOnlyChild(expectTag(content, contextTag(0))) };
}

async function readerFor({
  content,
  macData,
  password,
  budget,
}: Opened & { password: string; budget: IterationBudget }): Promise<SafeReader> {
  // Writers differ in how they encode an absent password.
  const candidates = password === '' ? ['', undefined] : [password];
  for (const candidate of candidates) {
    const isRight = macData !== undefined && (await macHolds(macData, content, candidate, budget));
    if (isRight) return new SafeReader(content, candidate, budget, DAMAGED);
  }
  if (macData === undefined) return new SafeReader(content, password, budget, WRONG_PASSWORD);
  // The MAC does not match. If the password decrypts the content, the file is damaged.
  const reader = new SafeReader(content, password, budget, WRONG_PASSWORD);
  await reader.read();
  throw signingKeyInvalid(
    reader.hasOpened
      ? 'The PKCS #12 file is damaged: the password is right, but its MAC does not match.'
      : 'The password of the PKCS #12 file is wrong, or the file is damaged.',
  );
}

/** Collects keys and certificates from the safes of one file. */
class SafeReader {
  readonly #content: Buffer;
  readonly #password: string | undefined;
  readonly #budget: IterationBudget;
  /** The message when decryption fails. */
  readonly #closed: string;
  readonly #keys: Buffer[] = [];
  readonly #certificates: Buffer[] = [];
  #bags = 0;
  /** Whether the password decrypted something. */
  hasOpened = false;

  constructor(content: Buffer, password: string | undefined, budget: IterationBudget, closed: string) {
    this.#content = content;
    this.#password = password;
    this.#budget = budget;
    this.#closed = closed;
  }

  async read(): Promise<KeyMaterial> {
    for (const info of readSequence(readDer(berToDer(this.#content)))) {
      const { type, content } = readContentInfo(info);
      const safe = type === OID.encryptedData ? await this.#decrypt(content) : this.#plain(type, content);
      await this.#readSafe(readDer(berToDer(safe)), 0);
    }
    return {
      privateKeys: this.#keys.map(readPrivateKey),
      certificates: readCertificates(this.#certificates),
    };
  }

  #plain(type: string, content: DerValue): Buffer {
    if (type === OID.data) return readOctetString(content);
    throw signingKeyInvalid(
      'The PKCS #12 file is encrypted for a key instead of a password, which is not supported.',
    );
  }

  async #decrypt(content: DerValue): Promise<Buffer> {
    const [, info] = readSequence(content);
    const [, algorithm, encrypted] = readSequence(info);
    return this.#opened(
      await decrypt(
        { algorithm: expectTag(algorithm, TAG.sequence), ciphertext: implicitOctets(encrypted) },
        this.#password,
        this.#budget,
      ),
    );
  }

  async #readSafe(safe: DerValue, depth: number): Promise<void> {
    if (depth > NESTING_MAX) throw new DerError('nested safes');
    for (const bag of readSequence(safe)) {
      if (++this.#bags > BAGS_MAX)
        throw signingKeyInvalid(`The PKCS #12 file has more than ${BAGS_MAX} bags.`);
      const [id, wrapped] = readSequence(bag);
      const value = readOnlyChild(expectTag(wrapped, contextTag(0)));
      await this.#readBag(readOid(id), value, depth);
    }
  }

  async #readBag(id: string, value: DerValue, depth: number): Promise<void> {
    switch (id) {
      case OID.keyBag:
        this.#keys.push(value.bytes);
        break;
      case OID.shroudedKeyBag:
        this.#keys.push(this.#opened(await decryptPrivateKey(value.bytes, this.#password, this.#budget)));
        break;
      case OID.certBag: {
        const [type, certificate] = readSequence(value);
        if (readOid(type) !== OID.x509Certificate) break;
        this.#certificates.push(readOctetString(readOnlyChild(expectTag(certificate, contextTag(0)))));
        break;
      }
      case OID.safeContentsBag:
        await this.#readSafe(value, depth + 1);
        break;
    }
  }

  #opened(plain: Buffer | undefined): Buffer {
    if (plain === undefined) throw signingKeyInvalid(this.#closed);
    this.hasOpened = true;
    return plain;
  }
}

/** `[0] IMPLICIT OCTET STRING`, which streaming writers split into pieces. */
function implicitOctets(value: DerValue | undefined): Buffer {
  if (value?.tag === contextTag(0)) return Buffer.concat(readChildren(value).map(readOctetString));
  return expectTag(value, contextTag(0, false)).content;
}
