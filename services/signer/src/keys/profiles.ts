import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '@scriptorium/shared/config';
import { AppError } from '@scriptorium/shared/errors';
import { z } from 'zod';
import { checkValidity, validityObjection } from './check-signer.ts';
import type { Post } from './key-source.ts';
import { KEY_SOURCES } from './key-sources.ts';
import type { RawSigner } from './raw-signer.ts';
import { signingKeyInvalid } from './signing-key-error.ts';

const profilesFile = z.record(z.string(), z.record(z.string(), z.unknown()));

/** Signers by the names of their profiles. */
export type ProfileSigners = ReadonlyMap<string, RawSigner>;

/**
 * Opens every profile of a JSON file (name → `{p12, password}`, `{pem}`, `{pkcs11}` or `{remote}`), each once. Paths in it start
 * from its folder. Throws ConfigError with every mistake, by profile and without any secret; an expired certificate is none:
 * `profileSigner` refuses it, and so the others go on signing.
 */
export async function loadProfiles(file: string, post: Post): Promise<ProfileSigners> {
  const profiles = await readProfiles(file);
  const mistakes: string[] = [];
  const signers = new Map<string, RawSigner>();
  const context = {
    readFile: (path: string) => readFile(resolve(dirname(file), path)),
    post,
    now: new Date(),
  };
  for (const [name, profile] of Object.entries(profiles)) {
    try {
      signers.set(name, await sourceOf(profile).open(profile, context));
    } catch (error) {
      mistakes.push(...mistakesOf(error).map((mistake) => `profile ${name}: ${mistake}`));
    }
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return signers;
}

/** Throws VALIDATION_ERROR for an unknown profile, SIGNING_KEY_INVALID for one whose certificate is not valid at `now`. */
export function profileSigner(signers: ProfileSigners, name: string, now: Date): RawSigner {
  const signer = signers.get(name);
  if (signer === undefined)
    throw new AppError('VALIDATION_ERROR', 'There is no signing profile of this name.', {
      details: [{ field: 'key.profile', issue: 'is no profile of this service' }],
    });
  checkValidity(signer, now);
  return signer;
}

/** What an operator should know of profiles that cannot sign now: `profile <name>: its certificate …`. */
export function profileWarnings(signers: ProfileSigners, now: Date): string[] {
  return [...signers].flatMap(([name, { certificates }]) => {
    const objection = validityObjection(certificates[0], now);
    return objection === undefined ? [] : [`profile ${name}: its certificate ${objection}`];
  });
}

async function readProfiles(file: string): Promise<z.output<typeof profilesFile>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(mistakesOf(error));
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which holds passwords.
    throw new ConfigError([`${file} is not JSON`]);
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
  if (error instanceof AppError) return [error.message];
  const { code, path } = error as NodeJS.ErrnoException;
  if (code !== undefined && path !== undefined) return [`${path} cannot be read (${code})`];
  throw error;
}
