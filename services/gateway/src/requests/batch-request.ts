import { z } from 'zod';
import { address, put } from '../deferred/fields.ts';
import { content, hasOneContent, instructions } from './generate-request.ts';

/** Rows of a JSON body. A stream of lines may have more. */
export const LISTED_ROWS_MAX = 1_000;
const ID_CHARS_MAX = 200;
const NAME_CHARS_MAX = 255;

/** The forms of the answer. */
export const OUTPUTS = ['ndjson', 'zip', 'pdf'] as const;
export type OutputForm = (typeof OUTPUTS)[number];

/** The query of `POST /v1/batches`. */
export const batchQuery = z.strictObject({
  to: z.enum(['docx', 'pdf']).default('docx').describe('Format of the documents'),
  output: z
    .enum(OUTPUTS)
    .optional()
    .describe(
      '`ndjson`: a line of JSON for each row, as it is ready. `zip`: an archive of the documents. `pdf`: one PDF of all documents, with `to=pdf`. By default what `Accept` selects, otherwise `ndjson`',
    ),
});

const isObject = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

/** One row: what fills the template, and names for the caller. */
export const batchRow = z
  .strictObject({
    ...content,
    id: z
      .union([z.string().max(ID_CHARS_MAX, `must have at most ${ID_CHARS_MAX} characters`), z.number()])
      .optional()
      .describe('Repeated in the answer of this row'),
    name: z
      .string()
      .min(1, 'must not be empty')
      .max(NAME_CHARS_MAX, `must have at most ${NAME_CHARS_MAX} characters`)
      .optional()
      .describe('File name in a `zip`, bookmark in a `pdf`'),
    deliver: z
      .strictObject({ put })
      .optional()
      .describe('With `Prefer: respond-async`: where the document of this row goes'),
  })
  .refine(hasOneContent, { error: 'must have exactly one of `data` and `fields`', when: isObject })
  .meta({ id: 'BatchRow', oneOf: [{ required: ['data'] }, { required: ['fields'] }] });
export type BatchRow = z.output<typeof batchRow>;

const options = z
  .strictObject({
    ...instructions.options.unwrap().shape,
    onError: z
      .enum(['continue', 'stop'])
      .optional()
      .describe(
        'What a failed row causes: `continue` with the other rows, or `stop` after those in work. By default `continue`, for one PDF `stop`',
      ),
    order: z
      .enum(['finished', 'input'])
      .default('finished')
      .describe(
        'The order of the answers: as rows finish, or as they were sent. One PDF has the order of the rows',
      ),
  })
  .meta({ id: 'BatchOptions' })
  .prefault({});

const head = z.strictObject({ ...instructions, options });

const noExternalKey = (
  { sign }: Pick<z.output<typeof head>, 'sign'>,
  context: { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void },
): void => {
  if (sign?.key?.external !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['sign', 'key', 'external'],
      message: 'signs one document: use `POST /v1/generate`',
    });
};

/** The first line of a stream: the body of `POST /v1/generate` without what fills the template. */
export const batchHead = head.superRefine(noExternalKey).meta({ id: 'BatchHead' });
export type BatchHead = z.output<typeof batchHead>;

/** The JSON body. Its rows are validated one by one, so that a wrong row fails alone. */
export const batchRequest = z
  .strictObject({
    ...head.shape,
    rows: z
      .array(z.unknown(), {
        error: ({ input }) =>
          input === undefined ? undefined : 'must be an array; an address requires `Prefer: respond-async`',
      })
      .min(1, 'must have at least one entry')
      .max(
        LISTED_ROWS_MAX,
        `must have at most ${LISTED_ROWS_MAX} entries: send more as \`application/x-ndjson\``,
      )
      .meta({ items: { $ref: '#/$defs/BatchRow' } })
      .describe('The rows: objects with `data` or `fields`, and optionally `id` and `name`'),
  })
  .superRefine(noExternalKey)
  .meta({ id: 'BatchRequest' });

/** Rows that the service reads itself: lines of NDJSON. */
export const rowsAddress = z
  .strictObject({
    url: address.describe('Lines of `application/x-ndjson`, without a head. With `Prefer: respond-async`'),
  })
  .meta({ id: 'RowsAddress' });

/** The body of a batch that is answered later, if its rows are at an address. */
export const addressedBatch = z.strictObject({ ...head.shape, rows: rowsAddress }).superRefine(noExternalKey);
