import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { AppError } from '@scriptorium/contracts/errors';
import type { RawSigner } from '@scriptorium/pki/keys';
import { ConfigError } from '@scriptorium/shared/config';
import pkcs11js from 'pkcs11js';
import { loadProfiles } from '../src/keys/profiles.ts';

/**
 * Runs beside the tests, because SoftHSM reads the location of its tokens from the environment of the process. It
 * executes its parent's requests in order.
 */
export type TokenAsk =
  | { do: 'store'; certificates: StoredCertificate[]; guarded: GuardedKey }
  /** A file of profiles, of which `hsm` signs from now on. */
  | { do: 'open'; file: string }
  | { do: 'sign'; base64: string; times: number }
  /** Signs in its own thread, which ends afterwards. */
  | { do: 'signInThread'; file: string; base64: string }
  /** Simulates that the token was removed and reinserted. */
  | { do: 'endSessions' }
  | { do: 'changePin'; from: string; to: string };

export interface StoredCertificate {
  label: string;
  /** Hexadecimal. */
  id: string;
  base64: string;
}

/** A P-256 key that needs the PIN for each signature, like smart cards for qualified signatures. */
export interface GuardedKey {
  label: string;
  id: string;
  /** The private key as a hexadecimal number. */
  secret: string;
}

const [, , module = '', tokenLabel = '', pin = ''] = process.argv;
const library = new pkcs11js.PKCS11();
library.load(module);
let signer: RawSigner | undefined;

function slot(): Buffer {
  const found = library
    .C_GetSlotList(true)
    .find((handle) => library.C_GetTokenInfo(handle).label.trim() === tokenLabel);
  if (found === undefined) throw new Error('no token');
  return found;
}

const newSession = (): Buffer =>
  library.C_OpenSession(slot(), pkcs11js.CKF_SERIAL_SESSION | pkcs11js.CKF_RW_SESSION);

/** The object identifier of the curve P-256 (1.2.840.10045.3.1.7) in DER. */
const P256_OID = Buffer.from('06082a8648ce3d030107', 'hex');

/** Initializes and finalizes the library itself: the product initializes it again later. */
function store(certificates: StoredCertificate[], guarded: GuardedKey): void {
  library.C_Initialize();
  const session = newSession();
  library.C_Login(session, pkcs11js.CKU_USER, pin);
  for (const { label, id, base64 } of certificates) {
    const raw = Buffer.from(base64, 'base64');
    library.C_CreateObject(session, [
      { type: pkcs11js.CKA_CLASS, value: pkcs11js.CKO_CERTIFICATE },
      { type: pkcs11js.CKA_CERTIFICATE_TYPE, value: pkcs11js.CKC_X_509 },
      { type: pkcs11js.CKA_TOKEN, value: true },
      { type: pkcs11js.CKA_LABEL, value: label },
      { type: pkcs11js.CKA_ID, value: Buffer.from(id, 'hex') },
      { type: pkcs11js.CKA_SUBJECT, value: raw },
      { type: pkcs11js.CKA_VALUE, value: raw },
    ]);
  }
  library.C_CreateObject(session, [
    { type: pkcs11js.CKA_CLASS, value: pkcs11js.CKO_PRIVATE_KEY },
    { type: pkcs11js.CKA_KEY_TYPE, value: pkcs11js.CKK_EC },
    { type: pkcs11js.CKA_TOKEN, value: true },
    { type: pkcs11js.CKA_PRIVATE, value: true },
    { type: pkcs11js.CKA_SIGN, value: true },
    { type: pkcs11js.CKA_ALWAYS_AUTHENTICATE, value: true },
    { type: pkcs11js.CKA_LABEL, value: guarded.label },
    { type: pkcs11js.CKA_ID, value: Buffer.from(guarded.id, 'hex') },
    { type: pkcs11js.CKA_EC_PARAMS, value: P256_OID },
    { type: pkcs11js.CKA_VALUE, value: Buffer.from(guarded.secret, 'hex') },
  ]);
  library.C_Finalize();
}

function changePin(from: string, to: string): void {
  library.C_CloseAllSessions(slot());
  const session = newSession();
  library.C_SetPIN(session, from, to);
  library.C_CloseSession(session);
}

async function open(file: string): Promise<unknown> {
  const signers = await loadProfiles(file, () => Promise.reject(new Error('no request is expected')));
  signer = signers.get('hsm')?.signer;
  const certificates = signer?.certificates.map(({ raw }) => raw.toString('base64'));
  return { certificates, algorithm: signer?.algorithm, hash: signer?.hash };
}

async function sign(base64: string, times: number): Promise<unknown> {
  const tbs = Buffer.from(base64, 'base64');
  const signatures = await Promise.all(Array.from({ length: times }, () => signer?.sign(tbs)));
  return signatures.map((signature) => signature?.toString('base64'));
}

async function answer(ask: TokenAsk): Promise<unknown> {
  switch (ask.do) {
    case 'store':
      return store(ask.certificates, ask.guarded);
    case 'open':
      return open(ask.file);
    case 'sign':
      return sign(ask.base64, ask.times);
    case 'signInThread':
      return signInThread(ask.file, ask.base64);
    case 'endSessions':
      return library.C_CloseAllSessions(slot());
    case 'changePin':
      return changePin(ask.from, ask.to);
  }
}

function refusalOf(error: unknown): string {
  if (error instanceof AppError) return `${error.code}: ${error.message}`;
  return error instanceof ConfigError ? error.mistakes.join('\n') : String(error);
}

async function signInThread(file: string, base64: string): Promise<unknown> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { file, base64 }, argv: [module] });
  const [signatures] = await once(thread, 'message');
  await thread.terminate();
  return signatures;
}

if (workerData !== null) {
  await open(workerData.file);
  parentPort?.postMessage(await sign(workerData.base64, 1));
}

process.on('message', (ask: TokenAsk) => {
  answer(ask).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ refusal: refusalOf(error) }),
  );
});
