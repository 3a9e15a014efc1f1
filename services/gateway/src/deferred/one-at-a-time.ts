import type { Connection, Database } from '@scriptorium/database/pool';

/** An arbitrary number, the same in every process: the first half of the locks of owners. */
const LOCKS = 724_110_982;
/** Longer than any of the work, and shorter than the time for a command. */
const LOCK_MS_MAX = 1_000;
/** A process that stops in between holds its owner no longer. */
const IDLE_MS_MAX = 5_000;

/** Does work in a transaction that waits for those of the same owner: what it reads stays so until it has written. */
export async function oneAtATime<Done>(
  database: Database,
  ownerHash: Buffer,
  work: (connection: Connection) => Promise<Done>,
): Promise<Done> {
  const connection = await database.connect();
  try {
    // A command reads what was there when it began. So the lock has a command of its own.
    await connection.query(
      `BEGIN; SET LOCAL lock_timeout = ${LOCK_MS_MAX}; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS_MAX};
       SELECT pg_advisory_xact_lock(${LOCKS}, ${ownerHash.readInt32BE()})`,
    );
    const done = await work(connection);
    await connection.query('COMMIT');
    connection.release();
    return done;
  } catch (error) {
    await connection.query('ROLLBACK').then(
      () => connection.release(),
      () => connection.release(true),
    );
    throw error;
  }
}
