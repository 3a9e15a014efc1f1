import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Problem } from '../problem.ts';
import { tab } from '../tabs/current.ts';

interface ProblemCardProps {
  problem: Problem | null;
  onRetry?: () => void;
}

/** An error: what happened, what to do, the code and the id of the request, and how long to wait. */
export function ProblemCard({ problem, onRetry }: ProblemCardProps) {
  if (problem === null) return null;
  const isOfKey = ['KEY_NEEDED', 'AUTHENTICATION_ERROR', 'FORBIDDEN'].includes(problem.code);
  const { code, message, advice, details, requestId, retryAt } = problem;
  return (
    <div class="problem" role="alert">
      <h2>{message}</h2>
      {details.length > 0 && (
        <ul>
          {details.map(({ field, issue }) => (
            <li key={`${field} ${issue}`}>
              <code>{field}</code> <bdi>{issue}</bdi>
            </li>
          ))}
        </ul>
      )}
      <p>{withCode(advice)}</p>
      <p class="facts">
        <code>{code}</code>
        {requestId !== undefined && <code>{requestId}</code>}
      </p>
      {isOfKey && tab.value !== 'usage' && (
        <button
          type="button"
          onClick={() => {
            tab.value = 'usage';
          }}
        >
          {code === 'KEY_NEEDED' ? 'Get a key' : 'Use another key'}
        </button>
      )}
      {onRetry !== undefined && <Retry retryAt={retryAt} onRetry={onRetry} />}
    </div>
  );
}

/** Shows what is between backticks as code. */
const withCode = (text: string) =>
  text.split('`').map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part));

/** Counts down the time that the service asked for. */
function Retry({ retryAt = 0, onRetry }: { retryAt?: number | undefined; onRetry: () => void }) {
  const now = useSignal(Date.now());
  const seconds = Math.ceil((retryAt - now.value) / 1_000);
  const isWaiting = seconds > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 500);
    return () => clearInterval(timer);
  }, [isWaiting, retryAt]);
  return (
    <button type="button" onClick={onRetry} disabled={isWaiting}>
      {isWaiting ? `Try again in ${waitWords(seconds)}` : 'Try again'}
    </button>
  );
}

const waitWords = (seconds: number): string =>
  seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
