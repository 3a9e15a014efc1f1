import { SERVICES } from '@scriptorium/contracts/services';
import { commonSettings, host, integer, internalSettings, secretUrl } from '@scriptorium/shared/config';
import { z } from 'zod';

const { NODE_ENV, LOG_LEVEL } = commonSettings;
const DRAIN_MS_MAX = 15_000;

export const telemetrySettings = z.object({
  NODE_ENV,
  LOG_LEVEL,
  ...internalSettings(SERVICES.telemetry.internalPort),
  HOST: host().default('127.0.0.1').describe('Address to listen on'),
  PORT: integer(0, 65_535)
    .default(SERVICES.telemetry.publicPort)
    .describe('Port to listen on. 0 picks a free port'),
  DATABASE_URL: secretUrl(['postgres:', 'postgresql:']).describe(
    'PostgreSQL for usage: `postgres://…`. `fsync` must be enabled, otherwise a power failure may lose accepted opens',
  ),
  TELEMETRY_ROLE: z
    .enum(['all', 'collector', 'consumer'])
    .default('all')
    .describe('`collector`: accept document opens. `consumer`: count them. `all`: both'),
  LICENSE_EVENTS_PER_MINUTE_MAX: integer(1, 1_000_000_000)
    .default(60_000)
    .describe('Maximum number of document opens per minute, license and collector'),
  TELEMETRY_BYTES_IN_FLIGHT_MAX: integer(1024 * 1024, 4 * 1024 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe(
      'Maximum size of the document opens that one collector holds before they are in the database, bytes',
    ),
  DATABASE_WAIT_MS_MAX: integer(0, 60_000)
    .default(8_000)
    .describe('Maximum time that document opens wait for an unavailable database before 503, ms'),
  COUNT_INTERVAL_MS: integer(10, 60_000)
    .default(500)
    .describe('Pause of a consumer after it has counted everything, ms'),
  DRAIN_MS: integer(0, DRAIN_MS_MAX)
    .default(5_000)
    .describe(
      'Time from the stop signal until the service stops listening, ms. During this time `/readyz` returns 503, so that load balancers stop sending requests',
    ),
});

export type TelemetryConfig = z.output<typeof telemetrySettings>;
