import { z } from 'zod';
import { textIssue, xmlText } from '../xml-text.ts';
import { imageOptions, signatureOptions, tableOptions, textOptions } from './field-options.ts';

export const TABLE_ROWS_MAX = 10_000;
const NAME_CHARS_MAX = 1_000;
/** Of one table: more would not be shown. */
const DETAILS_MAX = 100;

/** The text of a value of the wrong kind; one that is missing keeps the usual text. */
const wrongKind = (message: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is required' : message),
});

const name = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_CHARS_MAX, `may have at most ${NAME_CHARS_MAX} characters`);
const target = {
  id: name.optional().meta({
    description: 'The field of the template to fill; where a `group` is given too, the id counts',
    examples: ['customer_name'],
  }),
  group: name.optional().describe('Fills every field of this group'),
};

const textValue = z
  .union([xmlText, z.number(), z.boolean()], wrongKind('must be a string, a number or a boolean'))
  .transform(String)
  .describe('The text; numbers and booleans are written out. Line feeds become line breaks');
const imageValue = z
  .string(wrongKind('must be a string: a data URI or an http(s) address'))
  .describe('A data URI `data:image/<format>;base64,…` or a public http(s) address');
const tableValue = z
  .array(z.unknown(), wrongKind('must be an array of rows'))
  .max(TABLE_ROWS_MAX, `may have at most ${TABLE_ROWS_MAX} rows`)
  .superRefine(refuseWrongRows)
  .transform((rows) => rows as string[][])
  .meta({ description: 'Rows of cells', items: { type: 'array', items: { type: 'string' } } });

const needsTarget = {
  error: 'needs an `id` or a `group`',
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
};
const hasTarget = ({ id, group }: { id?: unknown; group?: unknown }) =>
  id !== undefined || group !== undefined;
const documented = { anyOf: [{ required: ['id'] }, { required: ['group'] }] };

const byType = z.discriminatedUnion(
  'type',
  [
    z
      .strictObject({
        ...target,
        type: z.literal('text').default('text'),
        value: textValue,
        options: textOptions,
      })
      .refine(hasTarget, needsTarget)
      .meta({ title: 'Text', ...documented }),
    z
      .strictObject({ ...target, type: z.literal('image'), value: imageValue, options: imageOptions })
      .refine(hasTarget, needsTarget)
      .meta({ title: 'Image', ...documented }),
    z
      .strictObject({ ...target, type: z.literal('signature'), value: imageValue, options: signatureOptions })
      .refine(hasTarget, needsTarget)
      .meta({ title: 'Signature', ...documented }),
    z
      .strictObject({ ...target, type: z.literal('table'), value: tableValue, options: tableOptions })
      .refine(hasTarget, needsTarget)
      .meta({ title: 'Table', ...documented }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? 'must be one of `text`, `image`, `signature` and `table`' : undefined,
  },
);

/** By hand: the issues of a schema a cell would hold up the process for half a second where all cells are wrong. */
function refuseWrongRows(rows: unknown[], context: z.RefinementCtx): void {
  let issues = 0;
  const refuse = (message: string, ...path: number[]): void => {
    issues += 1;
    context.addIssue({ code: 'custom', path, message });
  };
  for (const [at, row] of rows.entries()) {
    if (!Array.isArray(row)) refuse('must be an array of cells', at);
    else
      for (const [column, cell] of row.entries()) {
        const issue = typeof cell === 'string' ? textIssue(cell) : 'must be a string';
        if (issue !== null) refuse(issue, at, column);
        if (issues >= DETAILS_MAX) return;
      }
    if (issues >= DETAILS_MAX) return;
  }
}

/** One entry of `fields`. Clients leave the type out, or call a table a text: the value tells. */
export const requestedField = z.preprocess(withType, byType);
export type RequestedField = z.output<typeof byType>;

function withType(field: unknown): unknown {
  if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
  const { type = 'text', value } = field as { type?: unknown; value?: unknown };
  return { ...field, type: type === 'text' && Array.isArray(value) ? 'table' : type };
}
