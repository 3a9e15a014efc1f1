import type { Metrics } from '@scriptorium/shared/metrics/metrics';

/** The signer's metrics in addition to jobs and fetches. */
export interface SignerMetrics {
  certificateDisputed(): void;
}

export function signerMetrics(metrics: Metrics): SignerMetrics {
  const disputes = metrics.counter(
    'service_certificate_disputes_total',
    'Times that another certificate replaced the published service certificate of this signer',
  );
  return { certificateDisputed: () => disputes.inc() };
}
