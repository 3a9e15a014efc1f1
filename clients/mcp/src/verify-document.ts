import { VERIFY_OPTIONS } from '@scriptorium/client/options';
import { z } from 'zod';
import { fileOf, inputsOf, path, tool } from './define.ts';

/** A model reads each picture: the service gives more, of 6 MiB in all. */
const PICTURES_MAX = 6;
const CHANGES_MAX = 30;

export const verifyDocument = tool({
  name: 'verify_document',
  title: 'Verify signatures',
  description:
    'Verifies the signatures of a PDF or DOCX. Only the verdict `valid` means that all is well; `reason` says what is not. ' +
    `\`changes\` says what came after a signature. \`pictures\` adds pictures of up to ${PICTURES_MAX} pages that changed, named by \`shown\``,
  input: z.object({
    input: path('The PDF or DOCX'),
    trust: z.string().optional().describe('A trust profile; `service` trusts the key of the service'),
    ...inputsOf(VERIFY_OPTIONS),
  }),
  output: z.looseObject({
    verdict: z.string(),
    valid: z.boolean(),
    signatures: z.array(z.looseObject({ id: z.string() })),
  }),
  writes: false,
  async run({ input, trust: profile, ...options }, context) {
    const { client, signal } = context;
    const file = await fileOf(input, context);
    const anchors = profile === undefined ? {} : { trust: { profile } };
    const report = await client.verify(file, { ...options, ...anchors, signal });
    const { verdict, valid, reason, integrity, trust, time, documentModified, signatures } = report;
    const list = signatures.map(
      ({ id, format, level, indication, signer, claimedSigningTime, reasons, modifications }) => ({
        ...{ id, format, level, indication, signer: signer?.commonName, claimedSigningTime, reasons },
        changes: [...new Set(modifications.map((change) => `${change.level}: ${change.message}`))].slice(
          0,
          CHANGES_MAX,
        ),
      }),
    );
    const pictures = (report.pictures ?? []).slice(0, PICTURES_MAX);
    const shown = pictures.map(
      ({ page, revision, reader }) => `page ${page} in revision ${revision} by ${reader}`,
    );
    const facts = { verdict, valid, reason, integrity, trust, time, documentModified, signatures: list };
    return {
      facts: { ...facts, ...(shown.length > 0 && { shown }) },
      pictures: pictures.map(({ base64 }) => Buffer.from(base64.replace(/^.*,/, ''), 'base64')),
    };
  },
});
