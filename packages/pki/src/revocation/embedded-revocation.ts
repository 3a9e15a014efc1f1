import type { ValidationData } from '../keys/raw-signer.ts';
import type { CrlSigners } from './crl-signers.ts';
import {
  needsNoCheck,
  type OcspAnswer,
  type OcspResponse,
  openOcspAnswer,
  type Question,
  readOcspAnswer,
} from './ocsp.ts';
import {
  ANSWERS_MAX,
  attempt,
  type EmbeddedStatuses,
  OPENED_MAX,
  RevocationLists,
  readOnce,
} from './revocation-lists.ts';

const OCSP_BYTES_MAX = 128 * 1024;

/** Revocation data embedded in documents, in DER. */
type Answers = Pick<ValidationData, 'ocsps' | 'crls'>;

/**
 * Finds the status of certificates in the responses and CRLs of a document. One instance serves all signatures of a
 * document: each response is parsed once, and checked once per certificate.
 */
export class EmbeddedRevocation {
  readonly #responses = new WeakMap<Buffer, OcspResponse | 'unusable'>();
  readonly #lists = new RevocationLists();
  /** Keyed by response, then by certificate and issuer. */
  readonly #opened = new WeakMap<OcspResponse, Map<string, OcspAnswer[]>>();

  /**
   * The statuses of one certificate at any time. `signers` finds the certificates of CRL keys other than the issuer's.
   */
  statusesOf(question: Question, { ocsps, crls }: Answers, signers?: CrlSigners): EmbeddedStatuses {
    const listed = this.#lists.statusesOf(question, crls, signers);
    const read = ocsps.slice(0, ANSWERS_MAX).map((der) => this.#read(der));
    const mentioning = read.filter(
      (each) => each === 'unusable' || attempt(() => each.mentions(question)) !== false,
    );
    const opened = mentioning.slice(0, OPENED_MAX).map((response) => this.#open(response, question));
    const answers = opened.flat().filter((answer) => this.#isResponderGood(answer, question, crls, signers));
    const isCut = ocsps.length > read.length || mentioning.length > opened.length;
    return {
      answers: [...answers, ...listed.answers],
      hasUnusable: listed.hasUnusable || isCut || answers.length < opened.length,
    };
  }

  #read(der: Buffer): OcspResponse | 'unusable' {
    return der.length > OCSP_BYTES_MAX ? 'unusable' : readOnce(der, this.#responses, readOcspAnswer);
  }

  #open(response: OcspResponse | 'unusable', question: Question): OcspAnswer[] {
    if (response === 'unusable') return [];
    const key = question.certificate.x509.fingerprint256 + question.issuer.x509.fingerprint256;
    const known = this.#opened.get(response) ?? new Map<string, OcspAnswer[]>();
    this.#opened.set(response, known);
    const answers = known.get(key) ?? [attempt(() => openOcspAnswer(response, question)) ?? []].flat();
    known.set(key, answers);
    return answers;
  }

  /** A responder that needs a revocation check and is on an available CRL must not answer for others. */
  #isResponderGood(
    { responder }: OcspAnswer,
    { issuer, anchor }: Question,
    crls: readonly Buffer[],
    signers: CrlSigners | undefined,
  ): boolean {
    if (responder === undefined || needsNoCheck(responder)) return true;
    const { answers } = this.#lists.statusesOf({ certificate: responder, issuer, anchor }, crls, signers);
    return answers.every(({ status }) => status === 'good');
  }
}
