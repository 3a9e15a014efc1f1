import { AppError } from '@scriptorium/contracts/errors';
import { xmlTextOf } from '@scriptorium/docx-template/fields';
import { AUDIT_EVENTS } from '@scriptorium/signatures/sign-request';
import { z } from 'zod';
import { listOf } from './bounded-list.ts';
import { jsonValue } from './json-value.ts';

export const AUDIT_EVENTS_MAX = 1_000;
export const EVENT_DATA_BYTES_MAX = 64 * 1024;
/** Limit of all events together: the answer and the document contain them. */
export const AUDIT_TRAIL_BYTES_MAX = 4 * 1024 * 1024;
const EMAIL_CHARS_MAX = 255;
/** One at sign, text on both sides, and no characters that delimit addresses. */
const EMAIL = /^[^\s@"<>,;]{1,128}@[^\s@"<>,;]{1,253}$/;

const timeWithOffset = z.iso
  .datetime({
    offset: true,
    error: ({ input }) =>
      input === undefined
        ? 'is required'
        : 'must be an ISO 8601 time with its offset, such as `2026-05-01T12:00:00Z`',
  })
  .max(64);

/** The signer, as identified by the caller. */
export const signer = z
  .strictObject({
    name: xmlTextOf(2, 255).meta({
      description: 'The name, 2 to 255 characters',
      examples: ['Ada Lovelace'],
    }),
    email: xmlTextOf(3, EMAIL_CHARS_MAX)
      .refine((text) => text.length > EMAIL_CHARS_MAX || EMAIL.test(text), 'must be an e-mail address')
      .meta({ description: 'The e-mail address', examples: ['ada@example.com'] }),
    ip: xmlTextOf(0, 255).optional().describe('IP address of the signer, as seen by the caller'),
    userAgent: xmlTextOf(0, 2_048).optional().describe('User agent of the signer'),
    authentication: xmlTextOf(1, 255)
      .optional()
      .meta({ description: 'How you made sure who signs', examples: ['Code by e-mail'] }),
    consent: xmlTextOf(1, 1_000).optional().describe('What the signer agreed to'),
    sentAt: timeWithOffset.optional().describe('When you sent the document to the signer'),
    viewedAt: timeWithOffset.optional().describe('When the signer opened it'),
    signedAt: timeWithOffset.optional().describe('When the signer agreed'),
  })
  .meta({ id: 'Signer' });

const auditEvent = z
  .strictObject({
    type: z.enum(AUDIT_EVENTS),
    timestamp: timeWithOffset.meta({ description: 'Time of the event: ISO 8601 with `Z` or an offset' }),
    data: jsonValue(EVENT_DATA_BYTES_MAX).optional().describe('Any JSON value, at most 64 KiB'),
  })
  .meta({ id: 'AuditEvent' });

/** The events up to the signature, in order. */
export const auditTrail = listOf(auditEvent, AUDIT_EVENTS_MAX).superRefine((events, context) => {
  let bytes = 0;
  for (const event of events) bytes += JSON.stringify(event).length;
  if (bytes > AUDIT_TRAIL_BYTES_MAX)
    context.addIssue({
      code: 'custom',
      message: `must have at most ${AUDIT_TRAIL_BYTES_MAX} bytes of JSON in total`,
    });
});

/** Throws UNPROCESSABLE if no event records the consent of the signer. */
export function requireSubmit(events: z.output<typeof auditTrail> | undefined): void {
  if (events === undefined || events.some(({ type }) => type === 'submit')) return;
  throw new AppError('UNPROCESSABLE', 'The audit trail has no event of type `submit`.', {
    details: [{ field: 'auditTrail', issue: 'must have an event of type `submit`' }],
  });
}
