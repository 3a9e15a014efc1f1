import { describe } from '../decimals.ts';
import { DataError } from '../errors.ts';
import { isArray, isEmpty, isTruthy, type Json } from '../json.ts';
import {
  bounded,
  type Formatter,
  TEXT_CHARS_MAX,
  textArgument,
  textIn,
  type Use,
  wholeArgument,
} from './formatter.ts';
import { printed } from './python-text.ts';

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu;
const REPLACEMENTS_MAX = 100_000;

/** A formatter from text to text. */
function ofText(
  name: string,
  aliases: readonly string[],
  change: (text: string, use: Use) => string,
  parameters: Formatter['parameters'] = [],
): Formatter {
  return {
    name,
    aliases,
    parameters,
    hint: 'any',
    apply: (use) => bounded(change(textIn(use), use), use.path),
  };
}

const capitalized = (text: string, { settings: { locale } }: Use) => {
  const [first = ''] = text;
  return first.toLocaleUpperCase(locale) + text.slice(first.length);
};

function padded(use: Use, side: 'start' | 'end'): string {
  const length = wholeArgument(use, 0, { max: TEXT_CHARS_MAX, otherwise: 0 });
  const filler = textArgument(use, 1, ' ');
  const text = textIn(use);
  return side === 'start' ? text.padStart(length, filler) : text.padEnd(length, filler);
}

function replaced(text: string, use: Use): string {
  const wanted = textArgument(use, 0, '');
  if (wanted === '') return text;
  const substitute = textArgument(use, 1, '');
  const parts = text.split(wanted, REPLACEMENTS_MAX + 1);
  if (parts.length > REPLACEMENTS_MAX)
    throw new DataError(use.path, 'its text has too many places to replace');
  const length = text.length + (parts.length - 1) * (substitute.length - wanted.length);
  if (length > TEXT_CHARS_MAX) throw new DataError(use.path, `its text exceeds ${TEXT_CHARS_MAX} characters`);
  return parts.join(substitute);
}

/** Python and JavaScript count from the end if an offset is negative. */
function sliced({ input, args, path, settings }: Use): Json {
  const [from = 0, to] = [0, 1].map((index) => {
    const value = args[index];
    if (value === undefined || value === null) return undefined;
    const number = Number(value);
    if (Number.isInteger(number)) return number;
    throw new DataError(path, `the argument ${describe(value)} is not a whole number`);
  });
  if (isArray(input)) {
    settings.spend(input.length);
    return input.slice(from, to);
  }
  return settings.text(input, path).slice(from, to);
}

/** The parts of a text between separators, or its words. */
function divided(use: Use): string[] {
  const separator = textArgument(use, 0, '');
  const text = separator === '' ? textIn(use).trim() : textIn(use);
  const parts = text.split(separator === '' ? /\s+/ : separator, REPLACEMENTS_MAX);
  use.settings.spend(parts.length);
  return parts;
}

/** The texts of a list, or of several values, as a sentence has them: `a, b, and c`. */
function listed(use: Use): string {
  const { input, args, path, settings } = use;
  const items = isArray(input) ? input : [input, ...args];
  settings.spend(items.length);
  const texts = items.map((item) => settings.text(item, path));
  return bounded(new Intl.ListFormat(settings.locale).format(texts), path);
}

function shortened(text: string, use: Use): string {
  const length = wholeArgument(use, 0, { max: TEXT_CHARS_MAX, otherwise: 255 });
  const cut = text.slice(0, length);
  // Not between the halves of a surrogate pair.
  return text.length <= length
    ? text
    : `${cut.replace(/[\uD800-\uDBFF]$/, '')}${textArgument(use, 1, '...')}`;
}

const SLICE = [{ name: 'start' }, { name: 'end' }];
const PAD = [{ name: 'length', isRequired: true }, { name: 'filler' }] as const;

export const TEXTS: readonly Formatter[] = [
  ofText('upper', ['upperCase', 'uppercase', 'toUpperCase', 'upcase', 'upper_case'], (text, { settings }) =>
    text.toLocaleUpperCase(settings.locale),
  ),
  ofText('lower', ['lowerCase', 'lowercase', 'toLowerCase', 'downcase', 'lower_case'], (text, { settings }) =>
    text.toLocaleLowerCase(settings.locale),
  ),
  ofText('title', ['titleCase', 'title_case'], (text, use) =>
    text.replace(WORD, (word) => capitalized(word.toLocaleLowerCase(use.settings.locale), use)),
  ),
  ofText('capitalize', [], (text, use) => capitalized(text.toLocaleLowerCase(use.settings.locale), use)),
  ofText('ucFirst', ['firstCap', 'cap_first'], capitalized),
  ofText('ucWords', [], (text, use) => text.replace(/(?<!\S)\S/gu, (first) => capitalized(first, use))),
  ofText('trim', ['strip'], (text) => text.trim()),
  ofText('replace', ['replaceAll'], replaced, [{ name: 'old', isRequired: true }, { name: 'new' }]),
  ofText('ellipsis', [], shortened, [{ name: 'length', isRequired: true }, { name: 'end' }]),
  ofText('prepend', ['prefix'], (text, use) => textArgument(use, 0, '') + text, [
    { name: 'text', isRequired: true },
  ]),
  ofText('append', ['suffix'], (text, use) => text + textArgument(use, 0, ''), [
    { name: 'text', isRequired: true },
  ]),
  ofText('padl', ['padStart'], (_, use) => padded(use, 'start'), PAD),
  ofText('padr', ['padEnd'], (_, use) => padded(use, 'end'), PAD),
  ofText('unaccent', [], (text) =>
    text
      .normalize('NFD')
      .replace(/[\u0300-\u036F]/g, '')
      .normalize('NFC'),
  ),
  {
    ...ofText('format', [], printed),
    isVariadic: true,
  },
  { name: 'slice', aliases: ['substr', 'substring'], parameters: SLICE, apply: sliced },
  {
    name: 'andList',
    aliases: ['comma_and_list'],
    parameters: [],
    isVariadic: true,
    apply: listed,
  },
  { name: 'split', makesOther: true, parameters: [{ name: 'separator' }], apply: divided },
  {
    name: 'startsWith',
    aliases: ['startswith'],
    parameters: [{ name: 'start', isRequired: true }],
    apply: (use) => textIn(use).startsWith(textArgument(use, 0, '')),
  },
  {
    name: 'endsWith',
    aliases: ['endswith'],
    parameters: [{ name: 'end', isRequired: true }],
    apply: (use) => textIn(use).endsWith(textArgument(use, 0, '')),
  },
  { name: 'text', aliases: ['string', 'str', 'word'], apply: textIn },
  // Values are never read as markup, and a line break of a value is one in the document.
  { name: 'escape', aliases: ['e', 'safe', 'forceescape', 'convCRLF'], apply: ({ input }) => input },
  {
    name: 'print',
    parameters: [{ name: 'text', isRequired: true }],
    takesMissing: true,
    apply: ({ args }) => args[0],
  },
  {
    name: 'default',
    aliases: ['d'],
    parameters: [{ name: 'default_value', isRequired: true }, { name: 'boolean' }],
    takesMissing: true,
    apply: ({ input, args: [otherwise, isForFalse] }) =>
      input === null || input === undefined || (isForFalse === true && !isTruthy(input)) ? otherwise : input,
  },
  {
    name: 'ifEmpty',
    parameters: [{ name: 'otherwise', isRequired: true }],
    takesMissing: true,
    apply: ({ input, args }) => (isEmpty(input) ? args[0] : input),
  },
  {
    name: 'yesNo',
    aliases: ['yesno'],
    parameters: [{ name: 'yes' }, { name: 'no' }],
    hint: 'boolean',
    apply: ({ input, args: [yes = 'yes', no = 'no'] }) => (isTruthy(input) && input !== 'false' ? yes : no),
  },
  {
    name: 'convEnum',
    aliases: ['choose'],
    parameters: [{ name: 'names', isRequired: true }],
    apply: ({ input, args: [names], path }) => {
      if (typeof names !== 'object' || names === null || typeof input === 'object') {
        throw new DataError(path, 'needs an object or array with the names of its values');
      }
      const key = String(input);
      const hasName = Object.hasOwn(names, key) && key !== 'length';
      return hasName ? (names as { readonly [key: string]: Json })[key] : input;
    },
  },
];
