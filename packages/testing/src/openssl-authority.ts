import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface OpensslRun {
  /** Whether the exit code is 0. */
  isGood: boolean;
  stdout: Buffer;
  stderr: string;
}

/** A folder and the openssl command in it, which makes the keys and verifies signatures. */
export class Openssl {
  readonly folder = mkdtempSync(join(tmpdir(), 'signer-'));

  /** Throws with the error output on failure. */
  run(...args: string[]): Buffer {
    const { isGood, stdout, stderr } = this.try(...args);
    if (!isGood) throw new Error(`openssl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  try(...args: string[]): OpensslRun {
    const { status, stdout, stderr } = spawnSync('openssl', args, { cwd: this.folder });
    return { isGood: status === 0, stdout, stderr: stderr.toString() };
  }

  read(name: string): Buffer {
    return readFileSync(join(this.folder, name));
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(join(this.folder, name), content);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Arguments of `openssl genpkey`. */
export const KEY_KINDS = {
  rsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  weakRsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
  rsaPss: ['-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048'],
  boundPss: [
    ...['-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048', '-pkeyopt', 'rsa_pss_keygen_md:sha384'],
    ...['-pkeyopt', 'rsa_pss_keygen_mgf1_md:sha384', '-pkeyopt', 'rsa_pss_keygen_saltlen:48'],
  ],
  sha1Pss: [
    ...['-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048', '-pkeyopt', 'rsa_pss_keygen_md:sha1'],
    ...['-pkeyopt', 'rsa_pss_keygen_mgf1_md:sha1', '-pkeyopt', 'rsa_pss_keygen_saltlen:20'],
  ],
  p256: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  p384: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  p521: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  secp256k1: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:secp256k1'],
  ed25519: ['-algorithm', 'ED25519'],
} as const;
export type KeyKind = keyof typeof KEY_KINDS;

export interface Leaf {
  kind: KeyKind;
  keyUsage?: string;
  /** An option of `openssl x509`, such as `-sha1`. */
  digest?: string;
  /** The first and the last second, in the form `20200101000000Z`. */
  validity?: [from: string, to: string];
  issuer?: string;
}

/**
 * A root, an intermediate authority, and certificates for keys of every kind; files are `<name>.key` and `<name>.crt`.
 */
export class TestAuthority {
  readonly openssl: Openssl;

  constructor(openssl: Openssl) {
    this.openssl = openssl;
    const authority = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n';
    openssl.write('authority.ext', `${authority}subjectKeyIdentifier=hash\n`);
    openssl.run('genpkey', ...KEY_KINDS.p256, '-out', 'root.key');
    openssl.run(
      ...['req', '-new', '-x509', '-key', 'root.key', '-subj', '/O=Tests/CN=Test root', '-days', '30'],
      ...['-addext', 'keyUsage=critical,keyCertSign,cRLSign', '-out', 'root.crt'],
    );
    openssl.run('genpkey', ...KEY_KINDS.p256, '-out', 'ca.key');
    openssl.run('req', '-new', '-key', 'ca.key', '-subj', '/O=Tests/CN=Test authority', '-out', 'ca.csr');
    openssl.run(
      ...['x509', '-req', '-in', 'ca.csr', '-CA', 'root.crt', '-CAkey', 'root.key', '-set_serial', '2'],
      ...['-days', '30', '-extfile', 'authority.ext', '-out', 'ca.crt'],
    );
    openssl.write('chain.crt', Buffer.concat([openssl.read('ca.crt'), openssl.read('root.crt')]));
    openssl.write('index.txt', '');
  }

  /** Creates a key and its certificate. */
  issue(name: string, { kind, keyUsage, digest = '-sha256', validity, issuer = 'ca' }: Leaf): void {
    const { openssl } = this;
    openssl.run('genpkey', ...KEY_KINDS[kind], '-out', `${name}.key`);
    openssl.run('req', '-new', '-key', `${name}.key`, '-subj', `/O=Tests/CN=${name}`, '-out', `${name}.csr`);
    openssl.write(`${name}.ext`, keyUsage === undefined ? '' : `keyUsage=critical,${keyUsage}\n`);
    if (validity !== undefined) return void this.#issueFor(name, validity, issuer);
    openssl.run(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${issuer}.crt`, '-CAkey', `${issuer}.key`, digest],
      ...['-CAcreateserial', '-days', '20', '-extfile', `${name}.ext`, '-out', `${name}.crt`],
    );
  }

  /** `openssl x509` of version 3.0 cannot set dates; `openssl ca` can. */
  #issueFor(name: string, [from, to]: [string, string], issuer: string): void {
    const { openssl } = this;
    openssl.write(
      'ca.cnf',
      [
        '[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256',
        'unique_subject=no\npolicy=any\n[any]\norganizationName=optional\ncommonName=supplied\n',
      ].join('\n'),
    );
    openssl.run(
      ...['ca', '-batch', '-config', 'ca.cnf', '-notext', '-in', `${name}.csr`, '-out', `${name}.crt`],
      ...['-cert', `${issuer}.crt`, '-keyfile', `${issuer}.key`, '-startdate', from, '-enddate', to],
    );
  }

  text(name: string): string {
    return this.openssl.read(name).toString();
  }

  /** The certificate of `name`, followed by its issuers. */
  chain(name: string): string {
    return this.text(`${name}.crt`) + this.text('chain.crt');
  }
}
