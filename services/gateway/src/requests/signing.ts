import { AppError, renamed } from '@scriptorium/contracts/errors';
import { SERVICE_PROFILE } from '@scriptorium/contracts/jobs/sign';
import type { ImagePlace } from '@scriptorium/docx-template/fields';
import { seal } from '@scriptorium/sealing/sealed-box';
import type { Secret } from '@scriptorium/shared/config';
import type { CallerKey, FieldLock, Signing, SigningKey } from '@scriptorium/signatures/sign-request';
import { requireScope } from '../auth/key-rights.ts';
import { ownerOf, type Reply } from '../http/context.ts';
import { requireSubmit } from './audit-trail.ts';
import type { KeySource } from './key-source.ts';
import type { SignInstructions } from './sign-request.ts';

/** Encrypts the key of a caller for the signer. Throws SIGNING_KEY_INVALID if the operator has not enabled such keys. */
export type SealKey = (key: CallerKey, requestId: string) => string;

export function sealingWith(secret: Secret | undefined): SealKey {
  return (key, requestId) => {
    if (secret === undefined)
      throw new AppError(
        'SIGNING_KEY_INVALID',
        'This service does not accept keys in requests: the operator has not enabled them (SIGNER_SECRET).',
        { details: [{ field: `key.${key.kind}`, issue: 'is not enabled on this service' }] },
      );
    return seal(secret, requestId, Buffer.from(JSON.stringify(key)));
  };
}

/** Returns the signing key as the signer service gets it. Throws the errors of `seal`. */
export function signingKeyOf(
  source: KeySource | undefined,
  seal: (key: CallerKey) => string,
  apiKey: string,
): SigningKey {
  const { p12, pem, external, profile = SERVICE_PROFILE } = source ?? {};
  if (p12 !== undefined) return { kind: 'sealed', box: seal({ kind: 'p12', ...p12 }) };
  if (pem !== undefined) return { kind: 'sealed', box: seal({ kind: 'pem', ...pem }) };
  return external === undefined ? { kind: 'profile', profile, apiKey } : { kind: 'external', ...external };
}

/** The keys of a request: that of the request, and those that some of several signatures have of their own. */
export interface SigningKeys {
  key: SigningKey;
  ofEach: (SigningKey | undefined)[];
}

export function signingKeysOf(
  { key, signatures = [] }: Pick<SignInstructions, 'key' | 'signatures'>,
  seal: (key: CallerKey) => string,
  apiKey: string,
): SigningKeys {
  const ofEach = signatures.map((one, index) =>
    within(`signatures[${index}]`, () => one.key && signingKeyOf(one.key, seal, apiKey)),
  );
  return { key: signingKeyOf(key, seal, apiKey), ofEach };
}

/** The same for a whole request. Also throws FORBIDDEN if the API key may not sign so, and UNPROCESSABLE if its audit trail has no `submit`. */
export function checkedKeys(
  request: Pick<SignInstructions, 'key' | 'signatures' | 'auditTrail'>,
  seal: SealKey,
  response: Reply,
): SigningKeys {
  const { key, signatures = [], auditTrail } = request;
  if (signatures.length === 0 || signatures.some((one) => one.key === undefined))
    requireRights(key, response);
  for (const [index, one] of signatures.entries())
    if (one.key !== undefined) within(`signatures[${index}]`, () => requireRights(one.key, response));
  requireSubmit(auditTrail);
  const sealOnce = (callerKey: CallerKey) => seal(callerKey, response.locals.requestId);
  return signingKeysOf(request, sealOnce, ownerOf(response).id);
}

/** Runs a check of a whole body on the part of the body with this name. */
export function within<Result>(part: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw error instanceof AppError ? renamed(error, (field) => `${part}.${field}`) : error;
  }
}

/** The images that a request names, by the path of the field. */
export function appearanceImages({ appearance, signatures = [] }: SignInstructions): Map<string, string> {
  const named = [
    [imagePath(), appearance?.image] as const,
    ...signatures.map((one, index) => [imagePath(index), one.appearance?.image] as const),
  ];
  return new Map(named.flatMap(([path, image]) => (image === undefined ? [] : [[path, image] as const])));
}

const imagePath = (index?: number): string =>
  `${index === undefined ? '' : `signatures[${index}].`}appearance.image`;

function requireRights(source: KeySource | undefined, response: Reply): void {
  const { rights } = ownerOf(response);
  requireScope(rights, 'sign');
  const isOwnKey = source !== undefined && source.profile === undefined;
  if (isOwnKey && rights.origin !== 'trial') return;
  const { profile = SERVICE_PROFILE } = source ?? {};
  const refuse = (message: string): never => {
    throw new AppError('FORBIDDEN', message, {
      details: [{ field: 'key.profile', issue: 'is not a profile that this API key may use' }],
    });
  };
  if (rights.origin === 'trial' && (isOwnKey || !response.locals.maySignAsService))
    refuse('Trial keys sign only with the development key of a service.');
  if (rights.profiles !== null && !rights.profiles.includes(profile))
    refuse('This API key may not sign with this profile.');
  if (profile === SERVICE_PROFILE && !response.locals.maySignAsService)
    refuse('API keys by mail may not sign with the key of the service: send a key, or ask the operator.');
}

/**
 * Returns the request as the signer service gets it. It has the places of the loaded images, by the path of their field, and the
 * sealed password.
 */
export function signingOf(
  request: SignInstructions,
  { key, ofEach }: SigningKeys,
  images: ReadonlyMap<string, ImagePlace> = new Map(),
  passwordBox?: string,
): Signing {
  const { certificate, key: _key, signatures, ...plain } = request;
  const { level, signer, reason, location, timestamp } = plain;
  const several = signatures?.map((one, index) => {
    const { key: _own, ...options } = { signer, reason, location, timestamp, ...one };
    const own = ownOptions(options, images.get(imagePath(index)));
    return { ...own, level: one.level ?? level, key: ofEach[index] };
  });
  return {
    ...ownOptions(plain, images.get(imagePath())),
    key,
    documentName: certificate?.documentName,
    hasAuditPages: plain.auditTrail !== undefined && (certificate?.enabled ?? true),
    ...(several && { signatures: several }),
    ...(passwordBox !== undefined && { passwordBox }),
  };
}

/** Options whose names or forms the signer service has otherwise. */
type OwnOptions = Pick<SignInstructions, 'lockFields' | 'appearance' | 'timestamp'>;

function ownOptions<Options extends OwnOptions>(
  { lockFields, appearance, timestamp, ...plain }: Options,
  image: ImagePlace | undefined,
) {
  return {
    ...plain,
    lockFields: lockFields && fieldLockOf(lockFields),
    appearance: appearance && { ...appearance, image },
    timestampProfile: timestamp?.profile,
  };
}

function fieldLockOf({ include, exclude }: NonNullable<SignInstructions['lockFields']>): FieldLock {
  if (include !== undefined) return { action: 'include', fields: include };
  return exclude === undefined ? { action: 'all' } : { action: 'exclude', fields: exclude };
}
