import { privateKeySigner, readPkcs12 } from '@scriptorium/pki/keys';
import { secret } from '@scriptorium/shared/config';
import { keySource } from '../key-source.ts';
import { path, reveal, rsaPadding, settingsOf } from './settings.ts';

const settings = settingsOf(
  { p12: path, password: secret(0).optional(), passwordFile: path.optional(), rsaPadding },
  ['password'],
);

/** A PKCS #12 file. */
export const p12Source = keySource('p12', settings, async (profile, context) => {
  const password = (await reveal(profile.password, profile.passwordFile, context)) ?? '';
  const material = await readPkcs12(await context.readFile(profile.p12), password);
  return privateKeySigner(material, { rsaPadding: profile.rsaPadding, now: context.now });
});
