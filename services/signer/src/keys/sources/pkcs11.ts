import { secret } from '@scriptorium/shared/config';
import { z } from 'zod';
import { keySource } from '../key-source.ts';
import { tokenSigner } from '../pkcs11.ts';
import { certificatesIn, path, reveal, rsaPadding, settingsOf } from './settings.ts';

const settings = z.strictObject({
  pkcs11: settingsOf(
    {
      module: path,
      tokenLabel: z.string().min(1).optional(),
      slot: z.int().nonnegative().optional(),
      pin: secret().optional(),
      pinFile: path.optional(),
      keyLabel: z.string().min(1).optional(),
      keyId: z
        .string()
        .regex(/^([0-9a-f]{2})+$/i, 'must be hexadecimal')
        .optional(),
      certificatesFile: path.optional(),
      rsaPadding,
    },
    ['pin'],
  )
    .refine(({ tokenLabel, slot }) => (tokenLabel ?? slot) !== undefined, 'must have tokenLabel or slot')
    .refine(({ keyLabel, keyId }) => (keyLabel ?? keyId) !== undefined, 'must have keyLabel or keyId'),
});

/** A key in a token: a smart card or a hardware security module. */
export const pkcs11Source = keySource('pkcs11', settings, async ({ pkcs11 }, context) => {
  const { certificatesFile, keyId } = pkcs11;
  return tokenSigner({
    module: pkcs11.module,
    tokenLabel: pkcs11.tokenLabel,
    slot: pkcs11.slot,
    pin: (await reveal(pkcs11.pin, pkcs11.pinFile, context)) ?? '',
    keyLabel: pkcs11.keyLabel,
    keyId: keyId === undefined ? undefined : Buffer.from(keyId, 'hex'),
    certificates:
      certificatesFile === undefined ? undefined : await certificatesIn(certificatesFile, context),
    rsaPadding: pkcs11.rsaPadding,
  });
});
