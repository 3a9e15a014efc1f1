import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError, unavailable } from '@scriptorium/contracts/errors';
import { deriveKey } from '@scriptorium/sealing/box';
import type { Secret } from '@scriptorium/shared/config';
import { invalid } from '@scriptorium/shared/http/validation';
import { KEY_PREFIX } from '@scriptorium/shared/queue/connection';
import type { Redis } from 'ioredis';

/** How long a model works with the same documents. */
export const SESSION_MS = 60 * 60_000;
const NONCE_BYTES = 16;
const SHAPE = /^([\w-]{22})\.(\d{13})\.([\w-]{43})$/;

/** A session of one API key. Only its early end is stored: its id says when it ends otherwise, and whose it is. */
export interface Session {
  id: string;
  expiresAt: number;
  /** Seals the names of its documents. */
  key: Buffer;
}

export interface Sessions {
  open(keyId: string): Session;
  /** Throws VALIDATION_ERROR without an id, and NOT_FOUND for one that has ended or is of another key. */
  find(keyId: string, id: string | undefined): Promise<Session>;
  /** It is not found again. */
  end(session: Session): Promise<void>;
}

/** `peppers` are the current one, and the one that it replaces. */
export function sessions(peppers: readonly [Secret, ...Secret[]], redis: Redis): Sessions {
  const sealed = (pepper: Secret, keyId: string, head: string): string =>
    createHmac('sha256', pepper.reveal()).update(`mcp session ${keyId} ${head}`).digest('base64url');
  const sessionOf = (pepper: Secret, keyId: string, head: string, expiresAt: number): Session => ({
    id: `${head}.${sealed(pepper, keyId, head)}`,
    expiresAt,
    key: deriveKey(Buffer.from(pepper.reveal()), `scriptorium mcp 1 ${keyId} ${head}`),
  });
  return {
    open(keyId) {
      const expiresAt = Date.now() + SESSION_MS;
      const head = `${randomBytes(NONCE_BYTES).toString('base64url')}.${expiresAt}`;
      return sessionOf(peppers[0], keyId, head, expiresAt);
    },
    async find(keyId, id) {
      if (id === undefined)
        throw invalid([{ field: 'headers.mcp-session-id', issue: 'is missing: send `initialize` first' }]);
      const [, nonce = '', end = '', seal = ''] = SHAPE.exec(id) ?? [];
      const head = `${nonce}.${end}`;
      const pepper = peppers.find((one) => isEqual(sealed(one, keyId, head), seal));
      const isOpen =
        pepper !== undefined &&
        Number(end) > Date.now() &&
        (await redis.exists(endKeyOf(id)).catch(unavailable('queue'))) === 0;
      if (!isOpen)
        throw new AppError('NOT_FOUND', 'The session has ended, or is of another key. Send `initialize`.');
      return sessionOf(pepper, keyId, head, Number(end));
    },
    async end({ id }) {
      await redis.set(endKeyOf(id), '', 'PX', SESSION_MS).catch(unavailable('queue'));
    },
  };
}

/** Says that a session has ended, by the random part of its id. */
const endKeyOf = (id: string): string => `${KEY_PREFIX}:mcp:end:${id.split('.')[0]}`;

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
