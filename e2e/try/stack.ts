import type { Browser } from 'playwright-core';
import type { Watched } from '../browser.ts';
import type { Deployment } from '../service.ts';

/** A running service with the page `/try`, for its suites. */
export interface TryStack {
  service: Deployment;
  browser: Browser;
  /** A folder of the run. */
  folder: string;
  visit(width: number, path?: string): Promise<Watched>;
}
