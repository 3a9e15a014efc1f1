import { integer } from '@scriptorium/shared/config';

const MIB = 1024 * 1024;
/** Extra time after the deadline for callers that read slowly. */
export const SEND_MS_MAX = 60_000;

/** Limits on requests. Each is a setting of the gateway, and the error message names its value. */
export const limitSettings = {
  UPLOAD_BYTES_MAX: integer(1024, 1024 * MIB)
    .default(25 * MIB)
    .describe('Maximum size of a document (uploaded, decoded or fetched), bytes'),
  JSON_BYTES_MAX: integer(1024, 1024 * MIB)
    .default(40 * MIB)
    .describe('Maximum size of a JSON body, bytes. Base64 adds a third to the size of a document'),
  IMAGE_BYTES_MAX: integer(1024, 1024 * MIB)
    .default(10 * MIB)
    .describe('Maximum size of the image of a field, bytes'),
  IMAGES_BYTES_MAX: integer(1024, 1024 * MIB)
    .default(25 * MIB)
    .describe('Maximum size of all images of one request, bytes'),
  MERGE_BYTES_MAX: integer(1024, 256 * MIB)
    .default(100 * MIB)
    .describe(
      'Maximum size of all documents of a merge, bytes. Its JSON body may be a third larger, even over `JSON_BYTES_MAX`',
    ),
  BYTES_IN_FLIGHT_MAX: integer(MIB, 64 * 1024 * MIB)
    .default(512 * MIB)
    .describe('Maximum size of all request bodies and fetched files that one gateway holds at a time, bytes'),
  DEADLINE_MS: integer(1000, 600_000).default(60_000).describe('Maximum time from request to answer, ms'),
  BATCH_DEADLINE_MS: integer(1000, 600_000)
    .default(600_000)
    .describe('Maximum time of a batch that is answered with one PDF, ms'),
  QUEUE_WAIT_MS_MAX: integer(100, 600_000)
    .default(30_000)
    .describe('Maximum time that a job waits for a worker before 503, ms'),
  QUEUE_LENGTH_MAX: integer(1, 1_000_000)
    .default(1000)
    .describe('Maximum number of jobs that wait in one queue before 503'),
  KEY_CONCURRENCY_MAX: integer(1, 100_000)
    .default(10)
    .describe('Maximum number of requests in flight per API key'),
  KEY_REQUESTS_PER_MINUTE_MAX: integer(1, 10_000_000)
    .default(600)
    .describe('Maximum number of requests per minute and API key'),
  ENGINE_SECONDS_PER_MINUTE: integer(1, 1_000_000)
    .default(30)
    .describe(
      'Processor time of engines and threads that one owner may use per minute, seconds, before the documents of other owners come first',
    ),
  KEY_ROWS_PER_MINUTE_MAX: integer(100, 10_000_000)
    .default(60_000)
    .describe('Maximum number of rows of batches per minute and API key. More rows wait'),
  KEY_FETCHES_MAX: integer(1, 10_000)
    .default(16)
    .describe('Maximum number of URLs that one gateway fetches at a time for one owner. More wait'),
  JOBS_AT_A_TIME: integer(0, 1_000)
    .default(4)
    .describe(
      'Number of jobs (requests with `Prefer: respond-async`) that one gateway runs at a time. With 0, it accepts them, and other gateways run them',
    ),
  KEY_JOBS_MAX: integer(1, 1_000_000)
    .default(100)
    .describe('Maximum number of jobs of one owner that have not ended'),
  KEY_JOB_BYTES_MAX: integer(MIB, 64 * 1024 * MIB)
    .default(256 * MIB)
    .describe('Maximum size of the documents of jobs of one owner, and of their results that wait, bytes'),
  JOB_SECONDS_MAX: integer(60, 86_400)
    .default(3_600)
    .describe(
      'Maximum time of a job from its request to its result, seconds. Until then, a busy service tries again',
    ),
  RESULT_SECONDS: integer(10, 86_400)
    .default(600)
    .describe('Time for which the result of a job waits in memory to be fetched, seconds'),
  CONNECTIONS_MAX: integer(10, 1_000_000)
    .default(10_000)
    .describe('Maximum number of open connections of one gateway. More are closed at once'),
  NETWORK_CONNECTIONS_MAX: integer(1, 1_000_000)
    .default(512)
    .describe(
      'Maximum number of open connections of one client address (/64 for IPv6) to one gateway. Not applied with `TRUST_PROXY_HOPS`: the proxy must bound them',
    ),
  REGISTRATIONS_PER_HOUR_MAX: integer(1, 1_000_000)
    .default(20)
    .describe('Maximum number of registrations and code checks per hour and client address (/64 for IPv6)'),
  // A room of people behind one address: each browser takes one.
  TRIAL_KEYS_PER_HOUR_MAX: integer(1, 1_000_000)
    .default(60)
    .describe('Maximum number of trial keys per hour and client address (/64 for IPv6)'),
  MAILS_PER_HOUR_MAX: integer(1, 10_000_000)
    .default(1_000)
    .describe(
      'Maximum number of codes that all gateways mail per hour. Registrations beyond it get 503. A key that is issued is always reported by mail',
    ),
  SIGNING_KEY_READS_PER_HOUR_MAX: integer(1, 10_000_000)
    .default(3600)
    .describe('Maximum number of reads of the public signing key per hour and client address'),
};
