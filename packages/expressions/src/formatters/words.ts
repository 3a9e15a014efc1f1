import * as arSa from 'n2words/ar-SA';
import * as csCz from 'n2words/cs-CZ';
import * as daDk from 'n2words/da-DK';
import * as deDe from 'n2words/de-DE';
import * as elGr from 'n2words/el-GR';
import * as enGb from 'n2words/en-GB';
import * as enIe from 'n2words/en-IE';
import * as enIn from 'n2words/en-IN';
import * as enUs from 'n2words/en-US';
import * as esEs from 'n2words/es-ES';
import * as esMx from 'n2words/es-MX';
import * as esUs from 'n2words/es-US';
import * as fiFi from 'n2words/fi-FI';
import * as frBe from 'n2words/fr-BE';
import * as frFr from 'n2words/fr-FR';
import * as hiIn from 'n2words/hi-IN';
import * as hrHr from 'n2words/hr-HR';
import * as huHu from 'n2words/hu-HU';
import * as idId from 'n2words/id-ID';
import * as itIt from 'n2words/it-IT';
import * as jaJp from 'n2words/ja-JP';
import * as koKr from 'n2words/ko-KR';
import * as nlNl from 'n2words/nl-NL';
import * as plPl from 'n2words/pl-PL';
import * as ptPt from 'n2words/pt-PT';
import * as roRo from 'n2words/ro-RO';
import * as ruRu from 'n2words/ru-RU';
import * as trTr from 'n2words/tr-TR';
import * as viVn from 'n2words/vi-VN';
import * as zhHansCn from 'n2words/zh-Hans-CN';
import * as zhHantTw from 'n2words/zh-Hant-TW';
import { decimalOf, describe, roundTo } from '../decimals.ts';
import { DataError } from '../errors.ts';
import { textArgument, type Use } from './formatter.ts';

interface Speech {
  toCardinal(value: string): string;
  toOrdinal(value: string): string;
  toCurrency(value: string): string;
}

/** How numbers are spoken in a region, and the currency whose names are known there. */
interface Variant {
  tag: string;
  currency: string;
  speech: Speech;
}

/** The first variant of a language is that of its other regions too. */
const LANGUAGES: Readonly<Record<string, readonly Variant[]>> = {
  ar: [{ tag: 'ar-SA', currency: 'SAR', speech: arSa }],
  cs: [{ tag: 'cs-CZ', currency: 'CZK', speech: csCz }],
  da: [{ tag: 'da-DK', currency: 'DKK', speech: daDk }],
  de: [{ tag: 'de-DE', currency: 'EUR', speech: deDe }],
  el: [{ tag: 'el-GR', currency: 'EUR', speech: elGr }],
  en: [
    { tag: 'en-US', currency: 'USD', speech: enUs },
    { tag: 'en-GB', currency: 'GBP', speech: enGb },
    { tag: 'en-IE', currency: 'EUR', speech: enIe },
    { tag: 'en-IN', currency: 'INR', speech: enIn },
  ],
  es: [
    { tag: 'es-ES', currency: 'EUR', speech: esEs },
    { tag: 'es-MX', currency: 'MXN', speech: esMx },
    { tag: 'es-US', currency: 'USD', speech: esUs },
  ],
  fi: [{ tag: 'fi-FI', currency: 'EUR', speech: fiFi }],
  fr: [
    { tag: 'fr-FR', currency: 'EUR', speech: frFr },
    { tag: 'fr-BE', currency: 'EUR', speech: frBe },
  ],
  hi: [{ tag: 'hi-IN', currency: 'INR', speech: hiIn }],
  hr: [{ tag: 'hr-HR', currency: 'EUR', speech: hrHr }],
  hu: [{ tag: 'hu-HU', currency: 'HUF', speech: huHu }],
  id: [{ tag: 'id-ID', currency: 'IDR', speech: idId }],
  it: [{ tag: 'it-IT', currency: 'EUR', speech: itIt }],
  ja: [{ tag: 'ja-JP', currency: 'JPY', speech: jaJp }],
  ko: [{ tag: 'ko-KR', currency: 'KRW', speech: koKr }],
  nl: [{ tag: 'nl-NL', currency: 'EUR', speech: nlNl }],
  pl: [{ tag: 'pl-PL', currency: 'PLN', speech: plPl }],
  pt: [{ tag: 'pt-PT', currency: 'EUR', speech: ptPt }],
  ro: [{ tag: 'ro-RO', currency: 'RON', speech: roRo }],
  ru: [{ tag: 'ru-RU', currency: 'RUB', speech: ruRu }],
  tr: [{ tag: 'tr-TR', currency: 'TRY', speech: trTr }],
  vi: [{ tag: 'vi-VN', currency: 'VND', speech: viVn }],
  'zh-Hans': [{ tag: 'zh-Hans-CN', currency: 'CNY', speech: zhHansCn }],
  'zh-Hant': [{ tag: 'zh-Hant-TW', currency: 'TWD', speech: zhHantTw }],
};
/** Some languages have no words past a trillion in the library. */
const AMOUNT_LIMIT = 1e12;
const DECIMALS_MAX = 10;

/** The ordinal of a whole number in words: `second`. */
export function ordinalInWords(whole: number, { path, settings: { locale } }: Use): string {
  const speech = speechOf(locale, '');
  if (speech === undefined) throw new DataError(path, `has no words in the language ${locale}`);
  return speech.toOrdinal(String(whole));
}

/** A number in words, or an amount: `words`, `words('EUR')`. The words are those of the document's language. */
export function inWords(use: Use): string {
  const { input, path, settings } = use;
  const currency = textArgument(use, 0, '').toUpperCase();
  const exact = decimalOf(input, path);
  if (exact.abs().greaterThanOrEqualTo(AMOUNT_LIMIT) || exact.decimalPlaces() > DECIMALS_MAX) {
    throw new DataError(path, `${describe(input)} is too large or too exact to be written in words`);
  }
  const speech = speechOf(settings.locale, currency);
  if (speech === undefined) {
    const of = currency === '' ? '' : ` for amounts in ${currency.slice(0, 20)}`;
    throw new DataError(path, `has no words in the language ${settings.locale}${of}`);
  }
  if (currency === '') return speech.toCardinal(exact.toFixed());
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    .maximumFractionDigits;
  return speech.toCurrency(decimalOf(roundTo(input, digits ?? 2, path), path).toFixed(digits ?? 2));
}

function speechOf(locale: string, currency: string): Speech | undefined {
  const { language, script, region } = new Intl.Locale(locale).maximize();
  const variants =
    LANGUAGES[`${language}-${script}`] ?? (Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : []);
  const able = (variants ?? []).filter((variant) => currency === '' || variant.currency === currency);
  return (able.find(({ tag }) => tag.endsWith(`-${region}`)) ?? able[0])?.speech;
}
