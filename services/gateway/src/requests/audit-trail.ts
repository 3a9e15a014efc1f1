import { xmlTextOf } from '@scriptorium/docx-template/fields';
import { AppError } from '@scriptorium/shared/errors';
import { AUDIT_EVENTS } from '@scriptorium/signatures/sign-request';
import { z } from 'zod';
import { listOf } from './bounded-list.ts';
import { jsonValue } from './json-value.ts';

export const AUDIT_EVENTS_MAX = 1_000;
export const EVENT_DATA_BYTES_MAX = 64 * 1024;
/** Of all events together: they come back in the answer, and lie in the document. */
export const AUDIT_TRAIL_BYTES_MAX = 4 * 1024 * 1024;
const EMAIL_CHARS_MAX = 255;
/** One at sign, something on both sides, and nothing that ends an address elsewhere. */
const EMAIL = /^[^\s@"<>,;]{1,128}@[^\s@"<>,;]{1,253}$/;

/** Who signs, as the caller knows him. */
export const signer = z.strictObject({
  name: xmlTextOf(2, 255).meta({ description: 'The name, 2 to 255 characters', examples: ['Ada Lovelace'] }),
  email: xmlTextOf(3, EMAIL_CHARS_MAX)
    .refine((text) => text.length > EMAIL_CHARS_MAX || EMAIL.test(text), 'must be an e-mail address')
    .meta({ description: 'The e-mail address', examples: ['ada@example.com'] }),
  ip: xmlTextOf(0, 255).optional().describe('Address that he signed from, as the caller saw it'),
  userAgent: xmlTextOf(0, 2_048).optional().describe('Program that he signed with, as it named itself'),
});

const auditEvent = z.strictObject({
  type: z.enum(AUDIT_EVENTS),
  timestamp: z.iso
    .datetime({
      offset: true,
      error: ({ input }) =>
        input === undefined
          ? 'is required'
          : 'must be an ISO 8601 time with its offset, such as `2026-05-01T12:00:00Z`',
    })
    .max(64)
    .meta({ description: 'When it happened: ISO 8601 with `Z` or an offset' }),
  data: jsonValue(EVENT_DATA_BYTES_MAX).optional().describe('Any JSON, at most 64 KiB'),
});

/** What happened until the document was signed, in its order. */
export const auditTrail = listOf(auditEvent, AUDIT_EVENTS_MAX).superRefine((events, context) => {
  let bytes = 0;
  for (const event of events) bytes += JSON.stringify(event).length;
  if (bytes > AUDIT_TRAIL_BYTES_MAX)
    context.addIssue({
      code: 'custom',
      message: `may have at most ${AUDIT_TRAIL_BYTES_MAX} bytes as JSON, all events together`,
    });
});

/** Throws UNPROCESSABLE for events of which none is the signer's consent. */
export function requireSubmit(events: z.output<typeof auditTrail> | undefined): void {
  if (events === undefined || events.some(({ type }) => type === 'submit')) return;
  throw new AppError('UNPROCESSABLE', 'The audit trail has no event of type `submit`: nobody has signed.', {
    details: [{ field: 'auditTrail', issue: 'needs an event of type `submit`' }],
  });
}
