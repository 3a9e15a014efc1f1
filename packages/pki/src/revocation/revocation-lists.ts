import { DerError } from '../asn1/der-reader.ts';
import type { Certificate } from '../x509/certificate.ts';
import { isSameName } from '../x509/same-name.ts';
import { type CertificateList, isSignedBy, openCrl, readCrl } from './crl.ts';
import { combined, type UsableList } from './crl-set.ts';
import { type CrlSigners, maySignCrls } from './crl-signers.ts';
import { coveredReasons } from './distribution-points.ts';
import type { Question } from './ocsp.ts';
import { type DatedStatus, UnusableAnswerError } from './revocation.ts';

/** For each kind in one document. Archives with many signatures have hundreds of OCSP responses. */
export const ANSWERS_MAX = 1_000;
/** For one certificate: each costs one signature verification. */
export const OPENED_MAX = 32;
/** CRL keys other than the issuer's that are checked for one document. */
const SIGNERS_MAX = 500;
/** The certificate of a CRL key may itself be on a CRL by such a key, and so on. */
const DEPTH_MAX = 2;

/** What the responses in a document say about a certificate. */
export interface EmbeddedStatuses {
  answers: DatedStatus[];
  /** Whether the document has responses that are, or may be, for the certificate and cannot be used. */
  hasUnusable: boolean;
}

/** Finds the status of certificates in CRLs (RFC 5280, 6.3.3). Each list is parsed once, and checked once per key. */
export class RevocationLists {
  readonly #read = new WeakMap<Buffer, CertificateList | 'unusable'>();
  #signersLeft = SIGNERS_MAX;

  /** `signers` finds the certificates of CRL keys other than the issuer's; without it there are none. */
  statusesOf(question: Question, crls: readonly Buffer[], signers?: CrlSigners): EmbeddedStatuses {
    return this.#search(question, { crls, signers }, DEPTH_MAX);
  }

  #search(question: Question, sources: Sources, depth: number): EmbeddedStatuses {
    const read = sources.crls.slice(0, ANSWERS_MAX).map((der) => readOnce(der, this.#read, readCrl));
    const covering = read.filter((list) => list === 'unusable' || covers(list, question.certificate));
    const opened = covering.slice(0, OPENED_MAX).map((list) => this.#open(list, question, sources, depth));
    const usable = opened.filter((each) => each !== undefined);
    const { answers, isIncomplete } = combined(usable);
    const isCut = sources.crls.length > read.length || covering.length > opened.length;
    return { answers, hasUnusable: isIncomplete || isCut || usable.length < opened.length };
  }

  #open(
    list: CertificateList | 'unusable',
    question: Question,
    sources: Sources,
    depth: number,
  ): UsableList | undefined {
    if (list === 'unusable') return undefined;
    return attempt(() => {
      const signer = this.#signerOf(list, question, sources, depth);
      return signer && { list, signer, opened: openCrl(list, question.certificate) };
    });
  }

  #signerOf(
    list: CertificateList,
    question: Question,
    sources: Sources,
    depth: number,
  ): Certificate | undefined {
    const { issuer } = question;
    if (isSameName(list.issuer, issuer.subject) && maySignCrls(issuer) && isSignedBy(list, issuer))
      return issuer;
    const others = sources.signers?.named(list.issuer) ?? [];
    return others.find(
      (one) =>
        one !== issuer && isSignedBy(list, one) && this.#isTrusted(one, list, question, sources, depth),
    );
  }

  /**
   * The signer of a list needs a path to the same anchor, and no certificate in it may be revoked (RFC 5280, 6.3.3
   * (f)). The list is never used to clear its own signer's key: the depth ends such circles.
   */
  #isTrusted(
    signer: Certificate,
    { thisUpdate }: CertificateList,
    { anchor }: Question,
    sources: Sources,
    depth: number,
  ): boolean {
    if (anchor === undefined || depth === 0 || this.#signersLeft-- <= 0) return false;
    const path = sources.signers?.pathTo(anchor, signer, thisUpdate) ?? [];
    return (
      path.length > 0 &&
      path.slice(0, -1).every((certificate, index) => {
        const issuer = path[index + 1] as Certificate;
        const { answers } = this.#search({ certificate, issuer, anchor }, sources, depth - 1);
        return answers.every(({ status }) => status === 'good');
      })
    );
  }
}

interface Sources {
  crls: readonly Buffer[];
  signers: CrlSigners | undefined;
}

/** Also if the certificate's distribution points are unreadable: then any list may be for it. */
const covers = (list: CertificateList, certificate: Certificate): boolean =>
  attempt(() => coveredReasons(list, certificate)) !== 0;

export function readOnce<Read extends object>(
  der: Buffer,
  known: WeakMap<Buffer, Read | 'unusable'>,
  read: (der: Buffer) => Read,
): Read | 'unusable' {
  const found = known.get(der) ?? attempt(() => read(der)) ?? 'unusable';
  known.set(der, found);
  return found;
}

/** Undefined if the work throws. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnusableAnswerError || error instanceof DerError) return undefined;
    throw error;
  }
}
