import { deriveKey, openBytes, openWithAny, sealBytes } from './box.ts';
import { secretsOf } from './secret-bytes.ts';

const PURPOSE = 'scriptorium sealed box 1 ';

/** A secret in the form of `secretsOf`, which does not appear in logs. */
interface HiddenText {
  reveal(): string;
}

/**
 * Encrypts bytes for one request. The key is derived from the secret and the request id, and the id is authenticated. Returns
 * a box of `sealBytes` in base64.
 */
export function seal(secret: HiddenText, requestId: string, bytes: Uint8Array): string {
  const [key] = keysOf(secret, requestId);
  return sealBytes(key, bytes, requestId).toString('base64');
}

/** Decrypts a box of `seal`. Throws BoxError. */
export function open(secret: HiddenText, requestId: string, box: string): Buffer {
  const bytes = Buffer.from(box, 'base64');
  return openWithAny(keysOf(secret, requestId), (key) => openBytes(key, bytes, requestId));
}

function keysOf(secret: HiddenText, requestId: string): readonly [Buffer, ...Buffer[]] {
  const secrets = secretsOf(secret.reveal());
  if (secrets === null) throw new Error('the secret is not 32 bytes or more in base64 or hexadecimal');
  const [current, ...former] = secrets;
  const keyOf = (material: Uint8Array): Buffer => deriveKey(material, PURPOSE + requestId);
  return [keyOf(current), ...former.map(keyOf)];
}
