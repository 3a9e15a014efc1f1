import { createHash, createHmac } from 'node:crypto';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { BoxError, deriveKey, openBytes, openWithAny, sealBytes } from '@scriptorium/sealing/box';
import type { Secret } from '@scriptorium/shared/config';
import { peppersOf } from '../auth/address.ts';
import type { Position } from '../batches/place.ts';
import type { DeferredFields } from './fields.ts';
import type { Course } from './next.ts';

/** The request of a job, and its result. */
export interface JobParts extends DeferredFields {
  /** Path and query of the request. */
  path: string;
  accept: string;
  input: BlobRef;
  /** The bytes of the input, if they hold addresses only. */
  body?: string;
  /** Headers of the request, if it is a form and not JSON. */
  form?: Record<string, string>;
  result?: BlobRef;
  headers?: Record<string, string>;
  /** Where a batch goes on. */
  position?: JobPosition;
}

/** Where a batch goes on, with the place of that row at the address of the rows. */
export interface JobPosition extends Position {
  at: number;
  /** Names the content of the address. */
  version: string;
}

/** What of a job only gateways can read: addresses hold credentials, keys open documents, and messages may quote them. */
export interface SealedPart
  extends Pick<Course, 'error' | 'result' | 'delivery' | 'notification' | 'progress' | 'uploaded'> {
  parts: JobParts;
}

export interface JobSecrets {
  seal(jobId: string, part: SealedPart): Buffer;
  /** Null for what was sealed with a secret that is gone. */
  open(jobId: string, box: Buffer): SealedPart | null;
  /** Stand for a text in the database: the first for a new one, the others for those from before a rotation. */
  hashes(what: 'idempotency' | 'request', ...texts: (string | Buffer)[]): [Buffer, ...Buffer[]];
  /** The secret of the webhooks of a key: `whsec_…`. */
  webhookSecretOf(keyId: string): string;
  /** The headers of a webhook: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md. */
  webhookHeaders(keyId: string, id: string, seconds: number, body: string): Record<string, string>;
}

const WEBHOOK_PREFIX = 'whsec_';

/** Derives everything from the secret of the gateways. The earlier one still opens, and signs beside the current one. */
export function jobSecrets(pepper: Secret): JobSecrets {
  const [current, ...earlier] = peppersOf(pepper);
  const keysFor = (purpose: string): [Buffer, ...Buffer[]] => {
    const keyOf = (secret: Secret) => deriveKey(Buffer.from(secret.reveal()), purpose);
    return [keyOf(current), ...earlier.map(keyOf)];
  };
  const sealing = keysFor('scriptorium deferred job 1');
  const hashing = keysFor('scriptorium deferred hash 1');
  const webhookKeys = (keyId: string) => keysFor(`scriptorium webhook 1 ${keyId}`);
  return {
    seal: (jobId, part) => sealBytes(sealing[0], Buffer.from(JSON.stringify(part)), jobId),
    open(jobId, box) {
      try {
        return JSON.parse(openWithAny(sealing, (key) => openBytes(key, box, jobId)).toString());
      } catch (error) {
        if (error instanceof BoxError) return null;
        throw error;
      }
    },
    hashes(what, ...texts) {
      const digest = createHash('sha256').update(what);
      for (const text of texts) digest.update(`\n${Buffer.byteLength(text)}\n`).update(text);
      const text = digest.digest();
      const hashOf = (key: Buffer) => createHmac('sha256', key).update(text).digest();
      const [current, ...earlier] = hashing;
      return [hashOf(current), ...earlier.map(hashOf)];
    },
    webhookSecretOf: (keyId) => WEBHOOK_PREFIX + webhookKeys(keyId)[0].toString('base64'),
    webhookHeaders(keyId, id, seconds, body) {
      const signatures = webhookKeys(keyId).map(
        (key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`,
      );
      return {
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signatures.join(' '),
      };
    },
  };
}
