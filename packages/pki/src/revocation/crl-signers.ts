import { DerError } from '../asn1/der-reader.ts';
import { type Certificate, readKeyUsage } from '../x509/certificate.ts';
import { nameKey } from '../x509/same-name.ts';
import { type PathEffort, validatePath } from '../x509/validate-path.ts';

/** Certificates with one name that are tried; authorities have two or three. */
const NAMESAKES_MAX = 4;
const PATHS_MAX = 500;
const CRL_SIGN = 0x02;

export interface SignerSources {
  /** Certificates among which signers of CRLs and their issuers are searched. */
  pool: readonly Certificate[];
  effort: PathEffort;
}

/** Whether a certificate permits signing CRLs. Throws DerError. */
export function maySignCrls(certificate: Certificate): boolean {
  const keyUsage = readKeyUsage(certificate);
  return keyUsage === undefined || (keyUsage & CRL_SIGN) !== 0;
}

/** Finds the certificates of keys that sign CRLs, where these are not the keys of the issuers themselves. */
export class CrlSigners {
  readonly #sources: SignerSources;
  readonly #byName: ReadonlyMap<string, Certificate[]>;
  readonly #paths = new Map<string, readonly Certificate[]>();

  constructor(sources: SignerSources) {
    this.#sources = sources;
    this.#byName = Map.groupBy(new Set(sources.pool), ({ subject }) => nameKey(subject));
  }

  /** Certificates with this name that state that they sign CRLs: without a usage, any certificate of a user would. */
  named(name: Buffer): readonly Certificate[] {
    return (this.#byName.get(nameKey(name)) ?? []).filter(statesToSign).slice(0, NAMESAKES_MAX);
  }

  /** The path from a signer to this anchor, faultless at `time` (RFC 5280, 6.3.3 (f)); empty if there is none. */
  pathTo(anchor: Certificate, signer: Certificate, time: Date): readonly Certificate[] {
    const key = `${anchor.x509.fingerprint256} ${signer.x509.fingerprint256} ${time.getTime()}`;
    const known = this.#paths.get(key);
    if (known !== undefined) return known;
    if (this.#paths.size === PATHS_MAX) return [];
    const found = validatePath(signer, { ...this.#sources, anchors: [anchor], time, usage: 'crl' });
    const path = found.isAnchored && found.faults.length === 0 ? found.path : [];
    this.#paths.set(key, path);
    return path;
  }
}

function statesToSign(certificate: Certificate): boolean {
  try {
    return ((readKeyUsage(certificate) ?? 0) & CRL_SIGN) !== 0;
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}
