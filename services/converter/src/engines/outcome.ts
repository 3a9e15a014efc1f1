import { EngineError } from '../engine.ts';
import type { HostMessage, JobReport } from './host-lines.ts';

/** signal(7), on every architecture that Node runs on under Linux. */
const SIGXCPU = 24;
const SIGXFSZ = 25;

export type Gone = Extract<HostMessage, { verb: 'gone' }>;
/** The last that is heard of a child that had a job. */
export type Outcome = JobReport | Gone;

/** The report of a document that was loaded. Throws `exhausted`, `crashed` or `unreadable` for any other outcome. */
export function requireReport(outcome: Outcome): JobReport {
  if (outcome.verb === 'gone') {
    const isBound = outcome.how === 'signal' && (outcome.number === SIGXCPU || outcome.number === SIGXFSZ);
    throw new EngineError(isBound ? 'exhausted' : 'crashed', `ended by ${outcome.how} ${outcome.number}`);
  }
  if (outcome.outcome === 'garbled') throw new EngineError('crashed', 'its report is none');
  if (outcome.outcome === 'unreadable') throw new EngineError('unreadable', outcome.text);
  return outcome;
}
