import type { Metrics } from '@scriptorium/shared/metrics/metrics';

/** Shows whether this verifier knows the certificate of the service. */
export function watchCertificate(metrics: Metrics, isKnown: () => boolean): void {
  const known = metrics.gauge(
    'service_certificate_known',
    '1 where this verifier knows the certificate of the service, else 0',
  );
  metrics.beforePage(() => known.set(isKnown() ? 1 : 0));
}
