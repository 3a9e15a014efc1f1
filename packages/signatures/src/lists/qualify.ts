import { type Certificate, certificateFacts } from '@scriptorium/pki/certificates';
import { plainText } from '@scriptorium/pki/fault';
import type { Qualification } from './qualification.ts';
import {
  isGranted,
  joined,
  type Objection,
  type ServiceAt,
  type StandingAt,
  standingAt,
  stateAt,
} from './qualify-certificate.ts';
import type { ServiceState } from './read-services.ts';
import type { ListedService, TrustedLists } from './trusted-lists.ts';

const TEXT_CHARS_MAX = 200;

/** A signature or time-stamp, as far as it was validated. */
export interface Qualifiable {
  /** From the signer to its anchor. */
  path: readonly Certificate[];
  verdict: 'valid' | 'valid_untrusted' | 'indeterminate' | 'invalid';
  /** Whether it is known that no certificate of the path was revoked. */
  isRevocationKnown: boolean;
  /** When it provably existed, otherwise the validation time. */
  time: Date;
  validationTime: Date;
  isTimestamp: boolean;
  /** When a time-stamp says that it was made. */
  statedTime?: Date | undefined;
  /** The path of the time-stamp that proves the time. */
  stampPath?: readonly Certificate[] | undefined;
}

type Answer = Omit<Qualification, 'time' | 'service' | 'isTimestampQualified'> & { by?: ServiceAt };

const OBJECTIONS: Readonly<Record<Objection, string>> = {
  noService: 'The trusted list did not name the authority for qualified certificates at that time.',
  otherUse: 'The trusted list does not name the authority for this use of certificates.',
  withdrawn: 'The authority was not qualified at that time: its status in the trusted list was another.',
  conflict:
    'The services of the trusted lists for this authority say different things about the certificate.',
  unclear: 'The trusted list has a condition for this certificate that this service does not understand.',
};
const NAMES = { signature: 'electronic signature', seal: 'electronic seal' } as const;

/** Says what a signature is by the trusted lists (ETSI TS 119 615, 4.4 to 4.6). */
export function qualify(lists: TrustedLists, signature: Qualifiable): Qualification {
  const listed = servicesOn(lists, signature.path, signature.isTimestamp);
  const answer = decide(lists, listed, signature);
  const { by, ...rest } = answer;
  const stampPath = signature.stampPath ?? [];
  const stampServices = servicesOn(lists, stampPath, true);
  return {
    ...rest,
    time: signature.time.toISOString(),
    ...(stampPath.length > 0 && {
      isTimestampQualified: qualifiedStamp(stampServices, [signature.time]) !== undefined,
    }),
    ...(by && { service: describe(by, listed) }),
  };
}

/**
 * The services of the certificate in a path that is nearest to the signer, and is listed for qualified certificates or
 * time-stamps. A signer is not a service, but some authorities of time-stamps are.
 */
function servicesOn(
  lists: TrustedLists,
  path: readonly Certificate[],
  isTimestamp: boolean,
): ListedService[] {
  const wanted = isTimestamp ? 'TSA/QTST' : 'CA/QC';
  const listed = (isTimestamp ? path : path.slice(1)).map((each) => lists.servicesOf(each));
  const isWanted = ({ service }: ListedService) => service.states.some(({ type }) => type === wanted);
  return listed.find((each) => each.some(isWanted)) ?? listed.find(({ length }) => length > 0) ?? [];
}

function decide(lists: TrustedLists, listed: readonly ListedService[], signature: Qualifiable): Answer {
  const { verdict, isTimestamp, isRevocationKnown, validationTime } = signature;
  const kind = isTimestamp ? 'timestamp' : 'unknown';
  if (verdict === 'invalid') return { result: 'notQualified', kind, reason: 'It is not valid.' };
  if (listed.length === 0) return notListed(lists, signature, kind);
  const answer = isTimestamp ? stampAnswer(listed, signature) : signatureAnswer(listed, signature);
  const stale = listed
    .flatMap(({ list }) => lists.staleFrom(list) ?? [])
    .find((time) => time < validationTime);
  if (stale !== undefined)
    return {
      ...answer,
      result: 'indeterminate',
      reason: `The trusted list was to be replaced by ${shownDay(stale)}, and the newer one is not known.`,
    };
  const isPositive = answer.result === 'qualified' || answer.result === 'advanced';
  if (!isPositive || (verdict === 'valid' && isRevocationKnown)) return answer;
  const doubt =
    verdict === 'valid'
      ? 'It is not known whether a certificate was revoked.'
      : 'It is in doubt whether the signature is valid.';
  return { ...answer, result: 'indeterminate', reason: `${doubt} Otherwise: ${answer.reason}` };
}

function notListed(lists: TrustedLists, { path }: Qualifiable, kind: Answer['kind']): Answer {
  const missing = lists.missingFor(path);
  if (missing !== undefined)
    return { result: 'indeterminate', kind, reason: `The trusted list of ${missing} could not be used.` };
  return { result: 'notQualified', kind, reason: 'No trusted list names an authority of this certificate.' };
}

function signatureAnswer(listed: readonly ListedService[], { path, time }: Qualifiable): Answer {
  const [signer] = path;
  const facts = signer && certificateFacts(signer);
  if (facts === undefined)
    return {
      result: 'indeterminate',
      kind: 'unknown',
      reason: 'The certificate has an unreadable extension.',
    };
  const services = listed.map(({ service }) => service);
  const found = joined(standingAt(facts, services, facts.notBefore), standingAt(facts, services, time));
  return { ...resultOf(found), ...(found.by && { by: found.by }) };
}

function resultOf({ standing, objection }: StandingAt): Answer {
  const because = objection && OBJECTIONS[objection];
  if (standing === undefined)
    return { result: 'indeterminate', kind: 'unknown', reason: because ?? OBJECTIONS.unclear };
  const { isQualified, isInDevice, use: kind } = standing;
  const facts = { kind, isCertificateQualified: isQualified, isKeyInQualifiedDevice: isInDevice };
  if (!isQualified)
    return {
      ...facts,
      result: 'notQualified',
      reason: because ?? 'Neither the certificate nor the trusted list says that it is qualified.',
    };
  if (kind === 'web')
    return {
      ...facts,
      result: 'notQualified',
      reason: 'The certificate is for web sites, not for documents.',
    };
  if (kind === 'unknown')
    return {
      ...facts,
      result: 'indeterminate',
      reason: 'It is not clear whether the certificate is for signatures or for seals.',
    };
  return isInDevice
    ? { ...facts, result: 'qualified', reason: `It is a qualified ${NAMES[kind]}.` }
    : {
        ...facts,
        result: 'advanced',
        reason: `It is an advanced ${NAMES[kind]} with a qualified certificate, but not with a qualified device.`,
      };
}

function stampAnswer(listed: readonly ListedService[], { time, statedTime = time }: Qualifiable): Answer {
  const by = qualifiedStamp(listed, [statedTime, time]);
  if (by !== undefined)
    return { result: 'qualified', kind: 'timestamp', reason: 'It is a qualified electronic time-stamp.', by };
  const reason = 'The trusted list did not name the authority for qualified time-stamps at that time.';
  return { result: 'notQualified', kind: 'timestamp', reason };
}

/** The service that issues qualified time-stamps at all of these times. */
function qualifiedStamp(listed: readonly ListedService[], times: readonly Date[]): ServiceAt | undefined {
  const stateOf = ({ service }: ListedService, time: Date): ServiceState | undefined => {
    const state = stateAt(service, time);
    return state?.type === 'TSA/QTST' && !state.isUnclear && isGranted(state, time) ? state : undefined;
  };
  for (const each of listed) {
    const [state, ...others] = times.map((time) => stateOf(each, time));
    if (state !== undefined && !others.includes(undefined)) return { service: each.service, state };
  }
  return undefined;
}

function describe(
  { service, state }: ServiceAt,
  listed: readonly ListedService[],
): NonNullable<Qualification['service']> {
  const list = listed.find((each) => each.service === service)?.list;
  if (list === undefined) throw new Error('the service has no list');
  const { territory, sequence, issuedMs, nextUpdateMs } = list;
  return {
    provider: plainText(service.provider, TEXT_CHARS_MAX),
    name: plainText(service.name, TEXT_CHARS_MAX),
    type: plainText(state.type, TEXT_CHARS_MAX),
    status: plainText(state.status, TEXT_CHARS_MAX),
    since: iso(state.sinceMs),
    list: {
      territory,
      sequenceNumber: sequence,
      issued: iso(issuedMs),
      ...(nextUpdateMs !== undefined && { nextUpdate: iso(nextUpdateMs) }),
    },
  };
}

const iso = (timeMs: number): string => new Date(timeMs).toISOString();
const shownDay = (time: Date): string => time.toISOString().slice(0, 10);
