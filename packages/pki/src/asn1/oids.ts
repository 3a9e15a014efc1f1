/** Object identifiers under the names that their standards give them. */
export const OID = {
  // RFC 5652, RFC 2985, RFC 5035, RFC 3161, RFC 6211
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  encryptedData: '1.2.840.113549.1.7.6',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  timeStampToken: '1.2.840.113549.1.9.16.2.14',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  algorithmProtection: '1.2.840.113549.1.9.52',
  revocationInfoArchival: '1.2.840.113583.1.1.8',

  // RFC 8017, RFC 4055, RFC 5480, RFC 5758
  ecPublicKey: '1.2.840.10045.2.1',
  rsaEncryption: '1.2.840.113549.1.1.1',
  mgf1: '1.2.840.113549.1.1.8',
  rsaPss: '1.2.840.113549.1.1.10',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  sha384WithRsa: '1.2.840.113549.1.1.12',
  sha512WithRsa: '1.2.840.113549.1.1.13',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  ecdsaWithSha384: '1.2.840.10045.4.3.3',
  ecdsaWithSha512: '1.2.840.10045.4.3.4',
  sha1: '1.3.14.3.2.26',
  sha224: '2.16.840.1.101.3.4.2.4',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',

  // RFC 5940, RFC 6960
  ocspResponse: '1.3.6.1.5.5.7.16.2',
  basicOcspResponse: '1.3.6.1.5.5.7.48.1.1',

  // RFC 5280
  commonName: '2.5.4.3',
  organizationName: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  timeStamping: '1.3.6.1.5.5.7.3.8',

  // RFC 7292
  keyBag: '1.2.840.113549.1.12.10.1.1',
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certBag: '1.2.840.113549.1.12.10.1.3',
  safeContentsBag: '1.2.840.113549.1.12.10.1.6',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  pbeSha1Rc4128: '1.2.840.113549.1.12.1.1',
  pbeSha1Rc440: '1.2.840.113549.1.12.1.2',
  pbeSha1TripleDes3: '1.2.840.113549.1.12.1.3',
  pbeSha1TripleDes2: '1.2.840.113549.1.12.1.4',
  pbeSha1Rc2128: '1.2.840.113549.1.12.1.5',
  pbeSha1Rc240: '1.2.840.113549.1.12.1.6',

  // RFC 8018
  pbkdf2: '1.2.840.113549.1.5.12',
  pbes2: '1.2.840.113549.1.5.13',
  scrypt: '1.3.6.1.4.1.11591.4.11',
  hmacSha1: '1.2.840.113549.2.7',
  hmacSha224: '1.2.840.113549.2.8',
  hmacSha256: '1.2.840.113549.2.9',
  hmacSha384: '1.2.840.113549.2.10',
  hmacSha512: '1.2.840.113549.2.11',
  tripleDesCbc: '1.2.840.113549.3.7',
  aes128Cbc: '2.16.840.1.101.3.4.1.2',
  aes192Cbc: '2.16.840.1.101.3.4.1.22',
  aes256Cbc: '2.16.840.1.101.3.4.1.42',
} as const;
