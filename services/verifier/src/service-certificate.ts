import { type Certificate, certificateOf } from '@scriptorium/pki/certificates';
import { readPemCertificates } from '@scriptorium/pki/keys';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { chainsIn, readServiceCertificate } from '@scriptorium/shared/queue/service-certificate';
import type { WorkerBackends } from '@scriptorium/shared/queue/worker-backends';

/** How long a new certificate may stay unnoticed. */
const READ_MS = 5_000;
/** Within this time, an emptied Redis or the replacement of all signers at once changes no result. */
const HELD_MS_MAX = 60_000;

export interface CertificateEvents {
  /** A certificate other than the previous one. */
  known(fingerprint: string): void;
  /** No certificate at the start, or no longer one. */
  unknown(): void;
  unreadable(error: unknown): void;
  queueError(error: unknown): void;
}

/** The certificates of the service's own keys, which this process does not hold. */
export interface ServiceCertificate extends Closeable {
  /** The chains of certificates in PEM, for `readChains`; undefined if no signer publishes any. Reads again if none is known. */
  current(): Promise<string | undefined>;
  isKnown(): boolean;
}

/** Returns the chains of a published text: each certificate with its issuers. Throws if one has none, or an unreadable one. */
export function readChains(text: string): Certificate[][] {
  return chainsIn(text).map((pem) => readPemCertificates(pem).map(certificateOf));
}

const fingerprintOf = ([own]: Certificate[]): string => own?.x509.fingerprint256.toLowerCase() ?? '';

/** Reads every 5 s which certificate signers publish, and keeps one for a minute after its last sighting. */
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
      if (pem !== seen?.pem) events.known(readChains(pem).map(fingerprintOf).join(', '));
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

  // It waits while Redis is away, as the jobs that may need the certificate do.
  const first = look()
    .then(() => seen ?? events.unknown())
    .catch(events.queueError);
  const timer = setInterval(() => {
    // Otherwise the reads would queue up.
    if (redis.status === 'ready') look().catch(events.queueError);
  }, readMs);
  return {
    async current() {
      await first;
      // A signer may have started since the last read.
      if (seen === undefined) await look().catch(events.queueError);
      return seen?.pem;
    },
    isKnown: () => seen !== undefined,
    close: async () => clearInterval(timer),
  };
}
