import { AsyncLocalStorage } from 'node:async_hooks';
import type { Turn } from './lane.ts';

/** What the threads that a job asks know of it. */
export interface Task {
  turn: Turn;
  /** Counts processor time for the owner of the job, ms. */
  spend(ms: number): void;
}

const tasks = new AsyncLocalStorage<Task>();

/** Runs work on behalf of a job. Every thread that it asks counts and shares the time. */
export const inTask = <Result>(task: Task, work: () => Result): Result => tasks.run(task, work);

/** The job on whose behalf this code runs, if it has a share. */
export const currentTask = (): Task | undefined => tasks.getStore();
