import type { Json } from '../json.ts';
import {
  bounded,
  type FormatContext,
  type FormatterList,
  isMissing,
  ofPresent,
  wholeNumber,
} from './formatter.ts';

const WIDTH_MAX = 10_000;
const ELLIPSIS = '…';

/** Changes of texts. Numbers and booleans are printed first. */
export const TEXT_FORMATTERS: FormatterList = [
  ['upper upperCase', ofText((text, _, { locale }) => text.toLocaleUpperCase(locale.name))],
  ['lower lowerCase', ofText((text, _, { locale }) => text.toLocaleLowerCase(locale.name))],
  [
    'title ucWords',
    ofText((text, _, { locale }) =>
      text.replace(/\p{L}[\p{L}\p{M}'’]*/gu, (word) => capital(word, locale.name)),
    ),
  ],
  ['capitalize ucFirst', ofText((text, _, { locale }) => capital(text, locale.name))],
  ['trim', ofText((text) => text.trim())],
  [
    'replace',
    ofText((text, [from, to], context) => {
      const wanted = context.text(from);
      return wanted === ''
        ? text
        : bounded(
            text.replaceAll(wanted, () => context.text(to)),
            context,
          );
    }),
  ],
  [
    'truncate ellipsis',
    ofText((text, [chars], context) => {
      const max = wholeNumber(chars, { fallback: 255, max: WIDTH_MAX }, context);
      return [...text].length > max ? [...text].slice(0, max).join('') + ELLIPSIS : text;
    }),
  ],
  [
    'padl',
    ofText((text, [width, fill], context) => text.padStart(widthOf(width, context), fillOf(fill, context))),
  ],
  [
    'padr',
    ofText((text, [width, fill], context) => text.padEnd(widthOf(width, context), fillOf(fill, context))),
  ],
  ['prepend', ofText((text, [before], context) => bounded(context.text(before) + text, context))],
  ['append', ofText((text, [after], context) => bounded(text + context.text(after), context))],
  ['string str print', ofText((text) => text)],
  ['default d ifEmpty', (value, [fallback = '']) => (isMissing(value) || value === '' ? fallback : value)],
];

function ofText(
  change: (text: string, args: readonly (Json | undefined)[], context: FormatContext) => string,
) {
  return ofPresent((value, args, context) => {
    if (typeof value === 'object') return context.fail('must be a text');
    return change(context.text(value), args, context);
  });
}

function capital(text: string, locale: string): string {
  const [first = ''] = text;
  return first.toLocaleUpperCase(locale) + text.slice(first.length);
}

function widthOf(width: Json | undefined, context: FormatContext): number {
  return wholeNumber(width, { fallback: 0, max: WIDTH_MAX }, context);
}

function fillOf(fill: Json | undefined, { text }: FormatContext): string {
  return text(fill).slice(0, 1) || ' ';
}
