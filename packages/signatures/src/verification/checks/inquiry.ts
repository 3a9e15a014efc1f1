import {
  buildChain,
  type Certificate,
  type JudgedAs,
  PathEffort,
  tryReadCertificate,
  validatePath,
} from '@scriptorium/pki/certificates';
import type { SignedCore } from '@scriptorium/pki/cms';
import { PkiError } from '@scriptorium/pki/error';
import type { Fetcher } from '@scriptorium/pki/fetcher';
import {
  CrlSigners,
  type DatedStatus,
  EmbeddedRevocation,
  findStatus,
  judgeRevocation,
  type Question,
  type RevocationOptions,
  type StatusRequest,
} from '@scriptorium/pki/revocation';
import type { DocumentEvidence } from '../../evidence.ts';
import { faultsOfMissing, faultsOfService } from '../../lists/list-faults.ts';
import type { TrustedLists } from '../../lists/trusted-lists.ts';
import type { Fault } from '../../reasons.ts';

/** Maximum certificates from the document; archives of many signatures have some dozens. */
const STORE_MAX = 500;
/** Maximum paths whose missing issuers are fetched, because the URLs come from untrusted certificates. */
const SEARCHES_MAX = 8;
/** Maximum certificates whose authorities are queried; archives of many signatures have some dozens. */
const QUESTIONS_MAX = 100;

/** Maximum issuers validated for all paths of a document together. */
const TRIES_MAX = 5_000;

type Times = Pick<RevocationOptions, 'provenTime' | 'madeAfter' | 'statedTime'>;

/** The trust settings of a verification. */
export interface Trust {
  /** Each of them ends a chain. */
  anchors: readonly Certificate[];
  /** The services of these lists end a chain, too. */
  lists?: TrustedLists | undefined;
  /** The certificates of the service's own keys, each with its issuers. */
  service: readonly (readonly Certificate[])[];
  /** The time at which the document is judged. */
  validationTime: Date;
  revocation: 'none' | 'embedded' | 'online';
  /** SHA-1 counts for what provably existed before this time. */
  acceptSha1Before?: Date | undefined;
  /** Used for `online`. */
  fetcher: Fetcher;
  signal: AbortSignal;
}

export interface FoundPath {
  path: Certificate[];
  isAnchored: boolean;
  faults: Fault[];
}

/** Collects data about certificates once for all signatures of a document. */
export class Inquiry {
  readonly document: DocumentEvidence;
  readonly #trust: Trust;
  readonly #certificates = new Map<string, Certificate>();
  readonly #store: readonly Certificate[];
  /** Services of lists that were anchors of a search. */
  readonly #listed = new Set<Certificate>();
  readonly #effort = new PathEffort(TRIES_MAX);
  readonly #embedded = new EmbeddedRevocation();
  readonly #kept = new WeakMap<SignedCore, readonly Certificate[]>();
  readonly #signers = new WeakMap<SignedCore, CrlSigners>();
  readonly #request: StatusRequest;
  readonly #statuses = new Map<string, Promise<DatedStatus | undefined>>();
  readonly #searches = new Map<string, Promise<Certificate[]>>();

  constructor(trust: Trust, document: DocumentEvidence) {
    this.#trust = trust;
    this.document = document;
    const { anchors, service, fetcher, signal } = trust;
    this.#request = { fetcher, signal, lists: new Map() };
    const stored = document.validationData.certificates
      .slice(0, STORE_MAX)
      .flatMap((der) => tryReadCertificate(der) ?? []);
    this.#store = this.#unique([...anchors, ...service.flat(), ...stored]);
  }

  /**
   * Finds the path from a certificate to an anchor among the certificates of the signature and the document. In online mode,
   * missing issuers are fetched.
   */
  async findPath(
    leaf: Certificate,
    core: SignedCore,
    beside: readonly Certificate[],
    as: JudgedAs,
  ): Promise<FoundPath> {
    const pool = this.#poolOf(core, beside);
    const [first = leaf] = this.#unique([leaf]);
    const found = this.#validate(first, pool, as);
    if (found.isAnchored || this.#trust.revocation !== 'online') return found;
    const fetched = await this.#fetchIssuers(first, pool);
    return fetched.length === 0 ? found : this.#validate(first, [...pool, ...fetched], as);
  }

  #validate(leaf: Certificate, pool: readonly Certificate[], as: JudgedAs): FoundPath {
    const { anchors, lists, validationTime } = this.#trust;
    const listed = lists === undefined ? [] : this.#unique(lists.anchorsNear([leaf, ...pool], as.usage));
    for (const each of listed) this.#listed.add(each);
    const options = { ...as, pool, anchors: [...anchors, ...listed], effort: this.#effort };
    const { path, isAnchored, faults } = validatePath(leaf, options);
    const end = path.at(-1);
    if (lists === undefined || end === undefined || anchors.some(({ der }) => der.equals(end.der)))
      return { path, isAnchored, faults };
    const ofLists = isAnchored
      ? faultsOfService(lists, end, { ...as, validationTime })
      : faultsOfMissing(lists, path);
    return { path, isAnchored, faults: [...faults, ...ofLists] };
  }

  #poolOf(core: SignedCore, beside: readonly Certificate[]): Certificate[] {
    return [...this.#store, ...this.#unique([...beside, ...core.certificates, ...this.#keptBy(core)])];
  }

  /** Searches the certificates of CRL keys among those of the signature and the document. */
  #signersOf(core: SignedCore): CrlSigners {
    const known =
      this.#signers.get(core) ?? new CrlSigners({ pool: this.#poolOf(core, []), effort: this.#effort });
    this.#signers.set(core, known);
    return known;
  }

  /** Each path of a signature and its time-stamps is searched among them. */
  #keptBy(core: SignedCore): readonly Certificate[] {
    const known =
      this.#kept.get(core) ??
      core.validationData.certificates.slice(0, STORE_MAX).flatMap((der) => tryReadCertificate(der) ?? []);
    this.#kept.set(core, known);
    return known;
  }

  /** Whether a path ends at a trust anchor. */
  isAnchored(path: readonly Certificate[]): boolean {
    const end = path.at(-1);
    if (end === undefined) return false;
    return this.#listed.has(end) || this.#trust.anchors.some(({ der }) => der.equals(end.der));
  }

  /** Judges a path by the revocation data in the document and, in online mode, by the responses of the authorities. */
  async judgeRevocation(path: readonly Certificate[], core: SignedCore, times: Times): Promise<Fault[]> {
    const { revocation, validationTime } = this.#trust;
    if (revocation === 'none') return [];
    const own = core.validationData;
    const signers = this.#signersOf(core);
    const { ocsps, crls } = this.document.validationData;
    const answers = { ocsps: [...own.ocsps, ...ocsps], crls: [...own.crls, ...crls] };
    const ask = revocation === 'online' ? (question: Question) => this.#ask(question, signers) : undefined;
    const embedded = (question: Question) => this.#embedded.statusesOf(question, answers, signers);
    return judgeRevocation(path, { ...times, validationTime, embedded, ask });
  }

  /** Returns undefined if no authority gives a usable response, or time runs out. */
  #ask(question: Question, signers: CrlSigners): Promise<DatedStatus | undefined> {
    const key = question.certificate.x509.fingerprint256 + question.issuer.x509.fingerprint256;
    const known = this.#statuses.get(key);
    if (known !== undefined) return known;
    if (this.#statuses.size === QUESTIONS_MAX) return Promise.resolve(undefined);
    const status = this.#findStatus(question, signers);
    this.#statuses.set(key, status);
    return status;
  }

  async #findStatus(question: Question, signers: CrlSigners): Promise<DatedStatus | undefined> {
    try {
      return (await findStatus(question, this.#request, signers)).answer;
    } catch (error) {
      if (this.#request.signal.aborted || error instanceof PkiError) return undefined;
      throw error;
    }
  }

  #fetchIssuers(leaf: Certificate, pool: readonly Certificate[]): Promise<Certificate[]> {
    const key = leaf.x509.fingerprint256;
    const known = this.#searches.get(key);
    if (known !== undefined) return known;
    if (this.#searches.size === SEARCHES_MAX) return Promise.resolve([]);
    const search = this.#search(leaf, pool);
    this.#searches.set(key, search);
    return search;
  }

  async #search(leaf: Certificate, pool: readonly Certificate[]): Promise<Certificate[]> {
    try {
      return this.#unique(await buildChain(leaf, { pool, ...this.#request }));
    } catch (error) {
      if (this.#request.signal.aborted) return [];
      throw error;
    }
  }

  /** Returns one object per certificate, regardless of its source, because results are cached by it. */
  #unique(certificates: readonly Certificate[]): Certificate[] {
    return certificates.map((certificate) => {
      const key = certificate.x509.fingerprint256;
      const known = this.#certificates.get(key) ?? certificate;
      this.#certificates.set(key, known);
      return known;
    });
  }
}
