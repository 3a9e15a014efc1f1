import { EngineError, KilledError } from '../engine.ts';
import type { HostMessage, JobReport } from './host-lines.ts';

/** signal(7), the same on every architecture on which Node runs under Linux. */
const SIGKILL = 9;
const SIGXCPU = 24;
const SIGXFSZ = 25;

export type Gone = Extract<HostMessage, { verb: 'gone' }>;
/** The last message about a child that had a job. */
export type Outcome = JobReport | Gone;

/** The report of a document that loaded. Throws `exhausted`, `crashed` or `unreadable` for any other outcome. */
export function requireReport(outcome: Outcome): JobReport {
  if (outcome.verb === 'gone') {
    const { how, number } = outcome;
    const message = `ended by ${how} ${number}`;
    if (how === 'signal' && number === SIGKILL) throw new KilledError(message);
    const isBound = how === 'signal' && (number === SIGXCPU || number === SIGXFSZ);
    throw new EngineError(isBound ? 'exhausted' : 'crashed', message);
  }
  if (outcome.outcome === 'garbled') throw new EngineError('crashed', 'its report is malformed');
  if (outcome.outcome === 'indivisible') throw new EngineError('unsupported', `its tables: ${outcome.text}`);
  if (outcome.outcome === 'unreadable') throw new EngineError('unreadable', outcome.text);
  return outcome;
}
