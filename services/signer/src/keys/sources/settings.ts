import { type CertificateList, readPemCertificates } from '@scriptorium/pki/keys';
import type { Secret } from '@scriptorium/shared/config';
import { z } from 'zod';
import type { SourceContext } from '../key-source.ts';

export const path = z.string().min(1);

/** The padding of an RSA key's signatures; other keys have no choice. */
export const rsaPadding = z.enum(['pkcs1', 'pss']).default('pkcs1');

/** An object with only these properties. Each of `secrets` is given directly or as `<name>File`, not both. */
export function settingsOf<Shape extends z.ZodRawShape>(shape: Shape, secrets: readonly string[]) {
  return z.strictObject(shape).superRefine((settings, { addIssue }) => {
    for (const name of secrets)
      if (name in settings && `${name}File` in settings)
        addIssue({ code: 'custom', message: `must have ${name} or ${name}File, not both` });
  });
}

/** A secret of the settings, or the text of the file that they name, without the final line end. */
export async function reveal(
  direct: Secret | undefined,
  file: string | undefined,
  { readFile }: SourceContext,
): Promise<string | undefined> {
  if (file === undefined) return direct?.reveal();
  return (await readFile(file)).toString().replace(/\r?\n$/, '');
}

/** The certificates in a PEM file. Throws SIGNING_KEY_INVALID. */
export async function certificatesIn(file: string, { readFile }: SourceContext): Promise<CertificateList> {
  return readPemCertificates((await readFile(file)).toString());
}
