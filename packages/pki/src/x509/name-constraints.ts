import { contextTag } from '../asn1/der.ts';
import { DerError, type DerValue, readChildren, readDer, readOid, readSequence } from '../asn1/der-reader.ts';
import type { Certificate } from './certificate.ts';
import { plainRdns } from './same-name.ts';

const NAME_CONSTRAINTS = '2.5.29.30';
const SUBJECT_ALTERNATIVE_NAMES = '2.5.29.17';
const EMAIL_ADDRESS = '1.2.840.113549.1.9.1';
const PERMITTED = contextTag(0);
const EXCLUDED = contextTag(1);
/** Comparisons for one certificate; real ones need some dozens. */
const COMPARISONS_MAX = 20_000;

/** The kinds of GeneralName (RFC 5280, 4.2.1.6) that are compared. Others are only detected. */
const EMAIL = contextTag(1, false);
const DIRECTORY = contextTag(4);

/** A name of a certificate, or a constraint on names. */
interface GeneralName {
  /** Which kind it is. */
  tag: number;
  content: Buffer;
}

/**
 * Whether a certificate above permits the names of this one (RFC 5280, 4.2.1.10). Directory names and e-mail
 * addresses are compared. Other constrained kinds are refused, as the standard requires. Throws DerError.
 */
export function isWithinConstraints(certificate: Certificate, { extensions }: Certificate): boolean {
  const extension = extensions.get(NAME_CONSTRAINTS);
  if (extension === undefined) return true;
  const fields = readSequence(readDer(extension.value));
  const subtrees = (tag: number) => fields.filter((field) => field.tag === tag).flatMap(readSubtrees);
  const [permitted, excluded] = [subtrees(PERMITTED), subtrees(EXCLUDED)];
  const names = namesOf(certificate);
  if (names.length * (permitted.length + excluded.length) > COMPARISONS_MAX)
    throw new DerError('too many name constraints');
  return names.every((name) => {
    const ofKind = ({ tag }: GeneralName) => tag === name.tag;
    const allowed = permitted.filter(ofKind);
    return (
      (allowed.length === 0 || allowed.some((base) => isWithin(name, base) === true)) &&
      excluded.filter(ofKind).every((base) => isWithin(name, base) === false)
    );
  });
}

/** GeneralSubtrees without the bounds, which RFC 5280 removes from X.509. */
function readSubtrees(list: DerValue): GeneralName[] {
  return readChildren(list).map((subtree) => {
    const [base, ...bounds] = readSequence(subtree);
    if (base === undefined || bounds.length > 0) throw new DerError('name constraint with bounds');
    return base;
  });
}

function namesOf({ subject, extensions }: Certificate): GeneralName[] {
  const extension = extensions.get(SUBJECT_ALTERNATIVE_NAMES);
  const names: GeneralName[] = extension === undefined ? [] : readSequence(readDer(extension.value));
  const rdns = readSequence(readDer(subject));
  const own: GeneralName[] = rdns.length === 0 ? [] : [{ tag: DIRECTORY, content: subject }];
  const hasEmail = names.some(({ tag }) => tag === EMAIL);
  const emails = hasEmail ? [] : emailAddresses(rdns).map((content) => ({ tag: EMAIL, content }));
  return [...names, ...own, ...emails];
}

/** Undefined for a kind that is not compared. */
function isWithin(name: GeneralName, base: GeneralName): boolean | undefined {
  if (name.tag === EMAIL)
    return isEmailWithin(name.content.toString('latin1'), base.content.toString('latin1'));
  if (name.tag === DIRECTORY) return isDirectoryWithin(name.content, base.content);
  return undefined;
}

/** The constraint is a mailbox, a host, or, after a full stop, all hosts of a domain. */
function isEmailWithin(address: string, base: string): boolean {
  const at = address.lastIndexOf('@');
  const host = address.slice(at + 1).toLowerCase();
  if (base.includes('@')) {
    const baseAt = base.lastIndexOf('@');
    return address.slice(0, at) === base.slice(0, baseAt) && host === base.slice(baseAt + 1).toLowerCase();
  }
  const wanted = base.toLowerCase();
  return wanted.startsWith('.') ? host.endsWith(wanted) : host === wanted;
}

function isDirectoryWithin(name: Buffer, base: Buffer): boolean {
  const rdns = plainRdns(name);
  return plainRdns(base).every((rdn, index) => rdn === rdns[index]);
}

/** The e-mail addresses in a subject, from before alternative names existed. */
function emailAddresses(rdns: readonly DerValue[]): Buffer[] {
  return rdns.flatMap(readChildren).flatMap((attribute) => {
    const [type, value] = readSequence(attribute);
    return readOid(type) === EMAIL_ADDRESS && value ? [value.content] : [];
  });
}
