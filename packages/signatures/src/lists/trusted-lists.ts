import { type Certificate, type JudgedAs, readCertificate } from '@scriptorium/pki/certificates';
import type { ListFault } from './list-error.ts';
import { isGranted, stateAt } from './qualify-certificate.ts';
import type { TrustedList } from './read-list.ts';
import { hashOfName, type TrustService } from './read-services.ts';

/** A list as it is kept: plain data. */
export interface KeptList
  extends Pick<TrustedList, 'territory' | 'sequence' | 'issuedMs' | 'nextUpdateMs' | 'services'> {
  /** SHA-256 of the certificate that signed it. */
  signedBy: string;
}

/** The lists that were loaded, and why others were not. Plain data. */
export interface KeptLists {
  listOfLists: Pick<TrustedList, 'sequence' | 'issuedMs' | 'nextUpdateMs'>;
  lists: KeptList[];
  missing: { territory: string; fault: ListFault; why: string }[];
}

/** A service, and the list that has it. */
export interface ListedService {
  list: KeptList;
  service: TrustService;
}

/** A service that is trusted for certificates of people and authorities of time-stamps. */
const CERTIFIES_PEOPLE: ReadonlySet<string> = new Set(['CA/QC', 'CA/PKC', 'NationalRootCA-QC']);
/** Lists have other codes for two countries. */
const TERRITORIES: Readonly<Record<string, string>> = { GR: 'EL', GB: 'UK' };
/** Statuses of services that were not withdrawn. */
const NOT_WITHDRAWN: ReadonlySet<string> = new Set(['recognisedatnationallevel', 'setbynationallaw']);

/** The services of trusted lists, found by their certificates. */
export class TrustedLists {
  readonly #missing: ReadonlySet<string>;
  readonly #listOfLists: KeptLists['listOfLists'];
  readonly #bySubject = new Map<string, (ListedService & { der: string })[]>();
  readonly #certificates = new Map<string, Certificate>();

  constructor({ listOfLists, lists, missing }: KeptLists) {
    const known = new Set(lists.map(({ territory }) => territory));
    this.#missing = new Set(missing.map(({ territory }) => territory).filter((each) => !known.has(each)));
    this.#listOfLists = listOfLists;
    for (const list of lists)
      for (const service of list.services)
        for (const { der, subjectHash } of service.identities) {
          const known = this.#bySubject.get(subjectHash) ?? [];
          this.#bySubject.set(subjectHash, known);
          known.push({ list, service, der });
        }
  }

  /** The certificates of services that are among these certificates, or may have issued one of them. */
  anchorsNear(certificates: readonly Certificate[], usage: JudgedAs['usage']): Certificate[] {
    const names = new Set(certificates.flatMap(({ issuer, subject }) => [issuer, subject].map(hashOfName)));
    const found = [...names].flatMap((name) => this.#bySubject.get(name) ?? []);
    const fit = found.filter(({ service }) => usage === 'timestamping' || certifiesPeople(service));
    return [...new Set(fit.map(({ der }) => der))].map((der) => this.#certificateOf(der));
  }

  /** The services with the name and the key of a certificate. */
  servicesOf(certificate: Certificate): ListedService[] {
    const named = this.#bySubject.get(hashOfName(certificate.subject)) ?? [];
    const own = named.filter(({ der }) =>
      this.#certificateOf(der).x509.publicKey.equals(certificate.x509.publicKey),
    );
    return [...new Map(own.map(({ list, service }) => [service, { list, service }])).values()];
  }

  /** When a list is stale: at its next update, or at that of the list of lists, which names its keys. */
  staleFrom({ nextUpdateMs }: KeptList): Date | undefined {
    const times = [nextUpdateMs, this.#listOfLists.nextUpdateMs].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : new Date(Math.min(...times));
  }

  /** The territory whose list is not known, if an authority of it may have issued a certificate of the path. */
  missingFor(path: readonly Certificate[]): string | undefined {
    const countries = path.flatMap(({ x509 }) => /^C=([A-Z]{2})$/m.exec(x509.issuer ?? '')?.[1] ?? []);
    return countries
      .map((country) => TERRITORIES[country] ?? country)
      .find((each) => this.#missing.has(each));
  }

  #certificateOf(der: string): Certificate {
    const known = this.#certificates.get(der) ?? readCertificate(Buffer.from(der, 'base64'));
    this.#certificates.set(der, known);
    return known;
  }
}

const certifiesPeople = ({ states }: TrustService): boolean =>
  states.some(({ type }) => CERTIFIES_PEOPLE.has(type));

/** Whether a service was trusted for a use at a time: of the right type, and not withdrawn. */
export function isActiveAt(service: TrustService, time: Date, usage: JudgedAs['usage']): boolean {
  const state = stateAt(service, time);
  if (state === undefined || (usage !== 'timestamping' && !CERTIFIES_PEOPLE.has(state.type))) return false;
  return isGranted(state, time) || NOT_WITHDRAWN.has(state.status);
}
