import type { Metrics } from '@scriptorium/shared/metrics/metrics';

/** What a signer counts beside its jobs and fetches. */
export interface SignerMetrics {
  certificateDisputed(): void;
}

export function signerMetrics(metrics: Metrics): SignerMetrics {
  const disputes = metrics.counter(
    'service_certificate_disputes_total',
    'Times that another certificate stood where this signer publishes that of the service',
  );
  return { certificateDisputed: () => disputes.inc() };
}
