import type { z } from 'zod';
import { SERVICE_SETTINGS, type ServiceName } from '../settings.ts';

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
  'SIGNER_SECRET',
  'VERIFIER_SECRET',
  'SIGNING_PROFILES',
  'TIMESTAMP_PROFILES',
  'TRUST_PROFILES',
  'DEVELOPMENT_KEY_DIR',
  'DEVELOPMENT_KEY_IN_PRODUCTION',
  'TELEMETRY_ROLE',
]);

/** The settings of a service under `<service>.settings`, with their descriptions. */
export function settingsOfOperators(service: ServiceName): Map<string, string> {
  const shape: Record<string, z.ZodType> = SERVICE_SETTINGS[service].shape;
  return new Map(
    Object.entries(shape)
      .filter(([name]) => !OWNED_BY_CHART.has(name) && !name.startsWith('OTEL_'))
      .map(([name, setting]) => [name, setting.description ?? '']),
  );
}
