import { EngineError } from '../engine.ts';
import type { HostMessage, JobReport } from './host-lines.ts';

/** signal(7), the same on every architecture on which Node runs under Linux. */
const SIGXCPU = 24;
const SIGXFSZ = 25;

export type Gone = Extract<HostMessage, { verb: 'gone' }>;
/** The last message about a child that had a job. */
export type Outcome = JobReport | Gone;

/** The report of a document that loaded. Throws `exhausted`, `crashed` or `unreadable` for any other outcome. */
export function requireReport(outcome: Outcome): JobReport {
  if (outcome.verb === 'gone') {
    const isBound = outcome.how === 'signal' && (outcome.number === SIGXCPU || outcome.number === SIGXFSZ);
    throw new EngineError(isBound ? 'exhausted' : 'crashed', `ended by ${outcome.how} ${outcome.number}`);
  }
  if (outcome.outcome === 'garbled') throw new EngineError('crashed', 'its report is malformed');
  if (outcome.outcome === 'unreadable') throw new EngineError('unreadable', outcome.text);
  return outcome;
}
