import { DerError } from '../asn1/der-reader.ts';
import type { ValidationData } from '../keys/raw-signer.ts';
import { type CertificateList, openCrl, readCrl } from './crl.ts';
import {
  needsNoCheck,
  type OcspAnswer,
  type OcspResponse,
  openOcspAnswer,
  type Question,
  readOcspAnswer,
} from './ocsp.ts';
import { type DatedStatus, UnusableAnswerError } from './revocation.ts';

/** OCSP responses and CRLs of a document together. Archives with many signatures have hundreds of responses. */
const ANSWERS_MAX = 1_000;
const OCSP_BYTES_MAX = 128 * 1024;
/** For one certificate: each costs one signature verification. */
const OPENED_MAX = 32;

/** Revocation data embedded in documents, in DER. */
type Answers = Pick<ValidationData, 'ocsps' | 'crls'>;

/**
 * Finds the status of certificates in the responses and CRLs of a document. One instance serves all signatures of a
 * document: each response is parsed once, and checked once per certificate.
 */
export class EmbeddedRevocation {
  readonly #responses = new WeakMap<Buffer, OcspResponse | 'unusable'>();
  readonly #lists = new WeakMap<Buffer, CertificateList | 'unusable'>();
  /** Keyed by response, then by certificate and issuer. */
  readonly #opened = new WeakMap<OcspResponse, Map<string, OcspAnswer[]>>();

  /** The statuses of one certificate at any time. Responses that are unreadable or not by its issuer are ignored. */
  statusesOf(question: Question, data: Answers): DatedStatus[] {
    return [...this.#byOcsp(question, data), ...this.#byList(question, data.crls)];
  }

  #byOcsp(question: Question, { ocsps, crls }: Answers): DatedStatus[] {
    return ocsps
      .slice(0, ANSWERS_MAX)
      .filter(({ length }) => length <= OCSP_BYTES_MAX)
      .flatMap((der) => readOnce(der, this.#responses, readOcspAnswer))
      .filter((response) => attempt(() => response.mentions(question.certificate)) === true)
      .slice(0, OPENED_MAX)
      .flatMap((response) => this.#open(response, question))
      .filter((answer) => this.#isResponderGood(answer, question, crls));
  }

  #open(response: OcspResponse, question: Question): OcspAnswer[] {
    const key = question.certificate.x509.fingerprint256 + question.issuer.x509.fingerprint256;
    const known = this.#opened.get(response) ?? new Map<string, OcspAnswer[]>();
    this.#opened.set(response, known);
    const answers = known.get(key) ?? [attempt(() => openOcspAnswer(response, question)) ?? []].flat();
    known.set(key, answers);
    return answers;
  }

  /** A responder that needs a revocation check and is on an available CRL must not answer for others. */
  #isResponderGood({ responder }: OcspAnswer, { issuer }: Question, crls: readonly Buffer[]): boolean {
    if (responder === undefined || needsNoCheck(responder)) return true;
    return this.#byList({ certificate: responder, issuer }, crls).every(({ status }) => status === 'good');
  }

  #byList(question: Question, crls: readonly Buffer[]): DatedStatus[] {
    return crls
      .slice(0, ANSWERS_MAX)
      .flatMap((der) => readOnce(der, this.#lists, readCrl))
      .filter(({ issuer }) => issuer.equals(question.issuer.subject))
      .slice(0, OPENED_MAX)
      .flatMap((list) => attempt(() => openCrl(list, question)) ?? []);
  }
}

function readOnce<Read extends object>(
  der: Buffer,
  known: WeakMap<Buffer, Read | 'unusable'>,
  read: (der: Buffer) => Read,
): Read[] {
  const found = known.get(der) ?? attempt(() => read(der)) ?? 'unusable';
  known.set(der, found);
  return found === 'unusable' ? [] : [found];
}

/** Undefined if the work throws. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnusableAnswerError || error instanceof DerError) return undefined;
    throw error;
  }
}
