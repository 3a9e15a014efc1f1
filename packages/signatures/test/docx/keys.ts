import { execFileSync } from 'node:child_process';
import { constants, createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HashAlgorithm, RawSigner, SignatureAlgorithm } from '@scriptorium/pki/keys';
import type { Timestamper } from '@scriptorium/pki/timestamps';

function openssl(folder: string, ...parameters: string[]): void {
  execFileSync('openssl', parameters, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}

const KEYS: Readonly<Record<string, string[]>> = {
  rsa: ['rsa:2048'],
  'rsa-1024': ['rsa:1024'],
  'P-256': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'P-384': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  'P-521': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-521'],
};

const CA_EXTENSIONS = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
const SIGNER_EXTENSIONS = [
  'basicConstraints=critical,CA:FALSE',
  'keyUsage=critical,digitalSignature,nonRepudiation',
  'extendedKeyUsage=emailProtection',
];
const AUTHORITY_EXTENSIONS = ['keyUsage=critical,digitalSignature', 'extendedKeyUsage=critical,timeStamping'];

function request(name: string, subject: string, extensions: readonly string[]): string[] {
  const added = extensions.flatMap((extension) => ['-addext', extension]);
  const key = KEYS[name] ?? KEYS.rsa ?? [];
  return ['req', '-x509', '-nodes', '-days', '30', '-utf8', '-subj', subject, '-newkey', ...key, ...added];
}

/** Keys of a certification authority and of its signers, in a folder; made by OpenSSL. */
export class TestKeys {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    const out = ['-keyout', 'ca.key', '-out', 'ca.pem'];
    openssl(folder, ...request('rsa', '/C=DE/O=Müller \\/ Söhne, "Ltd."/CN=Test CA', CA_EXTENSIONS), ...out);
    openssl(folder, 'x509', '-in', 'ca.pem', '-outform', 'DER', '-out', 'ca.der');
    for (const name of Object.keys(KEYS)) this.#issue(name, SIGNER_EXTENSIONS);
    this.#issue('tsa', AUTHORITY_EXTENSIONS);
  }

  get caPem(): string {
    return join(this.#folder, 'ca.pem');
  }

  get caDer(): string {
    return join(this.#folder, 'ca.der');
  }

  #issue(name: string, extensions: readonly string[]): void {
    const files = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-keyout', `${name}.key`, '-out', `${name}.pem`];
    openssl(this.#folder, ...request(name, `/O=Signers/CN=${name} signer`, extensions), ...files);
  }

  #certificate(name: string): X509Certificate {
    return new X509Certificate(readFileSync(join(this.#folder, `${name}.pem`)));
  }

  /** Issues another certificate for the key of a signer. */
  certificateOfSameKey(name: string): X509Certificate {
    const subject = ['req', '-x509', '-days', '30', '-subj', '/CN=somebody else', '-key', `${name}.key`];
    openssl(this.#folder, ...subject, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-out', 'same-key.pem');
    return this.#certificate('same-key');
  }

  /** For programs that need the key itself. */
  privateKey(name: string): KeyObject {
    return createPrivateKey(readFileSync(join(this.#folder, `${name}.key`)));
  }

  signer(name: string, algorithm: SignatureAlgorithm = 'rsa', hash: HashAlgorithm = 'sha256'): RawSigner {
    const key = this.privateKey(name);
    const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
    return {
      certificates: [this.#certificate(name), this.#certificate('ca')],
      algorithm,
      hash,
      sign: async (tbs) => sign(hash, tbs, { key, ...(algorithm === 'rsa-pss' && pss) }),
    };
  }

  /** Returns an authority whose tokens OpenSSL makes and can check. */
  timestamper(): Timestamper {
    const folder = this.#folder;
    const settings =
      '[tsa]\ndefault_policy=1.2.3.4\ndigests=sha256\nsigner_digest=sha256\nserial=serial\nordering=no\ness_cert_id_alg=sha256\n';
    writeFileSync(join(folder, 'tsa.conf'), settings);
    writeFileSync(join(folder, 'serial'), '01');
    return {
      timestamp: async (data) => {
        writeFileSync(join(folder, 'stamped'), data);
        openssl(folder, 'ts', '-query', '-data', 'stamped', '-sha256', '-cert', '-out', 'query');
        const authority = [
          '-config',
          'tsa.conf',
          '-section',
          'tsa',
          '-signer',
          'tsa.pem',
          '-inkey',
          'tsa.key',
        ];
        openssl(folder, 'ts', '-reply', '-queryfile', 'query', ...authority, '-token_out', '-out', 'token');
        return { token: readFileSync(join(folder, 'token')), time: new Date('2026-03-04T05:06:07Z') };
      },
    };
  }

  /** Throws if a token is not from the authority over these bytes. */
  checkToken(token: Buffer, data: string): void {
    writeFileSync(join(this.#folder, 'seen-token'), token);
    writeFileSync(join(this.#folder, 'seen-data'), data);
    const seen = ['-in', 'seen-token', '-token_in', '-data', 'seen-data', '-CAfile', 'ca.pem'];
    openssl(this.#folder, 'ts', '-verify', ...seen);
  }
}
