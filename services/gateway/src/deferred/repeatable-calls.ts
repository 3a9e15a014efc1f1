import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { Database } from '@scriptorium/database/pool';
import { oneAtATime } from './one-at-a-time.ts';

/** How long a call counts as under way that is not renewed: its gateway has died. */
const BUSY_MS = 60_000;

/** A call with an idempotency key, by the hashes of its key and of the request. The first ones are for a new call. */
export interface Call {
  ownerHash: Buffer;
  keyHashes: readonly [Buffer, ...Buffer[]];
  requestHashes: readonly [Buffer, ...Buffer[]];
  requestId: string;
}

/** A call that may run: it counts as `countedAs`. */
export interface BegunCall {
  keyHash: Buffer;
  countedAs: string;
}

/** Calls with idempotency keys, for 24 hours. Only hashes are kept. */
export interface RepeatableCalls {
  /** Throws IDEMPOTENCY_IN_PROGRESS and IDEMPOTENCY_KEY_REUSED. */
  begin(call: Call): Promise<BegunCall>;
  /** A call goes on. */
  renew(ownerHash: Buffer, call: BegunCall): Promise<void>;
  /** A call has ended. Without success, a new one is forgotten. */
  end(ownerHash: Buffer, call: BegunCall, isForgotten: boolean): Promise<void>;
  removeOld(): Promise<void>;
}

/**
 * A call that did not end, because its gateway died, gives way to another request, which may be the corrected one.
 * Values: $1: owner, $2: hashes of the key, $3: the one for a new call. Then $4: hashes of the request, $5: its first,
 * $6: request id, $7: ms.
 */
const BEGIN = `
  INSERT INTO repeatable_calls AS call (owner_hash, key_hash, request_hash, counted_as, busy_until)
  SELECT $1, coalesce((SELECT key_hash FROM repeatable_calls WHERE owner_hash = $1 AND key_hash = ANY ($2) LIMIT 1), $3),
    $5, $6, now() + $7 * interval '1 millisecond'
  WHERE NOT EXISTS (SELECT FROM jobs WHERE owner_hash = $1 AND idempotency = ANY ($2))
  ON CONFLICT (owner_hash, key_hash) DO UPDATE SET busy_until = EXCLUDED.busy_until,
    request_hash = CASE WHEN call.request_hash = ANY ($4) THEN call.request_hash ELSE EXCLUDED.request_hash END,
    counted_as = CASE WHEN call.request_hash = ANY ($4) THEN call.counted_as ELSE EXCLUDED.counted_as END
    WHERE call.busy_until <= now() OR (call.busy_until IS NULL AND call.request_hash = ANY ($4))
  RETURNING key_hash AS "keyHash", counted_as AS "countedAs"`;

const SAME =
  'SELECT FROM repeatable_calls WHERE owner_hash = $1 AND key_hash = ANY ($2) AND request_hash = ANY ($3)';
const WHERE = 'WHERE owner_hash = $1 AND key_hash = $2 AND counted_as = $3';

export function repeatableCalls(database: Database): RepeatableCalls {
  return {
    async begin({ ownerHash, keyHashes, requestHashes, requestId }) {
      const values = [keyHashes, keyHashes[0], requestHashes, requestHashes[0], requestId, BUSY_MS];
      const { begun, isSame } = await oneAtATime(database, ownerHash, async (connection) => {
        const { rows } = await connection.query<BegunCall>(BEGIN, [ownerHash, ...values]);
        if (rows[0] !== undefined) return { begun: rows[0] };
        const { rowCount } = await connection.query(SAME, [ownerHash, keyHashes, requestHashes]);
        return { isSame: rowCount !== 0 };
      }).catch(unavailable('key store'));
      if (begun !== undefined) return begun;
      if (!isSame) throw keyReused();
      throw new AppError('IDEMPOTENCY_IN_PROGRESS', 'A call with this Idempotency-Key is under way.', {
        retryAfterSeconds: 1,
      });
    },
    async renew(ownerHash, { keyHash, countedAs }) {
      await database.query(
        `UPDATE repeatable_calls SET busy_until = now() + $4 * interval '1 millisecond' ${WHERE}`,
        [ownerHash, keyHash, countedAs, BUSY_MS],
      );
    },
    async end(ownerHash, { keyHash, countedAs }, isForgotten) {
      const change = isForgotten
        ? 'DELETE FROM repeatable_calls'
        : 'UPDATE repeatable_calls SET busy_until = NULL';
      await database.query(`${change} ${WHERE}`, [ownerHash, keyHash, countedAs]);
    },
    async removeOld() {
      await database.query(`DELETE FROM repeatable_calls WHERE created_at < now() - interval '24 hours'`);
    },
  };
}

export const keyReused = (): AppError =>
  new AppError('IDEMPOTENCY_KEY_REUSED', 'Another request was sent with this Idempotency-Key.');
