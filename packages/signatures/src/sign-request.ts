import { z } from 'zod';
import { SIGNATURE_LEVELS } from './levels.ts';

export const AUDIT_EVENTS = ['ready', 'scroll', 'field_change', 'submit'] as const;
export const HASHES = ['sha256', 'sha384', 'sha512'] as const;
/** Changes that a certification permits: DocMDP 1, 2, 3 (ISO 32000-2, table 257). */
export const CERTIFICATIONS = ['noChanges', 'formFilling', 'annotations'] as const;
export const auditEvent = z.object({
  type: z.enum(AUDIT_EVENTS),
  /** As the caller wrote it: ISO 8601. */
  timestamp: z.string(),
  /** Any JSON. */
  data: z.unknown().optional(),
});
export type AuditEvent = z.infer<typeof auditEvent>;

export const signerIdentity = z.object({
  name: z.string(),
  email: z.string(),
  ip: z.string().optional(),
  userAgent: z.string().optional(),
  /** How the caller made sure who signs. */
  authentication: z.string().optional(),
  /** What the signer agreed to. */
  consent: z.string().optional(),
  /** ISO 8601, in this order. */
  sentAt: z.string().optional(),
  viewedAt: z.string().optional(),
  signedAt: z.string().optional(),
});
export type SignerIdentity = z.infer<typeof signerIdentity>;

/** The signing key. Certificates are DER in base64, the signer's own first. */
export const signingKey = z.discriminatedUnion('kind', [
  /** `apiKey` is the id of the API key that the request uses. */
  z.object({ kind: z.literal('profile'), profile: z.string(), apiKey: z.string() }),
  /** A caller's key, encrypted for the signer: the JSON of a `callerKey`. */
  z.object({ kind: z.literal('sealed'), box: z.string() }),
  /** Two-step signing: without `signature`, the reply contains the bytes to sign. */
  z.object({
    kind: z.literal('external'),
    certificates: z.array(z.string()).min(1),
    algorithm: z.enum(['rsa', 'rsa-pss', 'ecdsa']),
    hash: z.enum(HASHES),
    signature: z.string().optional(),
  }),
]);
export type SigningKey = z.infer<typeof signingKey>;

/** A private key in the request. It must be encrypted in queues, and must not be logged. */
export const callerKey = z.discriminatedUnion('kind', [
  /** `base64` is a PKCS #12 file. */
  z.object({ kind: z.literal('p12'), base64: z.string(), password: z.string() }),
  /** PEM texts; `certificates` may contain several, the signer's own first. */
  z.object({
    kind: z.literal('pem'),
    privateKey: z.string(),
    certificates: z.string(),
    password: z.string().optional(),
  }),
]);
export type CallerKey = z.infer<typeof callerKey>;

/** The visible appearance of a signature. A new field needs `page` and `rectangle`; an existing one has its own place. */
export const appearance = z.object({
  /** From 1. */
  page: z.number().int().positive().optional(),
  /** In points from the lower left corner of the page as displayed. */
  rectangle: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }).optional(),
  text: z.string().optional(),
  /** PNG or JPEG in the blob of images. */
  image: z
    .object({ start: z.number().int().nonnegative(), bytes: z.number().int().nonnegative() })
    .optional(),
});
export type Appearance = z.infer<typeof appearance>;

/** Fields that a signature locks: FieldMDP (ISO 32000-2, 12.8.2.4). */
export const fieldLock = z.union([
  z.object({ action: z.literal('all') }),
  z.object({ action: z.enum(['include', 'exclude']), fields: z.array(z.string()) }),
]);
export type FieldLock = z.infer<typeof fieldLock>;

/** What one signature has of its own. */
const ownOptions = z.object({
  level: z.enum(SIGNATURE_LEVELS),
  signer: signerIdentity.optional(),
  certify: z.enum(CERTIFICATIONS).optional(),
  lockFields: fieldLock.optional(),
  /** Name of an empty signature field, or of a new one. */
  field: z.string().optional(),
  appearance: appearance.optional(),
  reason: z.string().optional(),
  location: z.string().optional(),
  /** What the field `text:ROLE` of the signer gets. */
  text: z.string().optional(),
  timestampProfile: z.string().optional(),
});

/** One of several signatures. Its field must exist if it has a name. Without a key, that of the request signs. */
const oneOfSeveral = ownOptions.extend({ key: signingKey.optional() });
export type OneOfSeveral = z.infer<typeof oneOfSeveral>;

/** The validated signing request. */
export const signing = ownOptions.extend({
  key: signingKey,
  /** The document is only the digest of what is signed, by this hash. */
  digestHash: z.enum(HASHES).optional(),
  /** The signatures in order, each a revision of its own. The options of a single signature are then absent. */
  signatures: z.array(oneOfSeveral).min(1).optional(),
  auditTrail: z.array(auditEvent).optional(),
  eventId: z.string().optional(),
  /** Any JSON object; part of the audit trail. */
  metadata: z.record(z.string(), z.unknown()).optional(),
  documentName: z.string().optional(),
  /** Whether the audit trail is also added as pages, besides its JSON. */
  hasAuditPages: z.boolean(),
  /** Sign even if an earlier signature is invalid. */
  allowBrokenSignatures: z.boolean(),
  /** Language of the date in a field `date:ROLE`. */
  locale: z.string().optional(),
  /** Time zone of that date, and of the times on audit pages. */
  timeZone: z.string().optional(),
  /** The password of an encrypted PDF, encrypted for the signer. */
  passwordBox: z.string().optional(),
});
export type Signing = z.infer<typeof signing>;

const certificateSummary = z.object({
  subject: z.string(),
  issuer: z.string(),
  serialNumber: z.string().describe('Hexadecimal'),
  notAfter: z.string().describe('ISO 8601'),
  sha256: z.string().describe('SHA-256 of the certificate, hexadecimal'),
});

/** The created signature. */
export const madeSignature = z
  .object({
    id: z.string().describe('SHA-256 of the signature value, hexadecimal'),
    fieldName: z.string().optional().describe('The signature field; in a DOCX, the signature part'),
    level: z.enum(SIGNATURE_LEVELS),
    digestAlgorithm: z.string().describe('Such as `SHA-256`'),
    signatureAlgorithm: z.string().describe('Such as `RSA-PKCS1-v1_5`, `RSA-PSS`, `ECDSA`'),
    signingTime: z.string().describe('Claimed signing time, ISO 8601'),
    timestampTime: z.string().optional().describe('Time stated by the time-stamping authority, ISO 8601'),
    certificate: certificateSummary,
    byteRange: z
      .array(z.number().int())
      .length(4)
      .optional()
      .describe('PDF only: the bytes that the signature covers'),
  })
  .meta({ id: 'MadeSignature' });
export type MadeSignature = z.infer<typeof madeSignature>;

export const toBeSigned = z
  .object({
    base64: z.string().describe('The bytes to hash and sign with the private key, in base64'),
    digest: z.string().describe('Digest of these bytes by `hashAlgorithm`, hexadecimal'),
    hashAlgorithm: z.string().describe('Such as `SHA-256`'),
    signatureAlgorithm: z.string().describe('Such as `RSA-PKCS1-v1_5`, `RSA-PSS`, `ECDSA`'),
  })
  .meta({ id: 'BytesToSign' });
export type ToBeSigned = z.infer<typeof toBeSigned>;

const sealedEntry = z.object({
  type: z.enum([...AUDIT_EVENTS, 'document']),
  timestamp: z.string(),
  data: z.unknown().optional(),
  hash: z.string().describe('SHA-256 of the previous hash and the JCS form of the entry, hexadecimal'),
});
export const auditReply = z
  .object({
    id: z.string(),
    hash: z.string().describe('The last hash of the chain'),
    entries: z.array(sealedEntry),
    inputSha256: z.string().describe('SHA-256 of the document as received: the start of the chain'),
    documentSha256: z.string().describe('SHA-256 of the document as returned'),
    embedded: z
      .boolean()
      .describe('False if the document was already signed, because nothing can be added to it'),
  })
  .meta({ id: 'SealedAuditTrail' });
export type AuditReply = z.infer<typeof auditReply>;

export const warning = z.object({ code: z.string(), message: z.string() }).meta({ id: 'SignWarning' });
export type SignWarning = z.infer<typeof warning>;

/** The reply of `POST /v1/sign`, besides the document. */
export const signReply = z.object({
  signature: madeSignature.optional(),
  signatures: z
    .array(madeSignature)
    .optional()
    .describe('With `signatures` in the request: each of them, in order'),
  toBeSigned: toBeSigned.optional(),
  auditTrail: auditReply.optional(),
  warnings: z.array(warning),
});
export type SignReply = z.infer<typeof signReply>;

/** The reply of `POST /v1/sign/digest`. */
export const digestReply = z
  .strictObject({
    cms: z.string().describe('The detached signature (CMS, RFC 5652) in DER, in base64'),
    signature: madeSignature,
  })
  .meta({ id: 'SignatureOfDigest' });
export type DigestReply = z.infer<typeof digestReply>;
