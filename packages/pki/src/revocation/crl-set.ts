import type { Certificate } from '../x509/certificate.ts';
import type { CertificateList, OpenedCrl } from './crl.ts';
import { ALL_REASONS } from './distribution-points.ts';
import { type DatedStatus, endOf, REMOVE_FROM_CRL } from './revocation.ts';

/** A CRL that covers a certificate, with its signer. */
export interface UsableList {
  list: CertificateList;
  signer: Certificate;
  opened: OpenedCrl;
}

/** The statuses of one certificate. `isIncomplete`: some CRLs need others that are not there. */
export interface ListedStatuses {
  answers: DatedStatus[];
  isIncomplete: boolean;
}

/**
 * What several CRLs say together about one certificate. A delta CRL continues its base. CRLs for some reasons make a certificate
 * good only if together they cover all reasons (RFC 5280, 6.3.3).
 */
export function combined(usable: readonly UsableList[]): ListedStatuses {
  const bases = usable.filter(({ list }) => list.base === undefined);
  const deltas = usable.filter(({ list }) => list.base !== undefined);
  const continued = bases.flatMap((base) =>
    deltas.filter((delta) => continues(delta, base)).map((delta) => merged(base.opened, delta.opened)),
  );
  // A revocation counts even without the base, its end does not. The bases come last: of two from the same time, the
  // first counts.
  const revoked = deltas.map(({ opened }) => opened).filter(isRevocation);
  const all = [...continued, ...revoked, ...bases.map(({ opened }) => opened)];
  const isPartial = ({ status, reasons }: OpenedCrl) => status === 'good' && reasons !== ALL_REASONS;
  const parts = all.filter(isPartial);
  const whole = parts.length === 0 ? undefined : joined(parts);
  const answers = all.filter((each) => !isPartial(each));
  const isAlone = bases.length === 0 && deltas.length > 0;
  return {
    answers: whole === undefined ? answers : [...answers, whole],
    isIncomplete: isAlone || (parts.length > 0 && whole === undefined),
  };
}

const isRevocation = (opened: OpenedCrl): boolean =>
  opened.status === 'revoked' && opened.reason !== REMOVE_FROM_CRL;

/** RFC 5280, 6.3.3 (c) and 5.2.4. */
function continues({ list: delta, signer }: UsableList, { list, signer: baseSigner }: UsableList): boolean {
  const [ours, theirs] = [delta.scope.encoded, list.scope.encoded];
  return (
    signer === baseSigner &&
    (ours === undefined || theirs === undefined ? ours === theirs : ours.equals(theirs)) &&
    delta.base !== undefined &&
    delta.number !== undefined &&
    list.number !== undefined &&
    delta.base <= list.number &&
    list.number < delta.number
  );
}

function merged(base: OpenedCrl, delta: OpenedCrl): OpenedCrl {
  const { thisUpdate, nextUpdate } = delta;
  const dated = { ...base, thisUpdate, nextUpdate };
  if (delta.status === 'good') return dated;
  return delta.reason === REMOVE_FROM_CRL ? { ...dated, status: 'good' } : { ...delta, ...pick(base) };
}

const pick = ({ knowsExpiredSince, reasons }: OpenedCrl) => ({ knowsExpiredSince, reasons });

/** For each reason the CRL that lasts longest. Undefined if a reason is not covered. */
function joined(parts: readonly OpenedCrl[]): DatedStatus | undefined {
  const latest = parts.toSorted((a, b) => endOf(b).getTime() - endOf(a).getTime());
  const chosen = new Set<OpenedCrl>();
  for (let reason = 0x4000; reason >= 0x80; reason >>= 1) {
    const part = latest.find(({ reasons }) => (reasons & reason) !== 0);
    if (part === undefined) return undefined;
    chosen.add(part);
  }
  const times = (read: (part: OpenedCrl) => Date | undefined) =>
    [...chosen].map((each) => read(each)?.getTime());
  const cutoffs = times(({ knowsExpiredSince }) => knowsExpiredSince);
  const isKept = cutoffs.every((cutoff) => cutoff !== undefined);
  return {
    status: 'good',
    thisUpdate: new Date(Math.min(...(times(({ thisUpdate }) => thisUpdate) as number[]))),
    nextUpdate: new Date(Math.min(...(times(endOf) as number[]))),
    knowsExpiredSince: isKept ? new Date(Math.max(...(cutoffs as number[]))) : undefined,
  };
}
