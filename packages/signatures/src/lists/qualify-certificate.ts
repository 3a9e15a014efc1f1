import type { CertificateFacts, QcType } from '@scriptorium/pki/certificates';
import { qualifiersFor } from './qualifications.ts';
import type { ServiceState, TrustService } from './read-services.ts';

/** When Regulation (EU) No 910/2014 began to apply. */
const EIDAS_MS = Date.parse('2016-06-30T22:00:00Z');
/** Statuses under which a service was qualified before. */
const GRANTED_BEFORE: ReadonlySet<string> = new Set([
  'undersupervision',
  'supervisionincessation',
  'accredited',
]);
/** ETSI TS 101 456: QCP public, and QCP public with SSCD. */
const QCP = '0.4.0.1456.1.2';
const QCP_DEVICE = '0.4.0.1456.1.1';

const USES: Readonly<Record<string, QcType>> = {
  QCForESig: 'signature',
  QCForESeal: 'seal',
  QCForWSA: 'web',
};
const INFORMATION: Readonly<Record<QcType, string>> = {
  signature: 'ForeSignatures',
  seal: 'ForeSeals',
  web: 'ForWebSiteAuthentication',
};

/** What a certificate is at one time. */
interface Standing {
  isQualified: boolean;
  use: QcType | 'unknown';
  /** Whether its key is in a qualified device. */
  isInDevice: boolean;
}

/** A service that a path leads to, as it was at one time. */
export interface ServiceAt {
  service: TrustService;
  state: ServiceState;
}

export type Objection = 'noService' | 'otherUse' | 'withdrawn' | 'conflict' | 'unclear';

/** The standing at one time, the service that it follows from, and what is against it. */
export interface StandingAt {
  /** Undefined if it is not known. */
  standing: Standing | undefined;
  by?: ServiceAt;
  objection?: Objection;
}

const isSinceEidas = (timeMs: number): boolean => timeMs >= EIDAS_MS;

export function stateAt({ states }: TrustService, time: Date): ServiceState | undefined {
  return states.find(({ sinceMs }) => sinceMs <= time.getTime());
}

/** Whether a service is qualified at a time by its state of then. */
export function isGranted({ status, sinceMs }: ServiceState, time: Date): boolean {
  if (!isSinceEidas(time.getTime())) return GRANTED_BEFORE.has(status);
  return status === 'granted' && isSinceEidas(sinceMs);
}

interface Candidate extends ServiceAt {
  qualifiers: ReadonlySet<string>;
}

/**
 * Judges a certificate at one time by the services that its path leads to (ETSI TS 119 615, 4.4 and 4.5). If services
 * lead to different results, there is none.
 */
export function standingAt(
  facts: CertificateFacts,
  services: readonly TrustService[],
  time: Date,
): StandingAt {
  const there = services.flatMap((service): ServiceAt[] => {
    const state = stateAt(service, time);
    return state?.type === 'CA/QC' ? [{ service, state }] : [];
  });
  const candidates: Candidate[] = [];
  for (const each of there) {
    const qualifiers = each.state.isUnclear ? undefined : qualifiersFor(each.state.qualifications, facts);
    if (qualifiers === undefined) return { standing: undefined, by: each, objection: 'unclear' };
    candidates.push({ ...each, qualifiers: new Set(qualifiers) });
  }
  const fitting = candidates.filter((each) => isForUseOf(facts, each));
  const none = { ...statedBy(facts), isQualified: false, isInDevice: false };
  const [first] = fitting;
  if (first === undefined)
    return { standing: none, objection: there.length === 0 ? 'noService' : 'otherUse' };
  const standings = new Set(fitting.map((each) => JSON.stringify(standingBy(facts, each, time))));
  if (standings.size > 1) return { standing: undefined, by: first, objection: 'conflict' };
  const by = fitting.find(({ state }) => isGranted(state, time));
  if (by === undefined) return { standing: none, by: first, objection: 'withdrawn' };
  return { standing: standingBy(facts, by, time), by };
}

/** Whether a service certifies for the use that the certificate states (4.4.4). Before the regulation there was one use. */
function isForUseOf(facts: CertificateFacts, { state, qualifiers }: Candidate): boolean {
  const { use } = statedBy(facts);
  if (!isSinceEidas(facts.notBefore.getTime()) || use === 'unknown') return true;
  const isListed = (type: QcType) =>
    state.additional.includes(INFORMATION[type]) &&
    !(type === 'signature' && qualifiers.has('QCForLegalPerson'));
  if (isListed(use)) return true;
  const overruling = usesIn(qualifiers);
  const uses = overruling.length === 0 && facts.isCompliant ? (['signature'] as const) : overruling;
  const [only] = uses;
  return only !== undefined && uses.length === 1 && only !== use && isListed(only);
}

const usesIn = (qualifiers: ReadonlySet<string>): QcType[] =>
  Object.entries(USES).flatMap(([name, use]) => (qualifiers.has(name) ? [use] : []));

/** What the certificate says itself. */
function statedBy(facts: CertificateFacts): Standing {
  const { policies, types, isCompliant, isInDevice, isForeign, notBefore } = facts;
  if (isSinceEidas(notBefore.getTime())) {
    const distinct = [...new Set(types)];
    const [only] = distinct;
    const use = distinct.length === 1 && only !== undefined ? only : 'unknown';
    return {
      isQualified: isCompliant && !isForeign,
      use: distinct.length === 0 && isCompliant ? 'signature' : use,
      isInDevice,
    };
  }
  const isNamed = isCompliant || policies.has(QCP) || policies.has(QCP_DEVICE);
  return {
    isQualified: isNamed && !isForeign,
    use: isNamed ? 'signature' : 'unknown',
    isInDevice: isInDevice || policies.has(QCP_DEVICE),
  };
}

/** What the certificate is by the list: what it says itself, unless the list overrules it. */
function standingBy(facts: CertificateFacts, candidate: Candidate, time: Date): Standing {
  const stated = statedBy(facts);
  const { state, qualifiers } = candidate;
  const isContradicted = qualifiers.has('NotQualified') && qualifiers.has('QCStatement');
  const isQualified =
    isGranted(state, time) &&
    !isContradicted &&
    !qualifiers.has('NotQualified') &&
    (qualifiers.has('QCStatement') || stated.isQualified);
  if (!isQualified) return { ...stated, isQualified, isInDevice: false };
  return { isQualified, use: useBy(candidate, stated), isInDevice: isInDeviceBy(candidate, stated) };
}

function useBy({ state, qualifiers }: Candidate, stated: Standing): Standing['use'] {
  const uses = usesIn(qualifiers);
  const [use = stated.use] = uses;
  const isLegalPerson = qualifiers.has('QCForLegalPerson') && use === 'signature';
  if (uses.length > 1 || isLegalPerson) return 'unknown';
  const isListed = use === 'unknown' || state.additional.includes(INFORMATION[use]);
  const isSince = isSinceEidas(state.sinceMs);
  if (uses.length === 1 && (isSince || state.additional.length > 0) && !isListed) return 'unknown';
  if (isSince) return use;
  const [information, ...others] = state.additional;
  const isLater =
    others.length === 0 && (information === INFORMATION.seal || information === INFORMATION.web);
  return isLater || qualifiers.has('QCForESeal') || qualifiers.has('QCForWSA') ? 'unknown' : 'signature';
}

function isInDeviceBy({ state, qualifiers }: Candidate, stated: Standing): boolean {
  const has = (...names: string[]) => names.some((name) => qualifiers.has(name));
  const isWith = has('QCWithQSCD', 'QCWithSSCD', 'QCQSCDManagedOnBehalf');
  const isAsStated = has('QCQSCDStatusAsInCert', 'QCSSCDStatusAsInCert');
  const isWithout = has('QCNoQSCD', 'QCNoSSCD');
  if (((isWith || isAsStated) && isWithout) || (isWith && isAsStated)) return false;
  if (!isSinceEidas(state.sinceMs)) {
    if (has('QCWithSSCD')) return true;
    return has('QCNoSSCD') ? false : stated.isInDevice;
  }
  // The names from before the regulation say nothing alone after it.
  if (has('QCWithSSCD', 'QCNoSSCD') && !has('QCWithQSCD', 'QCNoQSCD')) return false;
  if (has('QCWithQSCD', 'QCQSCDManagedOnBehalf')) return true;
  return has('QCNoQSCD') ? false : stated.isInDevice;
}

/** The standing of a certificate for a signature: it must be qualified when it was issued, and when it signed. */
export function joined(issued: StandingAt, signed: StandingAt): StandingAt {
  const [then, now] = [issued.standing, signed.standing];
  if (now === undefined || then === undefined) return now === undefined ? signed : issued;
  const standing: Standing = {
    isQualified: then.isQualified && now.isQualified,
    use: then.use === now.use ? now.use : 'unknown',
    isInDevice: now.isInDevice,
  };
  const objector = now.isQualified ? issued : signed;
  return {
    standing,
    ...(signed.by && { by: signed.by }),
    ...(!standing.isQualified && objector.objection && { objection: objector.objection }),
  };
}
