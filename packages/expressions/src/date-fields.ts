/** A piece of a pattern: a text that stays, or a field of the date. */
export type Piece = string | { readonly field: Field; readonly digits: number };

export type Field =
  | 'year'
  | 'year2'
  | 'month'
  | 'monthName'
  | 'monthShort'
  | 'day'
  | 'dayOfYear'
  | 'weekday'
  | 'weekdayName'
  | 'weekdayShort'
  | 'week'
  | 'quarter'
  | 'hour'
  | 'hour12'
  | 'minute'
  | 'second'
  | 'millisecond'
  | 'ampm'
  | 'AMPM'
  | 'offset'
  | 'offsetColon'
  | 'ordinal';

type Fields = Readonly<Record<string, readonly [Field, number]>>;

/** Carbone's and moment's own names for the usual forms. */
export const STYLES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  short: { dateStyle: 'short' },
  medium: { dateStyle: 'medium' },
  long: { dateStyle: 'long' },
  full: { dateStyle: 'full' },
  L: { year: 'numeric', month: '2-digit', day: '2-digit' },
  l: { year: 'numeric', month: 'numeric', day: 'numeric' },
  LL: { year: 'numeric', month: 'long', day: 'numeric' },
  ll: { year: 'numeric', month: 'short', day: 'numeric' },
  LLL: { year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  lll: { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  LLLL: { dateStyle: 'full', timeStyle: 'short' },
  llll: {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  },
  LT: { hour: 'numeric', minute: '2-digit' },
  LTS: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
};

const COMMON: Fields = {
  MMMM: ['monthName', 0],
  MMM: ['monthShort', 0],
  MM: ['month', 2],
  M: ['month', 1],
  HH: ['hour', 2],
  H: ['hour', 1],
  hh: ['hour12', 2],
  h: ['hour12', 1],
  mm: ['minute', 2],
  m: ['minute', 1],
  ss: ['second', 2],
  s: ['second', 1],
  SSS: ['millisecond', 3],
  dddd: ['weekdayName', 0],
  ddd: ['weekdayShort', 0],
};
/** Word's pictures (ECMA-376-1 §17.16.4.1) and the patterns of CLDR (UTS #35), which agree where both have a field. */
export const WORD: Fields = {
  ...COMMON,
  yyyy: ['year', 4],
  y: ['year', 1],
  yy: ['year2', 2],
  YYYY: ['year', 4],
  YY: ['year2', 2],
  dd: ['day', 2],
  d: ['day', 1],
  EEEE: ['weekdayName', 0],
  EEE: ['weekdayShort', 0],
  EE: ['weekdayShort', 0],
  E: ['weekdayShort', 0],
  LLLL: ['monthName', 0],
  D: ['dayOfYear', 1],
  w: ['week', 1],
  ww: ['week', 2],
  Q: ['quarter', 1],
  'am/pm': ['AMPM', 0],
  'AM/PM': ['AMPM', 0],
  a: ['AMPM', 0],
  Z: ['offset', 0],
  XXX: ['offsetColon', 0],
};
/** https://momentjs.com/docs/#/displaying/format/, which Day.js has too. */
export const MOMENT: Fields = {
  ...COMMON,
  YYYY: ['year', 4],
  YY: ['year2', 2],
  yyyy: ['year', 4],
  yy: ['year2', 2],
  DDDD: ['dayOfYear', 3],
  DDD: ['dayOfYear', 1],
  DD: ['day', 2],
  Do: ['ordinal', 0],
  D: ['day', 1],
  dd: ['weekdayShort', 0],
  d: ['weekday', 0],
  WW: ['week', 2],
  W: ['week', 1],
  Q: ['quarter', 1],
  A: ['AMPM', 0],
  a: ['ampm', 0],
  ZZ: ['offset', 0],
  Z: ['offsetColon', 0],
};
/** The conversions of strftime in ISO/IEC 9899 §7.29.3.5, which Python has too. */
export const STRFTIME: Readonly<Record<string, readonly [Field, number] | string>> = {
  Y: ['year', 4],
  y: ['year2', 2],
  m: ['month', 2],
  d: ['day', 2],
  e: ['day', 1],
  B: ['monthName', 0],
  b: ['monthShort', 0],
  h: ['monthShort', 0],
  A: ['weekdayName', 0],
  a: ['weekdayShort', 0],
  w: ['weekday', 0],
  j: ['dayOfYear', 3],
  V: ['week', 2],
  H: ['hour', 2],
  I: ['hour12', 2],
  M: ['minute', 2],
  S: ['second', 2],
  f: ['millisecond', 6],
  p: ['AMPM', 0],
  z: ['offset', 0],
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
};
