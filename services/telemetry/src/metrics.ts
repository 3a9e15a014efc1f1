import type { Metrics } from '@scriptorium/shared/metrics/metrics';

/** The metrics of a collector and a consumer. */
export interface TelemetryMetrics {
  answered(status: number): void;
  accepted(opens: number): void;
  notWritten(): void;
  counted(occurrences: number): void;
  setAside(): void;
}

export function telemetryMetrics(metrics: Metrics): TelemetryMetrics {
  const requests = metrics.counter('telemetry_requests_total', 'Answered requests', ['status']);
  const accepted = metrics.counter('telemetry_events_total', 'Accepted document opens');
  const failures = metrics.counter(
    'telemetry_write_failures_total',
    'Failed writes of document opens; their requests got 503',
  );
  const counted = metrics.counter('telemetry_counted_total', 'Counted document opens and API operations');
  const aside = metrics.counter(
    'telemetry_set_aside_total',
    'Rows that could not be counted and were moved to usage_inbox_aside',
  );
  return {
    answered: (status) => requests.inc({ status }),
    accepted: (opens) => accepted.inc(opens),
    notWritten: () => failures.inc(),
    counted: (occurrences) => counted.inc(occurrences),
    setAside: () => aside.inc(),
  };
}

/** Reports the bytes that wait for the database, and the age of the oldest uncounted row. */
export function watchInbox(
  metrics: Metrics,
  { heldBytes, ageSeconds }: { heldBytes(): number; ageSeconds(): Promise<number> },
): void {
  const held = metrics.gauge('telemetry_held_bytes', 'Bytes of document opens that wait for the database');
  const oldest = metrics.gauge(
    'telemetry_inbox_oldest_seconds',
    'Age of the oldest uncounted opens and operations, seconds',
  );
  metrics.beforePage(() => held.set(heldBytes()));
  metrics.beforePage(async () => {
    oldest.set(Number.NaN);
    oldest.set(await ageSeconds());
  });
}
