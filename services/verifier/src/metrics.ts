import type { Metrics } from '@scriptorium/shared/metrics/metrics';

/** Reports whether this verifier knows the service certificate. */
export function watchCertificate(metrics: Metrics, isKnown: () => boolean): void {
  const known = metrics.gauge(
    'service_certificate_known',
    '1 if this verifier knows the service certificate, else 0',
  );
  metrics.beforePage(() => known.set(isKnown() ? 1 : 0));
}
