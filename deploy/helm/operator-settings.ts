import { JOB_SECRETS, type ServiceName } from '@scriptorium/contracts/services';
import { z } from 'zod';
import { SERVICE_SETTINGS } from '../settings.ts';

/** Settings that the chart derives from other values: addresses, Secrets and their files, roles, traces. */
const OWNED_BY_CHART = new Set([
  'HOST',
  'PORT',
  'INTERNAL_HOST',
  'INTERNAL_PORT',
  'REDIS_URL',
  'REDIS_BLOB_URL',
  'DATABASE_URL',
  'SMTP_URL',
  'CODE_PEPPER',
  'REDIS_CA_FILE',
  'REDIS_SENTINELS',
  'SIGNER_SECRET',
  'VERIFIER_SECRET',
  ...Object.values(JOB_SECRETS),
  'BOOTSTRAP_API_KEY_FILE',
  'SIGNING_PROFILES',
  'TIMESTAMP_PROFILES',
  'TRUST_PROFILES',
  'DEVELOPMENT_KEY_DIR',
  'DEVELOPMENT_KEY_IN_PRODUCTION',
  'TELEMETRY_ROLE',
]);

/** A schema of JSON. */
export type Schema = Record<string, unknown>;

/** The settings of a service under `<service>.settings`, with the schemas of their values. */
export function settingsOfOperators(service: ServiceName): Map<string, Schema> {
  const shape: Record<string, z.ZodType> = SERVICE_SETTINGS[service].shape;
  return new Map(
    Object.entries(shape)
      .filter(([name]) => !OWNED_BY_CHART.has(name) && !name.startsWith('OTEL_'))
      .map(([name, setting]) => [name, { description: setting.description ?? '', ...typeOf(setting) }]),
  );
}

/**
 * What a value may be, as the service checks it: null removes a default of the chart. A whole number is one in YAML, too,
 * because the bounds of a text cannot be stated.
 */
function typeOf(setting: z.ZodType): Schema {
  const read = z.toJSONSchema(setting, { io: 'output', unrepresentable: 'any' });
  if (read.type === 'number')
    return { type: ['integer', 'null'], minimum: read.minimum, maximum: read.maximum };
  const {
    pattern,
    minLength,
    maxLength,
    enum: values,
  } = z.toJSONSchema(setting, {
    io: 'input',
    unrepresentable: 'any',
  });
  if (values !== undefined) return { enum: [...values, null] };
  return {
    type: ['string', 'null'],
    ...(pattern !== undefined && { pattern }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
  };
}
