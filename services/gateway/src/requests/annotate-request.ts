import { type RequestedField, requestedField } from '@scriptorium/docx-template/fields/requested-field';
import { z } from 'zod';
import { documentSource } from './document-source.ts';

const FIELDS_MAX = 2_000;
const TABLE_CELLS_MAX = 100_000;

const switchedOn = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

/** What the query of `POST /v1/annotate` may hold. */
export const annotateQuery = z.strictObject({
  to: z.enum(['docx', 'pdf']).default('docx').describe('Format of the result'),
  onMissing: z
    .enum(['ignore', 'error'])
    .default('ignore')
    .describe(
      'What an `id` or `group` that matches nothing in the template does: count, or refuse the request',
    ),
  flatten: switchedOn.describe('Take away the content controls around what they hold'),
});

/** The body of `POST /v1/annotate`. */
export const annotateRequest = z
  .strictObject({
    document: documentSource,
    fields: z
      .array(requestedField)
      .max(FIELDS_MAX, `may have at most ${FIELDS_MAX} entries`)
      .refine((fields) => countCells(fields) <= TABLE_CELLS_MAX, {
        error: `may have at most ${TABLE_CELLS_MAX} table cells in all`,
      })
      .describe('What to fill in'),
  })
  .meta({
    examples: [
      {
        document: { base64: 'UEsDBBQ…' },
        fields: [
          { id: 'customer_name', type: 'text', value: 'Ada Lovelace' },
          {
            id: 'logo',
            type: 'image',
            value: 'data:image/png;base64,iVBORw0…',
            options: { dimensions: { width: '120', height: '40' } },
          },
          {
            id: 'signature',
            type: 'signature',
            value: 'https://example.com/signature.png',
            options: {
              arcElement: { color: '#1a73e8' },
              bottomLabel: { color: '#555555', text: 'Ada Lovelace' },
            },
          },
          {
            group: 'line_items',
            type: 'table',
            value: [['Engine', '1', '£ 17,470']],
            options: { copyRowStyle: true },
          },
        ],
      },
    ],
  });
export type AnnotateRequest = z.output<typeof annotateRequest>;

function countCells(fields: RequestedField[]): number {
  let cells = 0;
  for (const field of fields) if (field.type === 'table') for (const row of field.value) cells += row.length;
  return cells;
}
