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
const DNS = contextTag(2, false);
const DIRECTORY = contextTag(4);
const URI = contextTag(6, false);
const IP = contextTag(7, false);

/** In lower case; the first label may be a wildcard. */
const HOST_NAME = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;
const PLAIN_MAILBOX = /^[!#-'*+\-./-9=?A-Z^-~]+$/;

/** A name of a certificate, or a constraint on names. */
interface GeneralName {
  /** Which kind it is. */
  tag: number;
  content: Buffer;
}

/** Results, keyed by the certificate and one above it: many paths may go through the same two. */
const known = new WeakMap<Certificate, WeakMap<Certificate, boolean | DerError>>();

/**
 * Whether a certificate above permits the names of this one (RFC 5280, 4.2.1.10). Directory names, e-mail
 * addresses, hosts, URIs and IP addresses are compared. Other constrained kinds are refused, as the standard requires.
 * Throws DerError.
 */
export function isWithinConstraints(certificate: Certificate, above: Certificate): boolean {
  const results = known.get(certificate) ?? new WeakMap<Certificate, boolean | DerError>();
  known.set(certificate, results);
  const result = results.get(above) ?? compared(certificate, above);
  results.set(above, result);
  if (result instanceof DerError) throw result;
  return result;
}

function compared(certificate: Certificate, above: Certificate): boolean | DerError {
  try {
    return permits(above, certificate);
  } catch (error) {
    if (error instanceof DerError) return error;
    throw error;
  }
}

function permits({ extensions }: Certificate, certificate: Certificate): boolean {
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

/** Undefined for a kind that is not compared, and for a name or constraint that has no defined comparison. */
function isWithin(name: GeneralName, base: GeneralName): boolean | undefined {
  const [text, wanted] = [name.content.toString('latin1'), base.content.toString('latin1').toLowerCase()];
  switch (name.tag) {
    case EMAIL:
      return isEmailWithin(text, base.content.toString('latin1'));
    case DNS:
      return isHostWithin(text.toLowerCase(), wanted);
    case DIRECTORY:
      return isDirectoryWithin(name.content, base.content);
    case URI:
      return isUriWithin(text, wanted);
    case IP:
      return isAddressWithin(name.content, base.content);
    default:
      return undefined;
  }
}

/**
 * The constraint is a mailbox, a host, or, after a full stop, all hosts of a domain. An address with quotes, or in another
 * encoding than ASCII, has several forms.
 */
function isEmailWithin(address: string, base: string): boolean | undefined {
  const at = address.indexOf('@');
  const host = address.slice(at + 1).toLowerCase();
  if (at < 1 || !PLAIN_MAILBOX.test(address.slice(0, at)) || !isHostName(host)) return undefined;
  if (base.includes('@')) {
    const baseAt = base.lastIndexOf('@');
    return address.slice(0, at) === base.slice(0, baseAt) && host === base.slice(baseAt + 1).toLowerCase();
  }
  return isHostOf(host, base.toLowerCase());
}

/** The constraint is a host or, after a full stop, all hosts of a domain. */
function isHostOf(host: string, wanted: string): boolean | undefined {
  if (wanted === '') return true;
  if (!isHostName(wanted.replace(/^\./, ''))) return undefined;
  return wanted.startsWith('.') ? host.endsWith(wanted) : host === wanted;
}

/** Labels may be added on the left. A wildcard that also covers hosts outside the constraint cannot be compared. */
function isHostWithin(host: string, base: string): boolean | undefined {
  if (!isHostName(host) || isHostOf(host, base) === undefined) return undefined;
  const suffix = base.startsWith('.') ? base : `.${base}`;
  if (base === '' || host === base || host.endsWith(suffix)) return true;
  const isWider = host.startsWith('*.') && suffix.endsWith(host.slice(1));
  return isWider ? undefined : false;
}

/** A URI without a host name must be refused where URIs are constrained. */
function isUriWithin(uri: string, base: string): boolean | undefined {
  const host = hostOf(uri);
  return host === undefined ? undefined : isHostOf(host, base);
}

function hostOf(uri: string): string | undefined {
  const start = uri.indexOf('://');
  if (start < 0) return undefined;
  const [authority = ''] = uri.slice(start + 3).split(/[/?#]/, 1);
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .toLowerCase();
  return isHostName(host) && !/^[\d.]+$/.test(host) ? host : undefined;
}

/** Other writings of a host, such as with a full stop at its end, can be equal to it and pass a comparison. */
const isHostName = (host: string): boolean => HOST_NAME.test(host);

/** The constraint is an address and a mask of the same length. */
function isAddressWithin(address: Buffer, base: Buffer): boolean | undefined {
  const octets = [4, 16];
  if (!octets.includes(address.length) || !octets.includes(base.length / 2)) return undefined;
  if (base.length !== address.length * 2) return false;
  return address.every((octet, index) => {
    const mask = base[address.length + index] ?? 0;
    return (octet & mask) === ((base[index] ?? 0) & mask);
  });
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
