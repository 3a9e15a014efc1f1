import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '@scriptorium/contracts/errors';
import { deriveKey } from '@scriptorium/sealing/box';
import type { Secret } from '@scriptorium/shared/config';
import { invalid } from '@scriptorium/shared/http/validation';

/** How long a model works with the same documents. */
export const SESSION_MS = 60 * 60_000;
const NONCE_BYTES = 16;
const SHAPE = /^([\w-]{22})\.(\d{13})\.([\w-]{43})$/;

/** A session of one API key. It is nowhere stored: its id says when it ends, and whose it is. */
export interface Session {
  id: string;
  expiresAt: number;
  /** Seals the names of its documents. */
  key: Buffer;
}

export interface Sessions {
  open(keyId: string): Session;
  /** Throws VALIDATION_ERROR without an id, and NOT_FOUND for one that has ended or is of another key. */
  find(keyId: string, id: string | undefined): Session;
}

/** `peppers` are the current one, and the one that it replaces. */
export function sessions(peppers: readonly [Secret, ...Secret[]]): Sessions {
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
    find(keyId, id) {
      if (id === undefined)
        throw invalid([{ field: 'headers.mcp-session-id', issue: 'is missing: send `initialize` first' }]);
      const [, nonce = '', end = '', seal = ''] = SHAPE.exec(id) ?? [];
      const head = `${nonce}.${end}`;
      const pepper = peppers.find((one) => isEqual(sealed(one, keyId, head), seal));
      if (pepper === undefined || Number(end) <= Date.now())
        throw new AppError('NOT_FOUND', 'The session has ended, or is of another key. Send `initialize`.');
      return sessionOf(pepper, keyId, head, Number(end));
    },
  };
}

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
