import { PICTURE_CHARS_MAX, type PlainDate } from '../date.ts';
import type { Json } from '../json.ts';
import { type FormatContext, type FormatterList, isMissing, ofPresent } from './formatter.ts';

const STYLES = { short: 'short', medium: 'medium', long: 'long', full: 'full' } as const;
/** The directives of strftime as pictures (POSIX.1-2017). */
const STRFTIME: Readonly<Record<string, string>> = {
  d: 'dd',
  e: 'd',
  m: 'MM',
  Y: 'yyyy',
  y: 'yy',
  H: 'HH',
  I: 'hh',
  M: 'mm',
  S: 'ss',
  p: 'AM/PM',
  B: 'MMMM',
  b: 'MMM',
  A: 'dddd',
  a: 'ddd',
  F: 'yyyy-MM-dd',
  T: 'HH:mm:ss',
  '-d': 'd',
  '-m': 'M',
  '%': "'%'",
};

/** Dates and times in the conventions of the language, or with a picture. */
export const DATE_FORMATTERS: FormatterList = [
  ['date formatD convDate strftime', ofPresent((value, args, context) => dateText(value, args, context))],
  [
    'time',
    ofPresent((value, [style], context) => {
      const date = dateOf(value, context);
      const known = isMissing(style) ? 'short' : styleOf(style);
      if (known === undefined) return pictured(date, String(style), context);
      return context.locale.styledDate(date, { timeStyle: known });
    }),
  ],
  [
    'datetime',
    ofPresent((value, [style], context) => {
      const date = dateOf(value, context);
      const known = isMissing(style) ? 'medium' : styleOf(style);
      if (known === undefined) return pictured(date, String(style), context);
      return context.locale.styledDate(date, { dateStyle: known, timeStyle: 'short' });
    }),
  ],
];

function dateText(value: Json, args: readonly (Json | undefined)[], context: FormatContext): string {
  const date = dateOf(value, context);
  // Carbone's older form has the picture of the value first.
  const picture = args.at(-1);
  const style = isMissing(picture) ? 'medium' : styleOf(picture);
  return style === undefined
    ? pictured(date, String(picture), context)
    : context.locale.styledDate(date, { dateStyle: style });
}

function styleOf(style: Json): (typeof STYLES)[keyof typeof STYLES] | undefined {
  return typeof style === 'string' && Object.hasOwn(STYLES, style)
    ? STYLES[style as keyof typeof STYLES]
    : undefined;
}

function dateOf(value: Json, { locale, fail }: FormatContext): PlainDate {
  const date = typeof value === 'string' ? locale.date(value) : undefined;
  return date ?? fail('must be a date such as `2026-11-23` or `2026-11-23T09:30:00Z`');
}

function pictured(date: PlainDate, picture: string, { locale, fail }: FormatContext): string {
  if (picture.length > PICTURE_CHARS_MAX)
    return fail(`is formatted with a picture of more than ${PICTURE_CHARS_MAX} characters`);
  return locale.dateText(date, pictureOf(picture));
}

/** A picture of strftime, or of moment with `[text]` and `A`, as one of Word. */
function pictureOf(picture: string): string {
  if (/%[-\w%]/.test(picture))
    return picture.replace(
      /%(-?[A-Za-z%])|([A-Za-z]+)/g,
      (whole, directive: string | undefined, text: string | undefined) =>
        text === undefined ? (STRFTIME[directive ?? ''] ?? whole) : `'${text}'`,
    );
  return picture.replace(/\[([^\]]*)\]/g, "'$1'").replace(/(?<![A-Za-z/])A(?![A-Za-z/])/g, 'AM/PM');
}
