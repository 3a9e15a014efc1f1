import { AppError } from '@scriptorium/contracts/errors';
import { z } from 'zod';

/** What a key may be limited to: the operations that need a key, by their `operationId`. */
export const SCOPES = [
  'convert',
  'annotate',
  'generate',
  'createBatch',
  'merge',
  'inspectTemplate',
  'sign',
  'signDigest',
  'augment',
  'verify',
  'listJobs',
  'getJob',
  'getJobResult',
  'cancelJob',
  'getWebhookSecret',
  'getUsage',
  'listKeys',
  'revokeKey',
] as const;
export type Scope = (typeof SCOPES)[number];

/** How a key was made: by a code in a mail, by the operator, as the first key of a deployment, or for a trial. */
export type KeyOrigin = 'mail' | 'operator' | 'bootstrap' | 'trial';

const count = z.int().positive().optional();

/** Limits of one key instead of those of the service. With `engineSecondsPerMinute`, its engine time counts apart from its owner's. */
export const keyLimits = z.object({
  requestsPerMinute: count,
  requestsInFlight: count,
  rowsPerMinute: count,
  engineSecondsPerMinute: count,
});
export type KeyLimits = z.output<typeof keyLimits>;

/** What a key may do. Null means no restriction. */
export interface KeyRights {
  origin: KeyOrigin;
  scopes: readonly string[] | null;
  /** The profiles with whose keys it may sign, among those that the signer permits. */
  profiles: readonly string[] | null;
  expiresAt: Date | null;
  limits: KeyLimits;
}

export const ALL_RIGHTS: KeyRights = {
  origin: 'operator',
  scopes: null,
  profiles: null,
  expiresAt: null,
  limits: {},
};

/** Whether a key may sign with the key of the service, by the setting `SERVICE_KEY_FOR`. */
export const maySignAsService = ({ origin }: KeyRights, serviceKeyFor: 'issued' | 'everyone'): boolean =>
  serviceKeyFor === 'everyone' || origin !== 'mail';

/** Throws FORBIDDEN unless the key may use this operation. */
export function requireScope({ scopes }: KeyRights, operation: string): void {
  if (scopes !== null && !scopes.includes(operation))
    throw new AppError('FORBIDDEN', `This API key may not use ${operation}.`);
}
