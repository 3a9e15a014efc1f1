import type { Decimal } from 'decimal.js';
import { toCardinal as cs } from 'n2words/cs-CZ';
import { toCardinal as da } from 'n2words/da-DK';
import { toCardinal as de } from 'n2words/de-DE';
import { toCardinal as enGb } from 'n2words/en-GB';
import { toCardinal as enUs } from 'n2words/en-US';
import { toCardinal as es } from 'n2words/es-ES';
import { toCardinal as fr } from 'n2words/fr-FR';
import { toCardinal as it } from 'n2words/it-IT';
import { toCardinal as nl } from 'n2words/nl-NL';
import { toCardinal as pl } from 'n2words/pl-PL';
import { toCardinal as pt } from 'n2words/pt-PT';
import { toCardinal as sv } from 'n2words/sv-SE';

/** Languages in which numbers are spelled out, by their subtag. */
const LANGUAGES: Readonly<Record<string, (value: string) => string>> = {
  cs,
  da,
  de,
  en: enUs,
  'en-GB': enGb,
  es,
  fr,
  it,
  nl,
  pl,
  pt,
  sv,
};
const LIMIT = 1e15;

/** A number spelled out: `twelve`. CLDR's rules for this are not in Intl. */
export function wordsOf(number: Decimal, locale: string, fail: (issue: string) => never): string {
  const write = LANGUAGES[locale] ?? LANGUAGES[locale.split('-')[0] ?? ''];
  if (write === undefined)
    return fail(`cannot be spelled out in ${locale}: it is possible in ${Object.keys(LANGUAGES).join(', ')}`);
  if (number.abs().greaterThanOrEqualTo(LIMIT)) return fail('is too large to be spelled out');
  return write(number.toFixed());
}
