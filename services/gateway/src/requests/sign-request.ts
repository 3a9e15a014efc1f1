import { xmlTextOf } from '@scriptorium/docx-template/fields';
import { SIGNATURE_LEVELS } from '@scriptorium/signatures/levels';
import { CERTIFICATIONS } from '@scriptorium/signatures/sign-request';
import { z } from 'zod';
import { auditTrail, signer } from './audit-trail.ts';
import { listOf } from './bounded-list.ts';
import { documentSource } from './document-source.ts';
import { jsonObject } from './json-value.ts';
import { keySource, profileName } from './key-source.ts';

const METADATA_BYTES_MAX = 64 * 1024;
const LOCKED_FIELDS_MAX = 1_000;
const PAGE_MAX = 100_000;
/** Largest page of a PDF in its own units (ISO 32000-2, annex C). */
const POINTS_MAX = 14_400;

/** What the query of `POST /v1/sign` may hold. */
export const signQuery = z.strictObject({
  to: z.enum(['pdf']).optional().describe('Convert a DOCX to PDF first, and sign that'),
});

const fieldName = xmlTextOf(1, 255);
const points = (min: number) => z.number().min(min).max(POINTS_MAX);

const appearance = z.strictObject({
  page: z.int().min(1).max(PAGE_MAX).describe('From 1'),
  rectangle: z
    .strictObject({ x: points(0), y: points(0), width: points(1), height: points(1) })
    .describe('Points from the lower left corner of the page as it is shown'),
  text: xmlTextOf(1, 2_000).optional().describe('By default who signed, and when'),
  image: z
    .string()
    .optional()
    .describe('PNG or JPEG: a data URI `data:image/<format>;base64,…` or a public http(s) address'),
});

const lockFields = z
  .strictObject({
    all: z.literal(true).optional(),
    include: listOf(fieldName, LOCKED_FIELDS_MAX).optional().describe('These fields'),
    exclude: listOf(fieldName, LOCKED_FIELDS_MAX).optional().describe('All fields but these'),
  })
  .refine((lock) => Object.values(lock).filter((value) => value !== undefined).length === 1, {
    error: 'must hold exactly one of `all`, `include` and `exclude`',
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .meta({
    description:
      'Form fields that nobody may change from then on: exactly one of `all`, `include` and `exclude`',
    oneOf: ['all', 'include', 'exclude'].map((name) => ({ required: [name] })),
  });

const isObject = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

/** With a key of his own, the caller answers for who signed. */
function isCallersKey(key: unknown): boolean {
  return typeof key === 'object' && key !== null && ['p12', 'pem', 'external'].some((kind) => kind in key);
}
const needed = (name: 'signer' | 'auditTrail') => ({ path: [name], error: 'is required', when: isObject });

/** The body of `POST /v1/sign`. */
export const signRequestBody = z
  .strictObject({
    document: documentSource,
    signer: signer.optional().describe('Who signs; needed unless `key` is the caller’s own'),
    auditTrail: auditTrail
      .optional()
      .describe(
        'What happened until then, with at least one `submit`; needed unless `key` is the caller’s own',
      ),
    eventId: xmlTextOf(1, 255).optional().describe('The caller’s name for this signing'),
    metadata: jsonObject(METADATA_BYTES_MAX)
      .optional()
      .describe('Anything to be kept with the audit trail, at most 64 KiB of JSON'),
    certificate: z
      .strictObject({ enabled: z.boolean().default(true) })
      .optional()
      .describe('Whether the audit trail becomes pages of the document too'),
    key: keySource.optional().describe('By default the service’s own key'),
    level: z.enum(SIGNATURE_LEVELS).default('B-B').describe('PAdES or XAdES baseline level'),
    certify: z.enum(CERTIFICATIONS).optional().describe('Certify the PDF, and permit this from then on'),
    lockFields: lockFields.optional(),
    field: fieldName.optional().describe('An empty signature field, or the name of the one to be made'),
    appearance: appearance.optional().describe('What people see of the signature; nothing by default'),
    reason: xmlTextOf(1, 1_000).optional(),
    location: xmlTextOf(1, 1_000).optional(),
    timestamp: z
      .strictObject({ profile: profileName.describe('A time-stamping authority that is configured') })
      .optional(),
    allowBrokenSignatures: z
      .boolean()
      .default(false)
      .describe('Sign although an earlier signature does not hold'),
  })
  .refine(({ key, signer }) => isCallersKey(key) || signer !== undefined, needed('signer'))
  .refine(({ key, auditTrail }) => isCallersKey(key) || auditTrail !== undefined, needed('auditTrail'))
  .meta({
    examples: [
      {
        document: { base64: 'JVBERi0…' },
        signer: { name: 'Ada Lovelace', email: 'ada@example.com', ip: '203.0.113.7' },
        auditTrail: [
          { type: 'ready', timestamp: '2026-05-01T11:58:02Z' },
          { type: 'field_change', timestamp: '2026-05-01T11:59:10Z', data: { field: 'terms', value: true } },
          { type: 'submit', timestamp: '2026-05-01T12:00:00Z' },
        ],
        eventId: 'order-1842',
      },
    ],
  });
export type SignRequestBody = z.output<typeof signRequestBody>;
