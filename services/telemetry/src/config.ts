import { commonSettings, integer, internalSettings, secretUrl } from '@scriptorium/shared/config';
import { z } from 'zod';

const { NODE_ENV, LOG_LEVEL } = commonSettings;
const DRAIN_MS_MAX = 15_000;

export const telemetrySettings = z.object({
  NODE_ENV,
  LOG_LEVEL,
  ...internalSettings(9468),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: integer(0, 65_535).default(8081).describe('Port to listen on; 0 takes a free one'),
  DATABASE_URL: secretUrl(['postgres:', 'postgresql:']).describe(
    'PostgreSQL that keeps the usage; with `fsync` on, or a power cut may lose what was accepted: `postgres://…`',
  ),
  TELEMETRY_ROLE: z
    .enum(['all', 'collector', 'consumer'])
    .default('all')
    .describe('`collector`: take document opens; `consumer`: count what was taken; `all`: both'),
  LICENSE_EVENTS_PER_MINUTE_MAX: integer(1, 1_000_000_000)
    .default(60_000)
    .describe('Document opens a minute that one collector takes for one license'),
  TELEMETRY_BYTES_IN_FLIGHT_MAX: integer(1024 * 1024, 4 * 1024 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe('Bytes of document opens that one collector holds until the database has them'),
  DATABASE_WAIT_MS_MAX: integer(0, 60_000)
    .default(8_000)
    .describe('Longest time that document opens wait for a database that is away before 503, ms'),
  COUNT_INTERVAL_MS: integer(10, 60_000)
    .default(500)
    .describe('Pause of a consumer that has counted all there is, ms'),
  DRAIN_MS: integer(0, DRAIN_MS_MAX)
    .default(5_000)
    .describe(
      'Time from the signal to stop, in which a load balancer sees `/readyz` say 503, to the end of listening, ms',
    ),
});

export type TelemetryConfig = z.output<typeof telemetrySettings>;
