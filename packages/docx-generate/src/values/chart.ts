import { xmlTextOf } from '@scriptorium/docx-template/fields';
import { z } from 'zod';
import { invalidValue, valueKind } from './value-kind.ts';

const SERIES_MAX = 100;
const POINTS_MAX = 10_000;
const TEXT_CHARS_MAX = 1_000;
/** Excel's limit for a number format. */
const FORMAT_CHARS_MAX = 255;

const label = xmlTextOf(0, TEXT_CHARS_MAX);
const number = z.number('must be a number');
const point = z.strictObject({
  x: number,
  y: number.nullable(),
  size: number.min(0, 'must not be negative').optional(),
});
const category = z.union([label, number, z.null()], 'must be a text, a number or null');
const categories = z
  .array(category, 'must be a list')
  .max(POINTS_MAX, `may have at most ${POINTS_MAX} entries`);
const value = z.union([number, z.null(), point], 'must be a number, null or a point with `x` and `y`');
const series = z.strictObject(
  {
    name: label.nullish(),
    values: z.array(value, 'must be a list').max(POINTS_MAX, `may have at most ${POINTS_MAX} entries`),
    color: z
      .string()
      .regex(/^#?[0-9a-f]{6}$/i, 'must be a color such as `#1F4E79`')
      .nullish(),
  },
  'must be an object with `values`',
);
/** easy-template-x has the categories and their number format in an object. */
const formatted = z.strictObject(
  { names: categories, formatCode: xmlTextOf(1, FORMAT_CHARS_MAX).optional() },
  'must be a list, or an object with `names`',
);

const requested = z
  .strictObject(
    {
      title: label.nullish(),
      categories: z.union([categories, formatted]).optional(),
      series: z
        .array(series, 'must be a list')
        .min(1, 'must have a series')
        .max(SERIES_MAX, `may have at most ${SERIES_MAX} series`)
        .optional(),
    },
    'must be an object with `series`',
  )
  .superRefine(({ title, categories: given, series: list }, context) => {
    if (list === undefined) {
      if (title == null) context.addIssue({ code: 'custom', path: ['series'], message: 'is missing' });
      return;
    }
    const length = given === undefined ? undefined : namesIn(given).length;
    let points = 0;
    for (const [index, { values }] of list.entries()) {
      points += values.length;
      const isOther = length !== undefined && values.length !== length && !values.some(isPoint);
      const message = `has ${values.length} entries, but there are ${length} categories`;
      if (isOther) context.addIssue({ code: 'custom', path: ['series', index, 'values'], message });
    }
    if (points > POINTS_MAX)
      context.addIssue({
        code: 'custom',
        path: ['series'],
        message: `may have at most ${POINTS_MAX} points in all`,
      });
  });

/** The data of a chart as a request has it. */
export type ChartValue = z.output<typeof requested>;
export type Category = z.output<typeof category>;
export type Point = z.output<typeof point>;

/**
 * `{"$chart": {title?, categories, series: [{name, values, color?}]}}`: the data of a chart whose title or alternative
 * text is the mark. In scatter and bubble charts, values are `{x, y, size?}`.
 */
export const chartKind = valueKind({
  key: '$chart',
  requested,
  render(_, { path }) {
    throw invalidValue(
      path,
      'is the data of a chart: its mark must stand in the title or alternative text of a chart',
    );
  },
});

export const chartValue = requested;

export function namesIn(given: NonNullable<ChartValue['categories']>): readonly Category[] {
  return 'names' in given ? given.names : given;
}

export function isPoint(entry: number | null | Point): entry is Point {
  return typeof entry === 'object' && entry !== null;
}
