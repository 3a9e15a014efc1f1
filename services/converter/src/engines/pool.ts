import { Pool as AnyPool } from '@scriptorium/shared/threads/pool';
import { EngineError } from './engine.ts';

/** A pool that rejects canceled callers with an `EngineError`. */
export class Pool<T> extends AnyPool<T> {
  constructor() {
    super((message) => new EngineError('aborted', message));
  }
}
