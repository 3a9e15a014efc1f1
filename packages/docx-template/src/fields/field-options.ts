import { z } from 'zod';

const PIXELS_MAX = 99_999;

const PIXELS_ISSUE = `must be pixels, from 1 to ${PIXELS_MAX}, as a number or its text`;
const COLOR_ISSUE = 'must be a color such as `#1a2b3c` or `#abc`';

/** The issue text for a value of the wrong type. A missing value keeps the usual text. */
export const wrongKind = (message: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is required' : message),
});

const pixels = z.union(
  [
    z
      .string()
      .regex(/^(?=0*[1-9]\d{0,4}(?:\.|$))\d{1,10}(?:\.\d{1,20})?$/, PIXELS_ISSUE)
      .transform(Number),
    z.number().min(1, PIXELS_ISSUE).max(PIXELS_MAX, PIXELS_ISSUE),
  ],
  { error: PIXELS_ISSUE },
);

/** As `#rrggbb` in lower case. */
export const color = z
  .string()
  .regex(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, COLOR_ISSUE)
  .meta({ examples: ['#1a73e8', '#ABC'] })
  .transform((text) => {
    const digits = text.slice(1).toLowerCase();
    return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`;
  })
  .describe('`#rrggbb` or `#rgb`');

/** Pixels of 1/96 inch. */
export const dimensions = z
  .strictObject({ width: pixels.optional(), height: pixels.optional() })
  .describe(
    'Total size in pixels of 1/96 inch, as strings or numbers. If only one is given, the ratio determines the other. ' +
      'If none is given, the natural size, scaled down to the cell, column, text box or page',
  );
export type Dimensions = z.output<typeof dimensions>;

/** An option that defaults to true. */
export const switchedOn = (description: string) => z.boolean().default(true).describe(description);

/** The options of a field of one type. Options of other types and unknown ones get the same issue text. */
export const optionsOf = <Shape extends z.ZodRawShape>(type: string, shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `is not an option of a field of type \`${type}\`` : undefined,
  });
