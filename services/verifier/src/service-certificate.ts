import { type Certificate, certificateOf } from '@scriptorium/pki/certificates';
import { readPemCertificates } from '@scriptorium/pki/keys';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { readServiceCertificate } from '@scriptorium/shared/queue/service-certificate';
import type { WorkerBackends } from '@scriptorium/shared/queue/worker-backends';

/** How long another certificate may stay unnoticed. */
const READ_MS = 5_000;
/** So long a Redis that comes back empty, or signers that are all replaced at once, change no answer. */
const HELD_MS_MAX = 60_000;

export interface CertificateEvents {
  /** Another one than before. */
  known(fingerprint: string): void;
  /** None at the start, or no longer. */
  unknown(): void;
  unreadable(error: unknown): void;
  queueError(error: unknown): void;
}

/** The certificate of the service's own key, which this process does not have. */
export interface ServiceCertificate extends Closeable {
  /** The certificate and its issuers in PEM; undefined where no signer publishes any. Looks where none is known yet. */
  current(): Promise<string | undefined>;
  isKnown(): boolean;
}

/** The certificate and its issuers in a text of PEM. Throws for a text that holds none, or one that cannot be read. */
export function readChain(pem: string): Certificate[] {
  return readPemCertificates(pem).map(certificateOf);
}

/** Looks every 5 s which certificate signers publish, and holds one for a minute after it was last seen. */
export function watchServiceCertificate(
  redis: WorkerBackends['queue'],
  events: CertificateEvents,
  { readMs = READ_MS, heldMsMax = HELD_MS_MAX } = {},
): ServiceCertificate {
  let seen: { pem: string; at: number } | undefined;
  let refused: string | undefined;

  const take = (pem: string): void => {
    if (pem === refused) return;
    try {
      if (pem !== seen?.pem) events.known(readChain(pem)[0]?.x509.fingerprint256.toLowerCase() ?? '');
      seen = { pem, at: Date.now() };
      refused = undefined;
    } catch (error) {
      refused = pem;
      events.unreadable(error);
    }
  };
  const look = async (): Promise<void> => {
    const published = await readServiceCertificate(redis);
    if (published !== undefined) take(published);
    if (seen === undefined || Date.now() - seen.at < heldMsMax) return;
    seen = undefined;
    events.unknown();
  };

  // It waits for a Redis that is away, as the jobs do that could ask for the certificate.
  const first = look()
    .then(() => seen ?? events.unknown())
    .catch(events.queueError);
  const timer = setInterval(() => {
    // The questions would queue up.
    if (redis.status === 'ready') look().catch(events.queueError);
  }, readMs);
  return {
    async current() {
      await first;
      // A signer may have begun since the last look.
      if (seen === undefined) await look().catch(events.queueError);
      return seen?.pem;
    },
    isKnown: () => seen !== undefined,
    close: async () => clearInterval(timer),
  };
}
