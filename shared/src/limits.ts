import { integer } from './config.ts';

const MIB = 1024 * 1024;

/** Bounds on requests; each one is a setting of the gateway and is named in the reply that refuses. */
export const limitSettings = {
  UPLOAD_BYTES_MAX: integer(1024, 1024 * MIB)
    .default(25 * MIB)
    .describe('Largest document, uploaded, decoded or fetched, bytes'),
  JSON_BYTES_MAX: integer(1024, 1024 * MIB)
    .default(40 * MIB)
    .describe('Largest JSON body, bytes; a document in base64 takes a third more than itself'),
  IMAGE_BYTES_MAX: integer(1024, 1024 * MIB)
    .default(10 * MIB)
    .describe('Largest image of a field, bytes'),
  IMAGES_BYTES_MAX: integer(1024, 1024 * MIB)
    .default(25 * MIB)
    .describe('All images of one request together, bytes'),
  BYTES_IN_FLIGHT_MAX: integer(MIB, 64 * 1024 * MIB)
    .default(512 * MIB)
    .describe('Bytes of request bodies and of what they name to be fetched that one gateway holds at a time'),
  DEADLINE_MS: integer(1000, 600_000).default(60_000).describe('Longest time from request to answer, ms'),
  QUEUE_WAIT_MS_MAX: integer(100, 600_000)
    .default(30_000)
    .describe('Longest time that a job waits for a worker before 503, ms'),
  QUEUE_LENGTH_MAX: integer(1, 1_000_000).default(1000).describe('Jobs waiting in one queue before 503'),
  KEY_CONCURRENCY_MAX: integer(1, 100_000).default(10).describe('Requests in flight per API key'),
  KEY_REQUESTS_PER_MINUTE_MAX: integer(1, 10_000_000).default(600).describe('Requests a minute per API key'),
  REGISTRATIONS_PER_HOUR_MAX: integer(1, 1_000_000)
    .default(20)
    .describe('Registrations and code checks an hour per client address (a /64 for IPv6)'),
  SIGNING_KEY_READS_PER_HOUR_MAX: integer(1, 10_000_000)
    .default(3600)
    .describe('Reads of the public signing key an hour per client address'),
};
