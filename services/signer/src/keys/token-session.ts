import { AppError } from '@scriptorium/contracts/errors';
import { PkiError, signingKeyInvalid } from '@scriptorium/pki/error';
import type * as Pkcs11 from 'pkcs11js';

const OBJECTS_MAX = 64;
const LABEL_OCTETS_MAX = 32;

/** A loaded PKCS #11 library, and the names of the binding's numbers. */
export interface Cryptoki {
  library: Pkcs11.PKCS11;
  constants: typeof Pkcs11;
}

/** The location of a key. */
export interface TokenAddress {
  /** Path of the PKCS #11 library. */
  module: string;
  tokenLabel: string | undefined;
  /** The library's number of a slot. */
  slot: number | undefined;
  pin: string;
  keyLabel: string | undefined;
  keyId: Buffer | undefined;
}

const loaded = new Map<string, Promise<Cryptoki>>();

/** Loads a library, once per thread. Throws SIGNING_KEY_INVALID. */
export function loadCryptoki(module: string): Promise<Cryptoki> {
  const known = loaded.get(module) ?? load(module);
  loaded.set(module, known);
  return known;
}

async function load(module: string): Promise<Cryptoki> {
  const { default: constants } = await import('pkcs11js').catch((cause: unknown) => {
    throw signingKeyInvalid(
      'Keys in tokens need the optional package pkcs11js, which is not installed.',
      cause,
    );
  });
  try {
    const library = new constants.PKCS11();
    library.load(module);
    initialize(library, constants);
    return { library, constants };
  } catch (cause) {
    throw signingKeyInvalid(`The PKCS #11 library cannot be loaded${reason(cause)}.`, cause);
  }
}

function initialize(library: Pkcs11.PKCS11, { CKF_OS_LOCKING_OK }: typeof Pkcs11): void {
  try {
    library.C_Initialize({ flags: CKF_OS_LOCKING_OK });
  } catch (error) {
    // Another thread of the process has initialized it, or the library has two paths.
    if (!reason(error).includes('CKR_CRYPTOKI_ALREADY_INITIALIZED')) throw error;
  }
}

interface PrivateKey {
  handle: Pkcs11.Handle;
  id: Buffer;
  /** Whether each signature needs the PIN (PKCS #11 2.40, 4.9). */
  isAlwaysAsked: boolean;
}

interface Open {
  handle: Pkcs11.Handle;
  privateKey: PrivateKey;
}

/** A logged-in session with the token of one key; opened on demand, and reopened after a failure. */
export class TokenSession {
  readonly #library: Pkcs11.PKCS11;
  readonly #constants: typeof Pkcs11;
  readonly #address: TokenAddress;
  #open: Open | undefined;
  /** A session makes one signature at a time. */
  #last: Promise<unknown> = Promise.resolve();
  /** A wrong PIN is not tried again: tokens lock themselves after a few attempts. */
  #refusal: PkiError | undefined;

  constructor({ library, constants }: Cryptoki, address: TokenAddress) {
    this.#library = library;
    this.#constants = constants;
    this.#address = address;
  }

  /** Throws SIGNING_KEY_INVALID if the token or the key is missing, or the PIN is wrong. */
  open(): void {
    try {
      this.#session();
    } catch (cause) {
      if (cause instanceof PkiError) throw cause;
      throw signingKeyInvalid(`The token cannot be opened${reason(cause)}.`, cause);
    }
  }

  /** In DER; the key's certificate comes first if there is one. Call `open` before. */
  certificates(): Buffer[] {
    const { CKA_CLASS, CKO_CERTIFICATE, CKA_CERTIFICATE_TYPE, CKC_X_509, CKA_ID } = this.#constants;
    const { handle, privateKey } = this.#session();
    const all = [
      { type: CKA_CLASS, value: CKO_CERTIFICATE },
      { type: CKA_CERTIFICATE_TYPE, value: CKC_X_509 },
    ];
    const name = privateKey.id.length > 0 ? [{ type: CKA_ID, value: privateKey.id }] : this.#keyName();
    const own = this.#find(handle, [...all, ...name]);
    if (own.length === 0) return [];
    const others = this.#find(handle, all).filter((object) => !own.some((known) => known.equals(object)));
    return [...own, ...others].map((object) => this.#read(handle, object, this.#constants.CKA_VALUE));
  }

  /** Throws REMOTE_SIGNER_FAILED, after a second attempt in a new session. */
  sign(mechanism: Pkcs11.Mechanism, input: Buffer, octetsMax: number): Promise<Buffer> {
    const once = async (): Promise<Buffer> => {
      const { handle, privateKey } = this.#session();
      this.#library.C_SignInit(handle, mechanism, privateKey.handle);
      if (privateKey.isAlwaysAsked) this.#logIn(handle, this.#constants.CKU_CONTEXT_SPECIFIC);
      return this.#library.C_SignAsync(handle, input, Buffer.alloc(octetsMax));
    };
    const signed = this.#last.then(async () => {
      try {
        return await once();
      } catch {
        this.#forget();
      }
      try {
        return await once();
      } catch (cause) {
        this.#forget();
        throw new AppError('REMOTE_SIGNER_FAILED', `The token failed${reason(cause)}.`, { cause });
      }
    });
    this.#last = signed.catch(() => undefined);
    return signed;
  }

  #session(): Open {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#open !== undefined) return this.#open;
    const { CKF_SERIAL_SESSION, CKU_USER } = this.#constants;
    const handle = this.#library.C_OpenSession(this.#slot(), CKF_SERIAL_SESSION);
    try {
      this.#logIn(handle, CKU_USER);
      this.#open = { handle, privateKey: this.#privateKey(handle) };
      return this.#open;
    } catch (error) {
      this.#close(handle);
      throw error;
    }
  }

  #logIn(handle: Pkcs11.Handle, user: number): void {
    try {
      this.#library.C_Login(handle, user, this.#address.pin);
    } catch (cause) {
      const name = reason(cause);
      // Another session with the token may have logged in, which applies to all of them.
      if (name.includes('CKR_USER_ALREADY_LOGGED_IN')) return;
      const refusal = signingKeyInvalid(`The token refuses the login${name}.`, cause);
      if (name.includes('CKR_PIN_')) this.#refusal = refusal;
      throw refusal;
    }
  }

  #privateKey(handle: Pkcs11.Handle): PrivateKey {
    const { CKA_CLASS, CKO_PRIVATE_KEY, CKA_ID, CKA_ALWAYS_AUTHENTICATE } = this.#constants;
    const found = this.#find(handle, [{ type: CKA_CLASS, value: CKO_PRIVATE_KEY }, ...this.#keyName()]);
    const [key, second] = found;
    if (key === undefined || second !== undefined)
      throw signingKeyInvalid(
        `The token holds ${key === undefined ? 'no key' : 'several keys'} of this name.`,
      );
    return {
      handle: key,
      id: this.#read(handle, key, CKA_ID),
      isAlwaysAsked: this.#read(handle, key, CKA_ALWAYS_AUTHENTICATE)[0] === 1,
    };
  }

  #slot(): Pkcs11.Handle {
    const { tokenLabel, slot } = this.#address;
    const found = this.#library.C_GetSlotList(true).find((handle) => {
      if (slot !== undefined && slot !== handle.readUIntLE(0, 6)) return false;
      if (tokenLabel === undefined) return true;
      return this.#library.C_GetTokenInfo(handle).label.trimEnd() === tokenLabel.slice(0, LABEL_OCTETS_MAX);
    });
    if (found === undefined) throw signingKeyInvalid('The token was not found.');
    return found;
  }

  #keyName(): Pkcs11.Attribute[] {
    const { keyLabel, keyId } = this.#address;
    const { CKA_LABEL, CKA_ID } = this.#constants;
    return [
      ...(keyLabel === undefined ? [] : [{ type: CKA_LABEL, value: keyLabel }]),
      ...(keyId === undefined ? [] : [{ type: CKA_ID, value: keyId }]),
    ];
  }

  #find(handle: Pkcs11.Handle, template: Pkcs11.Template): Pkcs11.Handle[] {
    this.#library.C_FindObjectsInit(handle, template);
    try {
      return this.#library.C_FindObjects(handle, OBJECTS_MAX);
    } finally {
      this.#library.C_FindObjectsFinal(handle);
    }
  }

  /** Empty if the token lacks the attribute. */
  #read(handle: Pkcs11.Handle, object: Pkcs11.Handle, type: number): Buffer {
    try {
      return this.#library.C_GetAttributeValue(handle, object, [{ type }])[0]?.value ?? Buffer.alloc(0);
    } catch {
      return Buffer.alloc(0);
    }
  }

  #forget(): void {
    if (this.#open !== undefined) this.#close(this.#open.handle);
    this.#open = undefined;
  }

  #close(handle: Pkcs11.Handle): void {
    try {
      this.#library.C_CloseSession(handle);
    } catch {
      // It is closed already.
    }
  }
}

/** The name of a PKCS #11 return value in parentheses; it contains no secret. */
function reason(error: unknown): string {
  const name = /CKR_[A-Z0-9_]+/.exec(String(error))?.[0];
  return name === undefined ? '' : ` (${name})`;
}
