import { z } from 'zod';

/** What trusted lists say about one signature. */
export const qualification = z
  .object({
    result: z
      .enum(['qualified', 'advanced', 'notQualified', 'indeterminate'])
      .describe(
        '`qualified`: a qualified electronic signature, seal or time-stamp. `advanced`: an advanced one that relies on a qualified certificate, without a qualified device. `indeterminate`: the lists or the signature leave a doubt',
      ),
    kind: z
      .enum(['signature', 'seal', 'web', 'timestamp', 'unknown'])
      .describe('What the certificate is for; `web` is for web sites'),
    reason: z.string().describe('One sentence on why'),
    time: z
      .string()
      .describe('The time of signing that counts: the proven time, otherwise the validation time, ISO 8601'),
    isCertificateQualified: z
      .boolean()
      .optional()
      .describe('Whether the certificate was qualified when it was issued, and at the time of signing'),
    isKeyInQualifiedDevice: z.boolean().optional(),
    isTimestampQualified: z
      .boolean()
      .optional()
      .describe(
        'Whether the time-stamp in the signature, which proves its time, is qualified. Absent without one',
      ),
    service: z
      .object({
        provider: z.string(),
        name: z.string(),
        type: z.string().describe('Such as `CA/QC` or `TSA/QTST`'),
        status: z.string().describe('At the time of signing, such as `granted`'),
        since: z.string().describe('When this status began, ISO 8601'),
        list: z.object({
          territory: z.string(),
          sequenceNumber: z.number().int(),
          issued: z.string().describe('ISO 8601'),
          nextUpdate: z.string().optional().describe('ISO 8601'),
        }),
      })
      .optional()
      .describe('The service of a trusted list that decided'),
  })
  .meta({ id: 'Qualification' })
  .describe('What the trusted lists of the European Union say (ETSI TS 119 615)');
export type Qualification = z.infer<typeof qualification>;
