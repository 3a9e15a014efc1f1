import type { Metrics } from '@scriptorium/shared/metrics/metrics';

/** What a collector and a consumer count beside their log. */
export interface TelemetryMetrics {
  answered(status: number): void;
  accepted(opens: number): void;
  notWritten(): void;
  counted(occurrences: number): void;
  setAside(): void;
}

export function telemetryMetrics(metrics: Metrics): TelemetryMetrics {
  const requests = metrics.counter('telemetry_requests_total', 'Requests that were answered', ['status']);
  const accepted = metrics.counter('telemetry_events_total', 'Document opens that were accepted');
  const failures = metrics.counter(
    'telemetry_write_failures_total',
    'Writes of accepted opens that failed; their senders got 503',
  );
  const counted = metrics.counter(
    'telemetry_counted_total',
    'Document opens and API operations that were counted',
  );
  const aside = metrics.counter(
    'telemetry_set_aside_total',
    'Rows that could not be counted and were put into usage_inbox_aside',
  );
  return {
    answered: (status) => requests.inc({ status }),
    accepted: (opens) => accepted.inc(opens),
    notWritten: () => failures.inc(),
    counted: (occurrences) => counted.inc(occurrences),
    setAside: () => aside.inc(),
  };
}

/** Shows how much waits to be written, and how long what was accepted has waited to be counted. */
export function watchInbox(
  metrics: Metrics,
  { heldBytes, ageSeconds }: { heldBytes(): number; ageSeconds(): Promise<number> },
): void {
  const held = metrics.gauge('telemetry_held_bytes', 'Bytes of opens that wait for the database');
  const oldest = metrics.gauge(
    'telemetry_inbox_oldest_seconds',
    'Age of the oldest accepted opens and operations that are not counted yet',
  );
  metrics.beforePage(() => held.set(heldBytes()));
  metrics.beforePage(async () => {
    oldest.set(Number.NaN);
    oldest.set(await ageSeconds());
  });
}
