import { secret } from '@scriptorium/shared/config';
import { z } from 'zod';
import { keySource } from '../key-source.ts';
import { remoteSigner } from '../remote.ts';
import { certificatesIn, path, reveal, rsaPadding, settingsOf } from './settings.ts';

const settings = z.strictObject({
  remote: settingsOf(
    {
      url: z.url({ protocol: /^https?$/ }),
      version: z.enum(['v1', 'v2']).default('v2'),
      credentialId: z.string().min(1),
      token: secret().optional(),
      tokenFile: path.optional(),
      pin: secret().optional(),
      pinFile: path.optional(),
      certificatesFile: path,
      rsaPadding,
    },
    ['token', 'pin'],
  ).refine(({ token, tokenFile }) => (token ?? tokenFile) !== undefined, 'must have token or tokenFile'),
});

/** A credential of a signing service that is accessed over HTTP. */
export const remoteSource = keySource('remote', settings, async ({ remote }, context) => {
  const credential = {
    url: remote.url,
    version: remote.version,
    credentialId: remote.credentialId,
    token: (await reveal(remote.token, remote.tokenFile, context)) ?? '',
    pin: await reveal(remote.pin, remote.pinFile, context),
    rsaPadding: remote.rsaPadding,
  };
  return remoteSigner(credential, await certificatesIn(remote.certificatesFile, context), context.post);
});
