import type { X509Certificate } from 'node:crypto';
import { Dict, isName, Name, PdfString, type PdfValue, type SignatureField } from '@scriptorium/pdf/read';
import { hasTimestamp, hasValidationData, type SignatureLevel } from '../levels.ts';
import { CERTIFICATIONS, type Signing } from '../sign-request.ts';
import { type FieldIssue, SignatureError } from '../signature-error.ts';
import type { ReadPdf } from './read-pdf.ts';

/** What seed values speak of, of a signature that is to be made. */
export interface SeededSignature {
  subFilter: string;
  /** Such as `sha256`. */
  hash: string;
  level: SignatureLevel;
  reason?: string | undefined;
  certify?: Signing['certify'] | undefined;
  /** The signer's own first. */
  certificates: readonly X509Certificate[];
}

/** Flags of required constraints (ISO 32000-2, table 237). */
const REQUIRED = {
  Filter: 1,
  SubFilter: 2,
  Reasons: 8,
  LegalAttestation: 16,
  AddRevInfo: 32,
  DigestMethod: 64,
};
/** A locked document, an appearance by its name, and what later standards may add. */
const UNKNOWN = ~127;
/** Flags of certificates (table 238). */
const CERTIFICATE = { Subject: 1, Issuer: 2 };
const CERTIFICATE_UNKNOWN = ~(CERTIFICATE.Subject | CERTIFICATE.Issuer);

/**
 * Obeys the seed values that the author of an empty field set for its signature (ISO 32000-2, 12.7.5.5). Throws
 * VALIDATION_ERROR with each constraint that the signature would break, or that is not known here.
 */
export function requireSeedValues(pdf: ReadPdf, { object }: SignatureField, made: SeededSignature): void {
  const seed = pdf.document.dict(object.value, 'SV');
  if (!seed) return;
  const read = new SeedReader(pdf, seed);
  const issues = [...formIssues(read, made), ...levelIssues(read, made), ...certificateIssues(read, made)];
  if (issues.length === 0) return;
  throw new SignatureError(
    'VALIDATION_ERROR',
    'The author of the signature field does not permit this signature.',
    {
      details: issues,
    },
  );
}

class SeedReader {
  readonly #pdf: ReadPdf;
  readonly #seed: Dict;

  constructor(pdf: ReadPdf, seed: Dict) {
    this.#pdf = pdf;
    this.#seed = seed;
  }

  get(key: string): PdfValue {
    return this.#pdf.document.get(this.#seed, key);
  }

  below(key: string): SeedReader | undefined {
    const value = this.get(key);
    return value instanceof Dict ? new SeedReader(this.#pdf, value) : undefined;
  }

  number(key: string): number {
    const value = this.get(key);
    return typeof value === 'number' ? value : 0;
  }

  requires(flag: number): boolean {
    return (this.number('Ff') & flag) !== 0;
  }

  items(key: string): PdfValue[] {
    const value = this.get(key);
    return (Array.isArray(value) ? value : []).map((item) => this.#pdf.document.resolve(item));
  }

  texts(key: string): string[] {
    return this.items(key).flatMap((item) =>
      item instanceof PdfString || item instanceof Name ? [item.text] : [],
    );
  }
}

const digestName = (name: string): string => name.toLowerCase().replaceAll('-', '');

function formIssues(seed: SeedReader, { subFilter, hash, reason, certify }: SeededSignature): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const add = (field: string, issue: string) => issues.push({ field, issue });
  const filter = seed.get('Filter');
  if (seed.requires(REQUIRED.Filter) && filter !== null && !isName(filter, 'Adobe.PPKLite'))
    add('field', 'Its seed value /Filter asks for another handler of signatures than Adobe.PPKLite.');
  if (seed.requires(REQUIRED.SubFilter) && !seed.texts('SubFilter').includes(subFilter))
    add('field', `Its seed value /SubFilter does not list ${subFilter}.`);
  const digests = seed.texts('DigestMethod').map(digestName);
  if (seed.requires(REQUIRED.DigestMethod) && !digests.includes(digestName(hash)))
    add('key', `The seed value /DigestMethod of the field permits ${digests.join(', ')}, and not ${hash}.`);
  const reasons = seed.texts('Reasons');
  // A single period, or an empty list, means that no reason may be given (table 237).
  const isNone = reasons.length === 0 || (reasons.length === 1 && reasons[0] === '.');
  if (seed.requires(REQUIRED.Reasons) && (isNone ? reason !== undefined : !reasons.includes(reason ?? '')))
    add(
      'reason',
      isNone ? 'The field permits no reason.' : `The field permits these: ${reasons.join('; ')}.`,
    );
  if (seed.requires(REQUIRED.LegalAttestation) && seed.texts('LegalAttestation').length > 0)
    add('field', 'Its seed value /LegalAttestation cannot be obeyed.');
  if (seed.requires(UNKNOWN)) add('field', 'A required seed value of it cannot be obeyed.');
  const permission = seed.below('MDP')?.get('P');
  const asked = certify === undefined ? 0 : CERTIFICATIONS.indexOf(certify) + 1;
  if (typeof permission === 'number' && permission !== asked)
    add(
      'certify',
      permission === 0
        ? 'The field is not for a certification.'
        : `The field asks for ${CERTIFICATIONS[permission - 1]}.`,
    );
  return issues;
}

function levelIssues(seed: SeedReader, { level }: SeededSignature): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (seed.below('TimeStamp')?.requires(1) && !hasTimestamp(level))
    issues.push({ field: 'level', issue: 'The field requires a time-stamp: B-T or higher.' });
  if (seed.requires(REQUIRED.AddRevInfo) && seed.get('AddRevInfo') === true && !hasValidationData(level))
    issues.push({ field: 'level', issue: 'The field requires revocation data: B-LT or higher.' });
  return issues;
}

function certificateIssues(seed: SeedReader, { certificates }: SeededSignature): FieldIssue[] {
  const asked = seed.below('Cert');
  if (!asked) return [];
  const issues: FieldIssue[] = [];
  const isOneOf = (key: string, candidates: readonly X509Certificate[]) =>
    asked
      .items(key)
      .some((item) => item instanceof PdfString && candidates.some(({ raw }) => raw.equals(item.bytes)));
  if (asked.requires(CERTIFICATE.Subject) && !isOneOf('Subject', certificates.slice(0, 1)))
    issues.push({ field: 'key', issue: 'The field permits only certificates that its author listed.' });
  if (asked.requires(CERTIFICATE.Issuer) && !isOneOf('Issuer', certificates))
    issues.push({
      field: 'key',
      issue: 'The field permits only certificates of issuers that its author listed.',
    });
  if (asked.requires(CERTIFICATE_UNKNOWN))
    issues.push({ field: 'field', issue: 'Its seed value /Cert has a constraint that cannot be obeyed.' });
  return issues;
}
