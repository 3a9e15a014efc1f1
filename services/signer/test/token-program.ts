import { X509Certificate } from 'node:crypto';
import { AppError } from '@scriptorium/shared/errors';
import pkcs11js from 'pkcs11js';
import { tokenSigner } from '../src/keys/pkcs11.ts';
import type { TokenAddress } from '../src/keys/token-session.ts';

/**
 * Runs beside the tests, since SoftHSM reads where its tokens are from the environment of the process: answers what its parent
 * asks, one thing after the other.
 */
type Ask =
  | { do: 'store'; address: TokenAddress; certificates: { label: string; id: string; base64: string }[] }
  | { do: 'open'; address: TokenAddress; rsaPadding: 'pkcs1' | 'pss'; certificates: string[] | undefined }
  | { do: 'sign'; base64: string; times: number }
  | { do: 'break' };
export type TokenAsk = Ask;

let signer: Awaited<ReturnType<typeof tokenSigner>> | undefined;
let module = '';

function store({ address, certificates }: Extract<Ask, { do: 'store' }>): void {
  const library = new pkcs11js.PKCS11();
  library.load(address.module);
  library.C_Initialize();
  const slot = library
    .C_GetSlotList(true)
    .find((handle) => library.C_GetTokenInfo(handle).label.trim() === address.tokenLabel);
  if (slot === undefined) throw new Error('no token');
  const session = library.C_OpenSession(slot, pkcs11js.CKF_SERIAL_SESSION | pkcs11js.CKF_RW_SESSION);
  library.C_Login(session, pkcs11js.CKU_USER, address.pin);
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
  library.C_Finalize();
}

async function answer(ask: Ask): Promise<unknown> {
  switch (ask.do) {
    case 'store':
      return store(ask);
    case 'open': {
      const { address, rsaPadding } = ask;
      const certificates = ask.certificates?.map((text) => new X509Certificate(Buffer.from(text, 'base64')));
      signer = await tokenSigner({ ...optional(address), rsaPadding, certificates });
      module = address.module;
      return {
        certificates: signer.certificates.map(({ raw }) => raw.toString('base64')),
        algorithm: signer.algorithm,
        hash: signer.hash,
      };
    }
    case 'sign': {
      const tbs = Buffer.from(ask.base64, 'base64');
      const signatures = await Promise.all(Array.from({ length: ask.times }, () => signer?.sign(tbs)));
      return signatures.map((signature) => signature?.toString('base64'));
    }
    case 'break': {
      // As if the token had been pulled out and put in again: its sessions are gone.
      const library = new pkcs11js.PKCS11();
      library.load(module);
      for (const slot of library.C_GetSlotList(true)) library.C_CloseAllSessions(slot);
      return undefined;
    }
  }
}

/** Undefined does not come through the channel. */
function optional(address: TokenAddress): TokenAddress {
  const { keyId, ...rest } = address;
  return { ...rest, keyId: keyId === undefined ? undefined : Buffer.from(keyId) };
}

process.on('message', (ask: Ask) => {
  answer(ask)
    .then((value) => process.send?.({ value }))
    .catch((error: unknown) => {
      const text = error instanceof AppError ? `${error.code}: ${error.message}` : String(error);
      process.send?.({ refusal: text });
    });
});
