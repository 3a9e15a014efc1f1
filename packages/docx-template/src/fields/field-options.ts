import { z } from 'zod';
import { xmlText } from '../xml-text.ts';

const PIXELS_MAX = 99_999;
const LABEL_CHARS_MAX = 1_000;

const PIXELS_ISSUE = `must be pixels, from 1 to ${PIXELS_MAX}, as a number or a string of digits`;
const COLOUR_ISSUE = 'must be a colour such as `#1a2b3c` or `#abc`';

const pixels = z.union(
  [
    z
      .string()
      .regex(/^[1-9]\d{0,4}$/, PIXELS_ISSUE)
      .transform(Number),
    z.number().min(1, PIXELS_ISSUE).max(PIXELS_MAX, PIXELS_ISSUE),
  ],
  { error: PIXELS_ISSUE },
);

/** As `#rrggbb` in lower case. */
const colour = z
  .string()
  .regex(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, COLOUR_ISSUE)
  .transform((text) => {
    const digits = text.slice(1).toLowerCase();
    return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`;
  })
  .describe('`#rrggbb` or `#rgb`');

const dimensions = z
  .strictObject({ width: pixels.optional(), height: pixels.optional() })
  .describe(
    'Size of the whole in pixels of 1/96 inch, as strings or numbers; of one alone, the other follows by the ratio; ' +
      'without, the natural size, scaled down to the cell, column, text box or page',
  );

const isKept = (what: string) => z.boolean().default(true).describe(what);

const part = { color: colour.optional() };
const label = xmlText.refine((text) => text.length <= LABEL_CHARS_MAX, {
  error: `may have at most ${LABEL_CHARS_MAX} characters`,
});

/** The options of a field of one type: another type's are told from unknown ones by their text. */
const optionsOf = <Shape extends z.ZodRawShape>(type: string, shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `is not an option of a field of type \`${type}\`` : undefined,
  });

export const textOptions = optionsOf('text', {
  keepTextNodeStyles: isKept('Keep the text styles of the template'),
}).prefault({});

export const tableOptions = optionsOf('table', {
  copyRowStyle: isKept('Copy the styles of the template row to the rows that are filled in'),
}).prefault({});

export const imageOptions = optionsOf('image', { dimensions: dimensions.optional() }).prefault({});

export const signatureOptions = optionsOf('signature', {
  dimensions: dimensions.optional(),
  arcElement: z.strictObject(part).optional().describe('Draws an arc beside the signature; black by default'),
  topLabel: z.strictObject(part).optional().describe('Draws “Signed by:” above it'),
  bottomLabel: z
    .strictObject({ ...part, text: label.optional() })
    .optional()
    .describe('Draws a label below it; without `text`, a short id of the image'),
}).prefault({});
