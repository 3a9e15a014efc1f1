import { toCardinal, toOrdinal } from 'n2words/en-US';

const ROMAN = Object.entries({
  M: 1000,
  CM: 900,
  D: 500,
  CD: 400,
  C: 100,
  XC: 90,
  L: 50,
  XL: 40,
  X: 10,
  IX: 9,
  V: 5,
  IV: 4,
  I: 1,
});
/** The largest number that these formats show (ECMA-376-1 §17.16.4.3.1). */
const WORDS_MAX = 999_999;
const ROMAN_MAX = 32_767;
const LETTERS_MAX = 780;

function roman(value: number): string {
  let [rest, letters] = [value, ''];
  for (const [text, unit] of ROMAN) for (; rest >= unit; rest -= unit) letters += text;
  return letters;
}

function suffixed(value: number): string {
  const isTeen = Math.floor(value / 10) % 10 === 1;
  return `${value}${(isTeen ? undefined : ['th', 'st', 'nd', 'rd'][value % 10]) ?? 'th'}`;
}

/**
 * A number in the format of a `\*` switch in lower case (ECMA-376-1 §17.16.4.3.1). Words are English. Undefined if the
 * format does not show this number, or if the format is unknown.
 */
export function numberAs(format: string, value: number, isUpper: boolean): string | undefined {
  const whole = Math.round(value);
  if (format === 'arabic') return String(whole);
  if (whole < 0 || whole > WORDS_MAX) return undefined;
  const letters = (text: string) => (isUpper ? text.toUpperCase() : text.toLowerCase());
  switch (format) {
    case 'ordinal':
      return suffixed(whole);
    case 'cardtext':
      return toCardinal(whole);
    case 'ordtext':
      return whole === 0 ? 'zeroth' : toOrdinal(whole);
    case 'hex':
      return whole.toString(16).toUpperCase();
    case 'roman':
      return whole > 0 && whole <= ROMAN_MAX ? letters(roman(whole)) : undefined;
    case 'alphabetic': {
      const letter = String.fromCharCode(97 + ((whole - 1) % 26));
      return whole > 0 && whole <= LETTERS_MAX ? letters(letter.repeat(Math.ceil(whole / 26))) : undefined;
    }
    case 'dollartext':
      return `${toCardinal(Math.floor(value))} and ${String(Math.round((value % 1) * 100)).padStart(2, '0')}/100`;
    default:
      return undefined;
  }
}

/** A text in the case of a `\*` switch; unchanged if the switch says nothing about case. */
export function inCase(format: string, text: string): string {
  if (format === 'upper') return text.toUpperCase();
  if (format === 'lower') return text.toLowerCase();
  if (format === 'firstcap') return text.replace(/\p{L}/u, (letter) => letter.toUpperCase());
  if (format === 'caps') return text.replaceAll(/(?<![\p{L}'’])\p{L}/gu, (letter) => letter.toUpperCase());
  return text;
}
