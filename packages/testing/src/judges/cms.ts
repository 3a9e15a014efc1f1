import type { Openssl } from '../openssl-authority.ts';

/** Whether OpenSSL, trusting `authority` alone, takes a CMS over this content for a good CAdES signature. */
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
