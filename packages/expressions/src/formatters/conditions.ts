import type { Json } from '../json.ts';
import { type FormatContext, type FormatterList, isMissing } from './formatter.ts';

/** `a:yesNo('on', 'off')` and enumerations. Carbone's chains of conditions are read by the parser. */
export const CONDITION_FORMATTERS: FormatterList = [
  [
    'yesNo yesno',
    (value, [yes = 'yes', no = 'no']) => (value === true || value === 'true' || value === 1 ? yes : no),
  ],
  ['convEnum', (value, [cases], context) => enumerated(value, cases, context)],
];

/** The text of a case in an object: `{status | convEnum(labels)}`. */
function enumerated(
  value: Json | undefined,
  cases: Json | undefined,
  { text }: FormatContext,
): Json | undefined {
  if (isMissing(value) || typeof cases !== 'object' || cases === null) return value;
  const key = text(value);
  return Object.hasOwn(cases, key) ? (cases as Record<string, Json>)[key] : value;
}
