import type { Openssl } from '../openssl-authority.ts';

/** Whether OpenSSL, with only `authority` trusted, accepts a CMS over this content as a CAdES signature. */
export function opensslAccepts(
  openssl: Openssl,
  content: Buffer,
  cms: Buffer,
  authority = 'root.crt',
): boolean {
  openssl.write('judged.der', cms);
  openssl.write('judged.bin', content);
  return openssl.try(
    ...['cms', '-verify', '-binary', '-inform', 'DER', '-cades', '-in', 'judged.der'],
    ...['-content', 'judged.bin', '-CAfile', authority, '-purpose', 'any'],
  ).isGood;
}
