import { X509Certificate } from 'node:crypto';
import type { Authority, Revocation } from './authority.ts';
import { type Identity, type IssueRequest, keyPem, writeP12 } from './identity.ts';
import { buildCertificate, distinguishedName, type Places } from './issue-certificate.ts';
import { generateKey, usualHash } from './keys.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/** Issues certificates, and records who issued and revoked which. */
export interface Registry {
  issueRoot(request: Omit<IssueRequest, 'issuer'>): Promise<Identity>;
  issue(request: IssueRequest & { issuer: Identity }): Promise<Identity>;
  revoke(identity: Identity, revocation?: Partial<Revocation>): void;
  /** Throws if the identity is not an authority. */
  authorityOf(identity: Identity): Authority;
}

export interface RegistryOptions {
  /** Base address of the authorities' servers: `<origin>/<serial number>/ocsp`, `/crl` and `/cer`. */
  origin: string;
  /** Signers of OCSP responses: certificates exempt from status checks, those that need them, or the authorities. */
  responders: 'unchecked' | 'checked' | 'none';
  onAuthority: (authority: Authority) => void;
}

export function createRegistry({ origin, responders, onAuthority }: RegistryOptions): Registry {
  const authorities = new Map<string, Authority>();
  const authorityOf = (identity: Identity): Authority => {
    const authority = authorities.get(identity.serialNumber);
    if (authority === undefined) throw new Error(`${identity.name} is not an authority.`);
    return authority;
  };
  const issueBy = async (issuer: Identity | undefined, request: IssueRequest): Promise<Identity> => {
    const identity = await makeIdentity(request, issuer, issuer && placesOf(origin, issuer));
    if (issuer !== undefined) authorityOf(issuer).issued.add(identity.serialNumber);
    if (request.ca !== undefined) await addAuthority(identity);
    return identity;
  };
  const addAuthority = async (identity: Identity): Promise<void> => {
    const authority: Authority = {
      identity,
      issued: new Set(),
      revoked: new Map(),
      responder: undefined,
      wrongResponder: identity,
    };
    authorities.set(identity.serialNumber, authority);
    authority.wrongResponder = await issueBy(identity, { name: `${identity.name} Clerk` });
    if (responders !== 'none')
      authority.responder = await issueBy(identity, {
        name: `${identity.name} OCSP`,
        keyUsage: ['digitalSignature'],
        extendedKeyUsage: ['ocspSigning'],
        hasNoCheck: responders === 'unchecked',
      });
    onAuthority(authority);
  };
  return {
    authorityOf,
    issueRoot: (request) => issueBy(undefined, { ca: {}, ...request }),
    issue: (request) => issueBy(request.issuer, request),
    revoke({ issuer, serialNumber, name }, { at = new Date(Date.now() - HOUR_MS), reason = 1 } = {}) {
      if (issuer === undefined) throw new Error(`${name} has no issuer that can revoke it.`);
      authorityOf(issuer).revoked.set(serialNumber, { at, reason });
    },
  };
}

const placesOf = (origin: string, { serialNumber }: Identity): Places => ({
  ocsp: [`${origin}/${serialNumber}/ocsp`],
  caIssuers: [`${origin}/${serialNumber}/cer`],
  crl: [`${origin}/${serialNumber}/crl`],
});

async function makeIdentity(
  request: IssueRequest,
  issuer: Identity | undefined,
  places: Places = { ocsp: [], caIssuers: [], crl: [] },
): Promise<Identity> {
  const { name, ca, keyPair } = request;
  const subject = distinguishedName(name);
  const { privateKey, publicKey } = keyPair ?? (await generateKey(request.keyType ?? 'p-256'));
  const signer = issuer ?? { subject, privateKey, publicKey };
  const { der, serialNumber } = buildCertificate({
    subject,
    issuer: signer.subject,
    publicKey,
    signingKey: signer.privateKey,
    signingPublicKey: signer.publicKey,
    hash: request.hash ?? usualHash(signer.privateKey),
    notBefore: request.notBefore ?? new Date(Date.now() - HOUR_MS),
    notAfter: request.notAfter ?? new Date(Date.now() + YEAR_MS),
    ca,
    keyUsage:
      request.keyUsage ??
      (ca === undefined ? ['digitalSignature', 'nonRepudiation'] : ['keyCertSign', 'cRLSign']),
    extendedKeyUsage: request.extendedKeyUsage ?? [],
    isExtendedKeyUsageCritical: request.isExtendedKeyUsageCritical ?? false,
    hasNoCheck: request.hasNoCheck ?? false,
    places: { ...places, ...request.places },
    otherExtensions: request.otherExtensions ?? [],
  });
  const certificate = new X509Certificate(der);
  const pem = certificate.toString();
  const chainPem = pem + (issuer?.chainPem ?? '');
  return {
    name,
    subject,
    privateKey,
    publicKey,
    certificate,
    der,
    pem,
    serialNumber,
    issuer,
    chain: [der, ...(issuer?.chain ?? [])],
    chainPem,
    keyPem: (password) => keyPem(privateKey, password),
    p12: (password, { isLegacy = false } = {}) =>
      writeP12({ privateKey, chainPem, name }, password, isLegacy),
  };
}
