import type { Authority } from './authority.ts';
import { buildCrl, type CrlFault } from './crl.ts';
import type { Identity, IssueRequest } from './identity.ts';
import type { KeyType } from './keys.ts';
import type { Answer, Visit } from './loopback.ts';
import { answerOcsp, type OcspFault } from './ocsp.ts';
import { answerTimestamp, certificateBundle, type TsaFault, type TsaOptions } from './time-stamp.ts';

export interface Faults {
  ocsp?: OcspFault | undefined;
  crl?: CrlFault | undefined;
  tsa?: TsaFault | undefined;
  /** `pem` and `pkcs7` are other forms of the certificate. */
  caIssuers?: 'down' | 'slow' | 'garbage' | 'pem' | 'pkcs7' | undefined;
}

/** Certificates of a time-stamping authority, valid and wrong ones. */
export type Stampers = Record<
  'right' | 'wrongUsage' | 'notCriticalUsage' | 'manyUsages' | 'expired',
  Identity
>;

const HOUR_MS = 3_600_000;
const HTML = { type: 'text/html', body: Buffer.from('<html>maintenance</html>') };

export async function issueStampers(
  issue: (request: IssueRequest) => Promise<Identity>,
  keyType: KeyType,
): Promise<Stampers> {
  const right = await issue({
    name: 'Test TSA',
    keyType,
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['timeStamping'],
    isExtendedKeyUsageCritical: true,
  });
  const { privateKey, publicKey } = right;
  const wrong = (changes: Partial<IssueRequest>) =>
    issue({
      name: 'Test TSA',
      keyPair: { privateKey, publicKey },
      extendedKeyUsage: ['timeStamping'],
      isExtendedKeyUsageCritical: true,
      ...changes,
    });
  return {
    right,
    wrongUsage: await wrong({ extendedKeyUsage: ['emailProtection'] }),
    notCriticalUsage: await wrong({ isExtendedKeyUsageCritical: false }),
    manyUsages: await wrong({ extendedKeyUsage: ['timeStamping', 'serverAuth'] }),
    expired: await wrong({
      notBefore: new Date(Date.now() - 48 * HOUR_MS),
      notAfter: new Date(Date.now() - HOUR_MS),
    }),
  };
}

/** The responses of one authority's servers, by the end of the path. */
export function authorityRoutes(
  authority: Authority,
  stranger: () => Authority,
  faults: Faults,
): [string, (visit: Visit) => Answer][] {
  return [
    ['ocsp', ({ body }) => ocspAnswer(authority, stranger().identity, body, faults.ocsp)],
    ['crl', () => crlAnswer(authority, stranger(), faults.crl)],
    ['cer', () => certificateAnswer(authority, faults.caIssuers)],
  ];
}

function ocspAnswer(authority: Authority, stranger: Identity, body: Buffer, fault?: OcspFault): Answer {
  if (fault === 'down' || fault === 'slow') return fault;
  return { type: 'application/ocsp-response', body: answerOcsp(authority, body, stranger, fault) };
}

function crlAnswer(authority: Authority, stranger: Authority, fault?: CrlFault): Answer {
  if (fault === 'down' || fault === 'slow') return fault;
  return { type: 'application/pkix-crl', body: buildCrl(authority, stranger, fault) };
}

function certificateAnswer({ identity }: Authority, fault: Faults['caIssuers']): Answer {
  switch (fault) {
    case 'down':
    case 'slow':
      return fault;
    case 'garbage':
      return HTML;
    case 'pem':
      return { type: 'application/x-pem-file', body: Buffer.from(identity.pem) };
    case 'pkcs7':
      return { type: 'application/pkcs7-mime', body: certificateBundle(identity) };
    default:
      return { type: 'application/pkix-cert', body: identity.der };
  }
}

/** The responses of the time-stamping authority. */
export function stampAnswer(
  request: Buffer,
  stampers: Stampers,
  options: Omit<TsaOptions, 'signer'>,
): Answer {
  const { fault } = options;
  if (fault === 'down' || fault === 'slow') return fault;
  if (fault === 'unauthorized') return { ...HTML, status: 401 };
  const signer =
    fault !== undefined && fault in stampers ? stampers[fault as keyof Stampers] : stampers.right;
  return { type: 'application/timestamp-reply', body: answerTimestamp(request, { ...options, signer }) };
}
