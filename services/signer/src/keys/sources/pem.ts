import { privateKeySigner, readPem } from '@scriptorium/pki/keys';
import { secret } from '@scriptorium/shared/config';
import { z } from 'zod';
import { keySource } from '../key-source.ts';
import { path, reveal, rsaPadding, settingsOf } from './settings.ts';

const settings = z.strictObject({
  pem: settingsOf(
    {
      privateKeyFile: path,
      certificatesFile: path,
      password: secret(0).optional(),
      passwordFile: path.optional(),
      rsaPadding,
    },
    ['password'],
  ),
});

/** A private key and its certificates in PEM files. */
export const pemSource = keySource('pem', settings, async ({ pem }, context) => {
  const material = await readPem({
    privateKey: (await context.readFile(pem.privateKeyFile)).toString(),
    certificates: (await context.readFile(pem.certificatesFile)).toString(),
    password: await reveal(pem.password, pem.passwordFile, context),
  });
  return privateKeySigner(material, { rsaPadding: pem.rsaPadding, now: context.now });
});
