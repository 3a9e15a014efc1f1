import { generation } from '@scriptorium/docx-generate/generation';
import { xmlTextOf } from '@scriptorium/docx-template/fields';
import { SIGNATURE_LEVELS } from '@scriptorium/signatures/levels';
import { CERTIFICATIONS, HASHES } from '@scriptorium/signatures/sign-request';
import { z } from 'zod';
import { auditTrail, signer } from './audit-trail.ts';
import { listOf } from './bounded-list.ts';
import { documentPassword } from './document-password.ts';
import { documentSource } from './document-source.ts';
import { jsonObject } from './json-value.ts';
import { keySource, profileName } from './key-source.ts';

const METADATA_BYTES_MAX = 64 * 1024;
const LOCKED_FIELDS_MAX = 1_000;
const PAGE_MAX = 100_000;
/** Largest page of a PDF in default user space units (ISO 32000-2, annex C). */
const POINTS_MAX = 14_400;

/** The query of `POST /v1/sign`. */
export const signQuery = z.strictObject({
  to: z.enum(['pdf']).optional().describe('Convert a DOCX to PDF and sign the PDF'),
});

const fieldName = xmlTextOf(1, 255);
const timeZone = generation.shape.timeZone.unwrap();
const points = (min: number) => z.number().min(min).max(POINTS_MAX);

const appearanceShape = {
  page: z
    .int()
    .min(1)
    .max(PAGE_MAX)
    .optional()
    .describe('Page number, starting at 1. Required for a new field; an existing field has its own place'),
  rectangle: z
    .strictObject({ x: points(0), y: points(0), width: points(1), height: points(1) })
    .optional()
    .describe('Points from the lower left corner of the page as displayed. Required with `page`'),
  text: xmlTextOf(1, 2_000).optional().describe('By default the name of the signer and the time'),
  image: z
    .string()
    .optional()
    .describe('PNG or JPEG: a data URI `data:image/<format>;base64,…` or a public http(s) URL'),
};
const appearance = z
  .strictObject(appearanceShape)
  .refine(({ page, rectangle }) => (page === undefined) === (rectangle === undefined), {
    path: ['rectangle'],
    error: 'is required with `page`, and requires it',
  })
  .meta({ id: 'SignatureAppearance' });

const lockFields = z
  .strictObject({
    all: z.literal(true).optional(),
    include: listOf(fieldName, LOCKED_FIELDS_MAX).optional().describe('Lock these fields'),
    exclude: listOf(fieldName, LOCKED_FIELDS_MAX).optional().describe('Lock all fields except these'),
  })
  .refine((lock) => Object.values(lock).filter((value) => value !== undefined).length === 1, {
    error: 'must have exactly one of `all`, `include` and `exclude`',
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .meta({
    id: 'FieldLock',
    description:
      'Form fields that must not change after the signature: exactly one of `all`, `include` and `exclude`',
    oneOf: ['all', 'include', 'exclude'].map((name) => ({ required: [name] })),
  });

const isObject = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

/** With their own key, the caller is responsible for the identity of the signer. */
function isCallersKey(key: unknown): boolean {
  return typeof key === 'object' && key !== null && ['p12', 'pem', 'external'].some((kind) => kind in key);
}
const required = (name: 'signer' | 'auditTrail') => ({ path: [name], error: 'is required', when: isObject });

/** What one signature has of its own. */
const ownOptions = {
  certify: z.enum(CERTIFICATIONS).optional().describe('Certify the PDF and permit only these later changes'),
  lockFields: lockFields.optional(),
  appearance: appearance
    .optional()
    .describe('Visible appearance of the signature. By default the signature is invisible'),
  reason: xmlTextOf(1, 1_000).optional().describe('Why the signer signs'),
  location: xmlTextOf(1, 1_000).optional().describe('Where the signer signs'),
  text: xmlTextOf(1, 1_000).optional().describe('Text for the field `text:ROLE` of the signer'),
  timestamp: z
    .strictObject({ profile: profileName.describe('Name of a configured time-stamping authority') })
    .optional(),
};

const oneOfSeveral = z
  .strictObject({
    field: fieldName.optional().describe('Name of an empty signature field. By default a new field'),
    signer: signer.optional().describe('By default that of the request'),
    key: keySource.optional().describe('By default that of the request. `external` is not possible'),
    level: z.enum(SIGNATURE_LEVELS).optional().describe('By default that of the request'),
    ...ownOptions,
  })
  .meta({ id: 'OneSignature', description: 'One of several signatures of a request' });

const SIGNATURES_MAX = 20;
/** What `signatures` has for each signature, and the request then has not. */
const ONLY_IN_SIGNATURES = ['certify', 'lockFields', 'field', 'appearance', 'text'] as const;

/** Whether a lock covers a field, or a new one if it has no name. */
function locks(lock: z.output<typeof lockFields> | undefined, field: string | undefined): boolean {
  if (lock === undefined || lock.all) return lock !== undefined;
  const isIn = (names: readonly string[]) => field !== undefined && names.includes(field);
  return lock.include === undefined ? !isIn(lock.exclude ?? []) : isIn(lock.include);
}

const signatures = listOf(oneOfSeveral, SIGNATURES_MAX).superRefine((all, context) => {
  const refuse = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  for (const [index, { field, certify, key, lockFields }] of all.entries()) {
    const before = field === undefined ? -1 : all.findIndex((other) => other.field === field);
    if (before !== -1 && before < index)
      refuse([index, 'field'], `is the field of \`signatures[${before}]\``);
    if (certify !== undefined && index > 0) refuse([index, 'certify'], 'is only for the first signature');
    if (certify === 'noChanges' && all.length > 1) refuse([index, 'certify'], 'permits no further signature');
    const locked = all.findIndex((later, at) => at > index && locks(lockFields, later.field));
    if (locked !== -1) refuse([index, 'lockFields'], `locks the field of \`signatures[${locked}]\``);
    if (key?.external !== undefined)
      refuse([index, 'key', 'external'], 'is not for one of several signatures: sign in a call of its own');
  }
});

/** How to sign, apart from the document. */
const instructions = {
  signer: signer.optional().describe('The signer. Required unless `key` is a key of the caller'),
  auditTrail: auditTrail
    .optional()
    .describe(
      'The events up to the signature, with at least one `submit`. Required unless `key` is a key of the caller',
    ),
  eventId: xmlTextOf(1, 255).optional().describe('Identifier of the caller for this signature'),
  metadata: jsonObject(METADATA_BYTES_MAX)
    .optional()
    .describe('Additional data for the audit trail, at most 64 KiB of JSON'),
  certificate: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Whether there are pages, besides the embedded file'),
      documentName: xmlTextOf(1, 255).optional().describe('Name of the document, for the audit trail'),
    })
    .optional()
    .describe('The pages that show the audit trail, the last ones of a PDF'),
  key: keySource.optional().describe('The signing key. By default the key of the service'),
  level: z.enum(SIGNATURE_LEVELS).default('B-B').describe('PAdES or XAdES baseline level'),
  field: fieldName.optional().describe('Name of an empty signature field, or of the field to create'),
  ...ownOptions,
  signatures: signatures
    .optional()
    .describe(
      'Several signatures, made in order, each in a revision of its own. `signer`, `key`, `level`, `reason`, `location` and `timestamp` of the request are for those that have none',
    ),
  locale: generation.shape.locale.describe(
    'Language of the date in a field `date:ROLE` (BCP 47). By default that of the document',
  ),
  timeZone: timeZone
    .optional()
    .describe('Time zone of that date and of the audit pages (IANA). By default UTC'),
  allowBrokenSignatures: z.boolean().default(false).describe('Sign even if an earlier signature is invalid'),
};

interface Instructions {
  key?: unknown;
  signer?: unknown;
  auditTrail?: unknown;
  signatures?: readonly { key?: unknown; signer?: unknown }[] | undefined;
}

const keysOf = ({ key, signatures }: Instructions): unknown[] =>
  signatures?.map((one) => one.key ?? key) ?? [key];

const hasSigner = ({ key, signer, signatures }: Instructions) =>
  signer !== undefined ||
  (signatures?.every((one) => one.signer !== undefined || isCallersKey(one.key ?? key)) ?? isCallersKey(key));
const hasTrail = (request: Instructions) =>
  request.auditTrail !== undefined || keysOf(request).every(isCallersKey);

function requireOneWay<Body extends { signatures?: unknown; key?: { external?: unknown } | undefined }>(
  request: Body,
  context: z.core.$RefinementCtx<Body>,
): void {
  if (request.signatures === undefined) return;
  const given = ONLY_IN_SIGNATURES.filter((name) => request[name as keyof Body] !== undefined);
  for (const name of given)
    context.addIssue({ code: 'custom', path: [name], message: 'belongs in `signatures`' });
  if (request.key?.external !== undefined)
    context.addIssue({ code: 'custom', path: ['key', 'external'], message: 'is not for several signatures' });
}

/** The body of `POST /v1/sign` without a document, for a document that the service makes. It has no password. */
export const signInstructions = z
  .strictObject(instructions)
  .refine(hasSigner, required('signer'))
  .refine(hasTrail, required('auditTrail'))
  .superRefine(requireOneWay)
  .meta({ id: 'SignInstructions' });
export type SignInstructions = z.output<typeof signInstructions>;

/** The body of `POST /v1/sign`. */
export const signRequestBody = z
  .strictObject({ document: documentSource, password: documentPassword, ...instructions })
  .refine(hasSigner, required('signer'))
  .refine(hasTrail, required('auditTrail'))
  .superRefine(requireOneWay)
  .meta({ id: 'SignRequest' });

const DIGEST_DIGITS = { sha256: 64, sha384: 96, sha512: 128 };

/** The body of `POST /v1/sign/digest`. */
export const signDigestBody = z
  .strictObject({
    digest: z
      .string()
      .max(128, 'must have at most 128 digits')
      .meta({ description: 'Digest of the bytes that the signature covers, hexadecimal' }),
    hash: z.enum(HASHES).default('sha256').describe('Hash of the digest, by which the key signs'),
    key: keySource
      .optional()
      .describe('The signing key. By default the key of the service. `external` is not possible'),
    level: z.enum(['B-B', 'B-T']).default('B-B').describe('Higher levels need the document'),
    timestamp: ownOptions.timestamp,
  })
  .superRefine(({ digest, hash, key }, context) => {
    const digits = DIGEST_DIGITS[hash];
    if (digest.length !== digits || !/^[0-9a-f]+$/i.test(digest))
      context.addIssue({
        code: 'custom',
        path: ['digest'],
        message: `must be ${digits} hexadecimal digits, as of ${hash}`,
      });
    if (key?.external !== undefined)
      context.addIssue({ code: 'custom', path: ['key', 'external'], message: 'is not for a digest' });
  })
  .meta({ id: 'SignDigestRequest' });
