import { Pool as AnyPool } from '@scriptorium/shared/threads/pool';
import { EngineError } from '../engine.ts';

/** A pool whose callers who give up are told so as engines do. */
export class Pool<T> extends AnyPool<T> {
  constructor() {
    super((message) => new EngineError('aborted', message));
  }
}
