import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AppError } from '@scriptorium/contracts/errors';
import { SERVICE_PROFILE } from '@scriptorium/contracts/jobs/sign';
import { PkiError, signingKeyInvalid } from '@scriptorium/pki/error';
import { checkValidity, type RawSigner, readPemCertificates, validityObjection } from '@scriptorium/pki/keys';
import { ConfigError } from '@scriptorium/shared/config';
import { z } from 'zod';
import type { Post, SourceContext } from './key-source.ts';
import { KEY_SOURCES } from './key-sources.ts';

const profilesFile = z.record(z.string(), z.record(z.string(), z.unknown()));
/** Ids of API keys, or all of them. */
const allowance = z.union([z.literal('everyone'), z.array(z.string().min(1))]);

/** Files with the certificates of other keys in PEM, each with its issuers. */
const certificateFiles = z.array(z.string().min(1)).max(20);

/** A key that the service holds, and the API keys that may use it. */
export interface Profile {
  signer: RawSigner;
  /** The chains in `otherCertificates` of the service's own profile, in PEM. */
  otherChains: readonly string[];
  allow: z.output<typeof allowance>;
}

/** By name. */
export type Profiles = ReadonlyMap<string, Profile>;

/**
 * Opens every profile of a JSON file (name → `{p12, password}`, `{pem}`, `{pkcs11}` or `{remote}`), each once. Its
 * `allow` lists the ids of the API keys that may use it, or is `everyone`. The default is everyone for the service's
 * own profile, and no key for all others. `otherCertificates` of the service's own profile are files with certificates of
 * keys that the service had, or will have: verifiers recognize those, too. Paths are relative to the file's folder. Throws ConfigError with every
 * mistake, by profile and without secrets. An expired certificate is not a mistake: `profileSigner` refuses it, so the
 * other profiles still sign.
 */
export async function loadProfiles(file: string, post: Post): Promise<Profiles> {
  const profiles = await readProfiles(file);
  const mistakes: string[] = [];
  const opened = new Map<string, Profile>();
  const context = {
    readFile: (path: string) => readFile(resolve(dirname(file), path)),
    post,
    now: new Date(),
  };
  for (const [name, { allow, otherCertificates, ...profile }] of Object.entries(profiles)) {
    try {
      const allowed = allowance.parse(allow ?? (name === SERVICE_PROFILE ? 'everyone' : []));
      if (otherCertificates !== undefined && name !== SERVICE_PROFILE)
        throw signingKeyInvalid(`Only the profile \`${SERVICE_PROFILE}\` may have \`otherCertificates\`.`);
      const otherChains = await readChains(otherCertificates ?? [], context);
      opened.set(name, {
        ...{ signer: await sourceOf(profile).open(profile, context), otherChains },
        allow: allowed,
      });
    } catch (error) {
      mistakes.push(...mistakesOf(error).map((mistake) => `profile ${name}: ${mistake}`));
    }
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return opened;
}

function readChains(files: unknown, context: SourceContext): Promise<string[]> {
  const parsed = certificateFiles.safeParse(files);
  if (!parsed.success) throw signingKeyInvalid('`otherCertificates` must be a list of at most 20 files.');
  return Promise.all(
    parsed.data.map(async (file) => {
      const chain = readPemCertificates((await context.readFile(file)).toString());
      return chain.map((certificate) => certificate.toString()).join('');
    }),
  );
}

/**
 * Throws VALIDATION_ERROR for an unknown profile, with the same text for one that this API key may not use, so that names are not
 * revealed. Throws SIGNING_KEY_INVALID for one whose certificate is not valid at `now`.
 */
export function profileSigner(
  profiles: Profiles,
  { profile: name, apiKey }: { profile: string; apiKey: string },
  now: Date,
): RawSigner {
  const { signer, allow = [] } = profiles.get(name) ?? {};
  if (signer === undefined || (allow !== 'everyone' && !allow.includes(apiKey)))
    throw new AppError('VALIDATION_ERROR', 'This API key has no signing profile of this name.', {
      details: [{ field: 'key.profile', issue: 'is not a profile that this API key may use' }],
    });
  checkValidity(signer, now);
  return signer;
}

/** Warnings about profiles that cannot sign now: `profile <name>: its certificate …`. */
export function profileWarnings(profiles: Profiles, now: Date): string[] {
  return [...profiles].flatMap(
    ([
      name,
      {
        signer: { certificates },
      },
    ]) => {
      const objection = validityObjection(certificates[0], now);
      return objection === undefined ? [] : [`profile ${name}: its certificate ${objection}`];
    },
  );
}

async function readProfiles(file: string): Promise<z.output<typeof profilesFile>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(mistakesOf(error));
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which contains passwords.
    throw new ConfigError([`${file} is not valid JSON`]);
  }
  const parsed = profilesFile.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ConfigError(mistakesOf(parsed.error).map((mistake) => `${file}: ${mistake}`));
}

function sourceOf(profile: Record<string, unknown>): (typeof KEY_SOURCES)[number] {
  const [source, second] = KEY_SOURCES.filter(({ name }) => Object.hasOwn(profile, name));
  if (source !== undefined && second === undefined) return source;
  throw signingKeyInvalid(`It must have one of ${KEY_SOURCES.map(({ name }) => name).join(', ')}.`);
}

function mistakesOf(error: unknown): string[] {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) =>
      path.length > 0 ? `${path.join('.')}: ${message}` : message,
    );
  if (error instanceof AppError || error instanceof PkiError) return [error.message];
  const { code, path } = error as NodeJS.ErrnoException;
  if (code !== undefined && path !== undefined) return [`${path} cannot be read (${code})`];
  throw error;
}
