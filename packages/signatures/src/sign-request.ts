import { z } from 'zod';
import { SIGNATURE_LEVELS } from './levels.ts';

export const AUDIT_EVENTS = ['ready', 'scroll', 'field_change', 'submit'] as const;
/** What a certification permits afterwards: DocMDP 1, 2, 3 (ISO 32000-2, table 257). */
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
});
export type SignerIdentity = z.infer<typeof signerIdentity>;

/** Who signs with what. Certificates are DER in base64, the signer's own first. */
export const signingKey = z.discriminatedUnion('kind', [
  /** `apiKey` is the id of the API key that asks for it. */
  z.object({ kind: z.literal('profile'), profile: z.string(), apiKey: z.string() }),
  /** A caller's key, sealed for the signer: the JSON of a `callerKey`. */
  z.object({ kind: z.literal('sealed'), box: z.string() }),
  /** In two steps: without `signature` the answer says what is to be signed. */
  z.object({
    kind: z.literal('external'),
    certificates: z.array(z.string()).min(1),
    algorithm: z.enum(['rsa', 'rsa-pss', 'ecdsa']),
    hash: z.enum(['sha256', 'sha384', 'sha512']),
    signature: z.string().optional(),
  }),
]);
export type SigningKey = z.infer<typeof signingKey>;

/** A key that a caller sends with the request. Never in a queue but sealed, never in a log. */
export const callerKey = z.discriminatedUnion('kind', [
  /** `base64` is a PKCS #12 file. */
  z.object({ kind: z.literal('p12'), base64: z.string(), password: z.string() }),
  /** PEM texts; `certificates` may hold several, the signer's own first. */
  z.object({
    kind: z.literal('pem'),
    privateKey: z.string(),
    certificates: z.string(),
    password: z.string().optional(),
  }),
]);
export type CallerKey = z.infer<typeof callerKey>;

/** What people see of a signature. */
export const appearance = z.object({
  /** From 1. */
  page: z.number().int().positive(),
  /** Points from the lower left corner of the page as it is shown. */
  rectangle: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  text: z.string().optional(),
  /** Lies in the blob of images; PNG or JPEG. */
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

/** What a worker is to do with a document; the caller's request, validated. */
export const signing = z.object({
  key: signingKey,
  level: z.enum(SIGNATURE_LEVELS),
  signer: signerIdentity.optional(),
  auditTrail: z.array(auditEvent).optional(),
  eventId: z.string().optional(),
  /** Any JSON object; part of the audit trail. */
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** Whether the audit trail becomes pages of the document too, beside its JSON. */
  hasAuditPages: z.boolean(),
  certify: z.enum(CERTIFICATIONS).optional(),
  lockFields: fieldLock.optional(),
  /** Name of an empty signature field, or of the one to be made. */
  field: z.string().optional(),
  appearance: appearance.optional(),
  reason: z.string().optional(),
  location: z.string().optional(),
  timestampProfile: z.string().optional(),
  /** Sign although an earlier signature does not hold. */
  allowBrokenSignatures: z.boolean(),
});
export type Signing = z.infer<typeof signing>;

const certificateSummary = z.object({
  subject: z.string(),
  issuer: z.string(),
  serialNumber: z.string().describe('Hexadecimal'),
  notAfter: z.string().describe('ISO 8601'),
  sha256: z.string().describe('SHA-256 of the certificate, hexadecimal'),
});

/** What a signature came to be. */
export const madeSignature = z.object({
  id: z.string().describe('SHA-256 of the signature value, hexadecimal'),
  fieldName: z
    .string()
    .optional()
    .describe('The signature field; in a DOCX the part that holds the signature'),
  level: z.enum(SIGNATURE_LEVELS),
  digestAlgorithm: z.string().describe('Such as `SHA-256`'),
  signatureAlgorithm: z.string().describe('Such as `RSA-PKCS1-v1_5`, `RSA-PSS`, `ECDSA`'),
  signingTime: z.string().describe('As claimed, ISO 8601'),
  timestampTime: z.string().optional().describe('As a time-stamping authority says, ISO 8601'),
  certificate: certificateSummary,
  byteRange: z.array(z.number().int()).length(4).optional().describe('Of a PDF: what the signature covers'),
});
export type MadeSignature = z.infer<typeof madeSignature>;

export const toBeSigned = z.object({
  base64: z.string().describe('The bytes that the holder of the key signs (hash and sign), in base64'),
  digest: z.string().describe('Their digest by `hashAlgorithm`, hexadecimal'),
  hashAlgorithm: z.string().describe('Such as `SHA-256`'),
  signatureAlgorithm: z.string().describe('Such as `RSA-PKCS1-v1_5`, `RSA-PSS`, `ECDSA`'),
});
export type ToBeSigned = z.infer<typeof toBeSigned>;

const sealedEntry = z.object({
  type: z.enum([...AUDIT_EVENTS, 'document']),
  timestamp: z.string(),
  data: z.unknown().optional(),
  hash: z.string().describe('SHA-256 of the hash before and the JCS form of the entry, hexadecimal'),
});
export const auditReply = z.object({
  id: z.string(),
  hash: z.string().describe('The last hash of the chain'),
  entries: z.array(sealedEntry),
  inputSha256: z.string().describe('SHA-256 of the document as it came: where the chain begins'),
  documentSha256: z.string().describe('SHA-256 of the document as it is returned'),
  embedded: z.boolean().describe('False where the document was signed before: it takes no page or file more'),
});
export type AuditReply = z.infer<typeof auditReply>;

const warning = z.object({ code: z.string(), message: z.string() });
export type SignWarning = z.infer<typeof warning>;

/** What `POST /v1/sign` answers beside the document. */
export const signReply = z.object({
  signature: madeSignature.optional(),
  toBeSigned: toBeSigned.optional(),
  auditTrail: auditReply.optional(),
  warnings: z.array(warning),
});
export type SignReply = z.infer<typeof signReply>;
