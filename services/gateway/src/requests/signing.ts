import { AppError } from '@scriptorium/contracts/errors';
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

/** The path of the field that names an image. */
export const APPEARANCE_IMAGE = 'appearance.image';

/** The same for a whole request. Also throws FORBIDDEN if the API key may not sign so, and UNPROCESSABLE if its audit trail has no `submit`. */
export function checkedKey(request: SignInstructions, seal: SealKey, response: Reply): SigningKey {
  requireRights(request.key, response);
  requireSubmit(request.auditTrail);
  const sealOnce = (key: CallerKey) => seal(key, response.locals.requestId);
  return signingKeyOf(request.key, sealOnce, ownerOf(response).id);
}

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

/** Returns the request as the signer service gets it, with the place of the loaded image and the sealed password. */
export function signingOf(
  request: SignInstructions,
  key: SigningKey,
  image?: ImagePlace,
  passwordBox?: string,
): Signing {
  const { certificate, lockFields, appearance, timestamp, key: _key, ...plain } = request;
  return {
    ...plain,
    key,
    hasAuditPages: plain.auditTrail !== undefined && (certificate?.enabled ?? true),
    lockFields: lockFields && fieldLockOf(lockFields),
    appearance: appearance && { ...appearance, image },
    timestampProfile: timestamp?.profile,
    ...(passwordBox !== undefined && { passwordBox }),
  };
}

function fieldLockOf({ include, exclude }: NonNullable<SignInstructions['lockFields']>): FieldLock {
  if (include !== undefined) return { action: 'include', fields: include };
  return exclude === undefined ? { action: 'all' } : { action: 'exclude', fields: exclude };
}
