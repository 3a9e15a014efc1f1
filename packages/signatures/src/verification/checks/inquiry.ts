import {
  buildChain,
  type Certificate,
  type JudgedAs,
  PathEffort,
  tryReadCertificate,
  type ValidatedPath,
  validatePath,
} from '@scriptorium/pki/certificates';
import type { SignedCore } from '@scriptorium/pki/cms';
import { PkiError } from '@scriptorium/pki/error';
import type { Fetcher } from '@scriptorium/pki/fetcher';
import {
  type DatedStatus,
  EmbeddedRevocation,
  findStatus,
  judgeRevocation,
  type Question,
  type RevocationOptions,
  type StatusRequest,
} from '@scriptorium/pki/revocation';
import type { DocumentEvidence } from '../../evidence.ts';
import type { Fault } from '../../reasons.ts';

/** Of the certificates that a document keeps: archives of many signatures have some dozens. */
const STORE_MAX = 500;
/** Paths whose missing issuers are asked for: who asks is led by what strangers wrote into certificates. */
const SEARCHES_MAX = 8;
/** Certificates whose authorities are asked about them; archives of many signatures have some dozens. */
const QUESTIONS_MAX = 100;

/** Issuers that are validated for all paths of a document together. */
const TRIES_MAX = 5_000;

type Times = Pick<RevocationOptions, 'provenTime' | 'madeAfter' | 'statedTime'>;

/** Whom and what a verification relies on. */
export interface Trust {
  /** Any of them ends a chain. */
  anchors: readonly Certificate[];
  /** The service's own certificate and its issuers. */
  service: readonly Certificate[];
  /** The time that the document is judged at. */
  validationTime: Date;
  revocation: 'none' | 'embedded' | 'online';
  /** For `online`. */
  fetcher: Fetcher;
  signal: AbortSignal;
}

/** What is found out about certificates, once for all signatures of a document. */
export class Inquiry {
  readonly document: DocumentEvidence;
  readonly #trust: Trust;
  readonly #certificates = new Map<string, Certificate>();
  readonly #store: readonly Certificate[];
  readonly #effort = new PathEffort(TRIES_MAX);
  readonly #embedded = new EmbeddedRevocation();
  readonly #kept = new WeakMap<SignedCore, readonly Certificate[]>();
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
    this.#store = this.#unique([...anchors, ...service, ...stored]);
  }

  /**
   * The path from a certificate to an anchor, found among the certificates that came with it and with the document. Where the
   * authorities may be asked, missing issuers are fetched.
   */
  async findPath(
    leaf: Certificate,
    core: SignedCore,
    beside: readonly Certificate[],
    as: JudgedAs,
  ): Promise<ValidatedPath> {
    const own = [...beside, ...core.certificates, ...this.#keptBy(core)];
    const pool = [...this.#store, ...this.#unique(own)];
    const options = { ...as, pool, anchors: this.#trust.anchors, effort: this.#effort };
    const [first = leaf] = this.#unique([leaf]);
    const found = validatePath(first, options);
    if (found.isAnchored || this.#trust.revocation !== 'online') return found;
    const fetched = await this.#fetchIssuers(first, pool);
    return fetched.length === 0 ? found : validatePath(first, { ...options, pool: [...pool, ...fetched] });
  }

  /** Each path of a signature and its time-stamps is looked for among them. */
  #keptBy(core: SignedCore): readonly Certificate[] {
    const known =
      this.#kept.get(core) ??
      core.validationData.certificates.slice(0, STORE_MAX).flatMap((der) => tryReadCertificate(der) ?? []);
    this.#kept.set(core, known);
    return known;
  }

  /** Whether a path ends at what is trusted. */
  isAnchored(path: readonly Certificate[]): boolean {
    const end = path.at(-1);
    return end !== undefined && this.#trust.anchors.some(({ der }) => der.equals(end.der));
  }

  /** What answers that came with the document say against a path; where they may be asked, what authorities do. */
  async judgeRevocation(
    path: readonly Certificate[],
    { validationData: own }: SignedCore,
    times: Times,
  ): Promise<Fault[]> {
    const { revocation, validationTime } = this.#trust;
    if (revocation === 'none') return [];
    const { ocsps, crls } = this.document.validationData;
    const answers = { ocsps: [...own.ocsps, ...ocsps], crls: [...own.crls, ...crls] };
    const ask = revocation === 'online' ? (question: Question) => this.#ask(question) : undefined;
    const embedded = (question: Question) => this.#embedded.statusesOf(question, answers);
    return judgeRevocation(path, { ...times, validationTime, embedded, ask });
  }

  /** Undefined where no authority gives a usable answer, or time is over. */
  #ask(question: Question): Promise<DatedStatus | undefined> {
    const key = question.certificate.x509.fingerprint256 + question.issuer.x509.fingerprint256;
    const known = this.#statuses.get(key);
    if (known !== undefined) return known;
    if (this.#statuses.size === QUESTIONS_MAX) return Promise.resolve(undefined);
    const status = this.#findStatus(question);
    this.#statuses.set(key, status);
    return status;
  }

  async #findStatus(question: Question): Promise<DatedStatus | undefined> {
    try {
      return (await findStatus(question, this.#request)).answer;
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

  /** One object a certificate, whatever brought it: what was found out about it is remembered by it. */
  #unique(certificates: readonly Certificate[]): Certificate[] {
    return certificates.map((certificate) => {
      const key = certificate.x509.fingerprint256;
      const known = this.#certificates.get(key) ?? certificate;
      this.#certificates.set(key, known);
      return known;
    });
  }
}
