import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AppError } from '@scriptorium/contracts/errors';
import { EU_TRUST, SERVICE_TRUST } from '@scriptorium/contracts/jobs/verify';
import { type Certificate, readCertificate } from '@scriptorium/pki/certificates';
import { DerError } from '@scriptorium/pki/error';
import { ConfigError } from '@scriptorium/shared/config';
import type { VerifyTools } from '@scriptorium/signatures/verify';
import type { Verification } from '@scriptorium/signatures/verify-report';
import { z } from 'zod';

/** The profile for requests that name none. */
const DEFAULT_PROFILE = 'default';
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const file = z.string().min(1);
const trustProfiles = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be a short name')
    .refine((name) => name !== SERVICE_TRUST, 'is reserved for the service itself')
    .refine((name) => name !== EU_TRUST, 'is reserved for trusted lists'),
  z.strictObject({ certificates: z.union([file, z.array(file).min(1)]) }),
);

/** The certificates that an operator trusts, by profile name. */
export type TrustProfiles = ReadonlyMap<string, readonly Certificate[]>;

/**
 * Reads the profiles of a JSON file, name → `{certificates}`: one or several PEM files in the folder of the JSON file.
 * Throws ConfigError with every mistake, by profile and property.
 */
export async function loadTrustProfiles(path: string): Promise<Map<string, Certificate[]>> {
  const parsed = trustProfiles.safeParse(await readJson(path));
  if (!parsed.success) throw mistaken(parsed.error.issues.map(mistakeOf));
  const mistakes: string[] = [];
  const profiles = new Map<string, Certificate[]>();
  for (const [name, { certificates }] of Object.entries(parsed.data)) {
    const anchors: Certificate[] = [];
    for (const each of [certificates].flat()) {
      const read = await readAnchors(resolve(dirname(path), each));
      if (typeof read === 'string') mistakes.push(`${name}.certificates: ${each} ${read}`);
      else anchors.push(...read);
    }
    profiles.set(name, anchors);
  }
  if (mistakes.length > 0) throw mistaken(mistakes);
  return profiles;
}

function mistakeOf(issue: z.core.$ZodIssue): string {
  const message = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
  return `${issue.path.join('.') || 'JSON'}: ${message}`;
}

const mistaken = (mistakes: string[]) =>
  new ConfigError(mistakes.map((mistake) => `TRUST_PROFILES: ${mistake}`));

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw mistaken([`the file cannot be read (${error.code})`]);
  });
  try {
    return JSON.parse(text);
  } catch {
    throw mistaken(['JSON: cannot be read']);
  }
}

/** The certificates of a file, or the problem with it. */
export async function readAnchors(path: string): Promise<Certificate[] | string> {
  try {
    const blocks = (await readFile(path, 'latin1')).match(PEM_CERTIFICATE) ?? [];
    if (blocks.length === 0) return 'contains no certificate in PEM';
    return blocks.map((block) => readCertificate(new X509Certificate(block).raw));
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    return syscall === undefined ? 'contains an unreadable certificate' : `cannot be read (${code})`;
  }
}

/**
 * The trust anchors of a request: the certificates that it brings, and those of the profile that it names. The profile
 * `service` is the issuer of the service's own key, and that of `eu` adds none. A request with neither gets the profile `default`, if it exists.
 * Throws VALIDATION_ERROR, and UNAVAILABLE for the profile `service` while the service certificate is unknown.
 */
export function anchorsOf(
  profiles: TrustProfiles,
  { anchors, profile }: Verification['trust'],
  service: VerifyTools['service'],
): Certificate[] {
  const sent = anchors.map(readAnchor);
  if (profile === SERVICE_TRUST) return [...sent, ...issuersOf(service)];
  if (profile === EU_TRUST) return sent;
  if (profile === undefined) return sent.length > 0 ? sent : [...(profiles.get(DEFAULT_PROFILE) ?? [])];
  const named = profiles.get(profile);
  if (named !== undefined) return [...sent, ...named];
  throw unknownProfile();
}

export const unknownProfile = (): AppError =>
  new AppError('VALIDATION_ERROR', 'This service has no trust profile of this name.', {
    details: [{ field: 'trust.profile', issue: 'is not a profile of this service' }],
  });

/** An unknown service certificate must not lead to `untrusted`: a later verification may have another result. */
function issuersOf(service: VerifyTools['service']): Certificate[] {
  const issuers = service.flatMap((chain) => chain.at(-1) ?? []);
  if (issuers.length > 0) return issuers;
  throw new AppError('UNAVAILABLE', 'No signer has published the service certificate.');
}

function readAnchor(base64: string, index: number): Certificate {
  try {
    return readCertificate(Buffer.from(base64, 'base64'));
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    throw new AppError('VALIDATION_ERROR', `Trust anchor ${index + 1} is not a readable certificate.`, {
      cause,
      details: [{ field: `trust.anchors[${index}]`, issue: 'is not an X.509 certificate in DER' }],
    });
  }
}
