import { describe, expect, it } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { formatDate, isoDay, isoTime, readDate } from '../src/date.ts';
import { mistakeOf, randomOf, resultOf } from './data.ts';

const shown = (value: string, pattern: string, locale = 'en-US', timeZone = 'UTC') =>
  resultOf('v | date(p)', { v: value, p: pattern }, { locale, timeZone });

describe('a pattern', () => {
  const at = '2026-03-05T14:07:09.123';

  it.each([
    ['dd.MM.yyyy', 'DD.MM.YYYY', '%d.%m.%Y', '05.03.2026'],
    ['d/M/yy', 'D/M/YY', '%-d/%-m/%y', '5/3/26'],
    ['EEEE, d MMMM yyyy', 'dddd, D MMMM YYYY', '%A, %-d %B %Y', 'Thursday, 5 March 2026'],
    ['EEE d MMM', 'ddd D MMM', '%a %-d %b', 'Thu 5 Mar'],
    ['d H:mm', 'D H:mm', '%-d %-H:%M', '5 14:07'],
    ['dd hh:mm AM/PM', 'DD hh:mm A', '%d %I:%M %p', '05 02:07 PM'],
    ["d 'de' MMMM", 'D [de] MMMM', '%-d de %B', '5 de March'],
    ['yyyy-MM-dd HH:mm:ss', 'YYYY-MM-DD HH:mm:ss', '%F %T', '2026-03-05 14:07:09'],
  ])('%s, %s and %s of Word, moment and strftime are the same', (word, moment, strftime, text) => {
    expect([word, moment, strftime].map((pattern) => shown(at, pattern))).toEqual([text, text, text]);
  });

  it.each([
    ['dd.MM.YYYY', '05.03.2026'],
    ['DD.MM.yyyy', '05.03.2026'],
    ['dddd', 'Thursday'],
    ['MMMM', 'March'],
    ['Do MMMM', '5th March'],
    ['YYYY-[W]WW', '2026-W10'],
    ['D DDD', '5 64'],
    ['%j', '064'],
    ['Q YYYY', '1 2026'],
    ['HH:mm:ss.SSS', '14:07:09.123'],
    ['YYYY-MM-DDTHH:mm', '2026-03-05T14:07'],
    ['L', '03/05/2026'],
    ['LL', 'March 5, 2026'],
  ])('%s shows %s', (pattern, text) => {
    expect(shown(at, pattern)).toBe(text);
  });

  it('has the names of the language, in the form that a day demands', () => {
    expect(shown('2026-03-05', 'd. MMMM yyyy', 'de-DE')).toBe('5. März 2026');
    expect(shown('2026-03-05', 'd MMMM', 'pl-PL')).toBe('5 marca');
    expect(shown('2026-03-05', 'MMMM yyyy', 'pl-PL')).toBe('marzec 2026');
    expect(shown('2026-03-05', 'long', 'fr-FR')).toBe('5 mars 2026');
  });

  it('shows random days as Intl does', () => {
    const random = randomOf(5);
    for (let round = 0; round < 300; round++) {
      const date = new Date(Math.floor((random() - 0.3) * 4e12));
      const iso = date.toISOString();
      for (const locale of ['en-US', 'de-DE', 'fr-FR']) {
        const text = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
        expect([iso, shown(iso.slice(0, 10), 'long', locale)]).toEqual([iso, text]);
      }
      expect(shown(iso, 'YYYY-MM-DDTHH:mm:ss.SSS')).toBe(iso.slice(0, -1));
      const zoned = shown(iso, 'yyyy-MM-dd HH:mm:ss', 'en-US', 'America/New_York');
      expect(zoned).toBe(date.toLocaleString('sv-SE', { timeZone: 'America/New_York' }));
    }
  });
});

describe('a date of the data', () => {
  it.each([
    ['2026-07-01T23:30:00Z', '02.07.2026 01:30'],
    ['2026-01-01T23:30:00Z', '02.01.2026 00:30'],
    ['2026-07-01T23:30:00-05:00', '02.07.2026 06:30'],
    ['2026-07-01T23:30', '01.07.2026 23:30'],
    ['2026-07-01 23:30:10', '01.07.2026 23:30'],
    ['2026-07-01', '01.07.2026 00:00'],
    ['20260701', '01.07.2026 00:00'],
  ])('%s is shown in the time zone if it has an offset', (value, text) => {
    expect(shown(value, 'dd.MM.yyyy HH:mm', 'de-DE', 'Europe/Berlin')).toBe(text);
  });

  it.each([
    '2026-02-30',
    '2026-13-01',
    '2026-01-01T24:00',
    '0000-01-01',
    '1.2.2026',
    '2026',
    '',
    'x'.repeat(5000),
  ])('%s is refused', (value) => {
    expect(mistakeOf('v | date', { v: value }).issue).toMatch(/not an ISO 8601 date/);
    expect(readDate(value)).toBeUndefined();
  });

  it('is read and written without an offset for content controls', () => {
    const date = readDate('2026-11-21T09:30:05+02:00');
    expect(date && [isoDay(date), isoTime(date)]).toEqual(['2026-11-21', '2026-11-21T09:30:05']);
    expect(date && formatDate(date, "dddd, d. MMMM yyyy 'um' H:mm", 'de-DE')).toBe(
      'Samstag, 21. November 2026 um 9:30',
    );
    expect(date && formatDate(date, 'MMMM', 'no such language!')).toBe('November');
  });
});

describe('a date in another form', () => {
  const read = (text: string, pattern: string) =>
    resultOf('v | convDate(p, "YYYY-MM-DDTHH:mm:ss")', { v: text, p: pattern });

  it.each([
    ['5/11/2026', 'D/M/YYYY', '2026-11-05T00:00:00'],
    ['05.11.26', 'DD.MM.YY', '2026-11-05T00:00:00'],
    ['20261105', 'YYYYMMDD', '2026-11-05T00:00:00'],
    ['20261105 930', 'YYYYMMDD Hmm', '2026-11-05T09:30:00'],
    ['20261105 1930', 'YYYYMMDD Hmm', '2026-11-05T19:30:00'],
    ['2026-11-05 123', 'YYYY-MM-DD Hm', '2026-11-05T12:03:00'],
    [' 2026-11-05T09:30:05 ', 'YYYY-MM-DDTHH:mm:ss', '2026-11-05T09:30:05'],
    ['am 5.11.2026', "'am' d.M.yyyy", '2026-11-05T00:00:00'],
  ])('%s is read by %s', (text, pattern, iso) => {
    expect(read(text, pattern)).toBe(iso);
  });

  it.each([
    ['5/11/2026', 'DD/MM/YYYY'],
    ['31.2.2026', 'D.M.YYYY'],
    ['05.11.2026x', 'DD.MM.YYYY'],
    ['05.11.', 'DD.MM.YYYY'],
    ['05.11.2026 05', 'DD.MM.YYYY DD'],
    ['5. November 2026', 'D. MMMM YYYY'],
    ['', 'DD.MM.YYYY'],
  ])('%s is refused by %s', (text, pattern) => {
    expect(mistakeOf('v | convDate(p, "LL")', { v: text, p: pattern }).issue).toMatch(
      /not a date of the form/,
    );
  });

  it('is refused at once, however many fields touch each other', () => {
    const startedAt = process.cpuUsage();
    for (const fields of ['Hms', 'DMH', 'MD'])
      expect(() => read(`${'1'.repeat(250)}x`, fields.repeat(80))).toThrow('not a date of the form');
    expect(cpuMsSince(startedAt)).toBeLessThan(2_000);
  });
});

describe('a switch of a Word field', () => {
  const field = (text: string, value: string | number, locale = 'de-DE') =>
    resultOf(`v ${text}`, { v: value }, { locale, syntax: 'word' });

  it.each([
    ['0.00', 1234.5, '1234.50'],
    ['#,##0.00', 1234567.5, '1,234,567.50'],
    ['# ##0,00 €', 1234.5, '1 234,50 €'],
    ['#.##0,00', 1234.5, '1.234,50'],
    ['#.##0', 1234567, '1.234.567'],
    ['0', 2.5, '3'],
    ['000', 7, '007'],
    ['0.0#', 1.5, '1.5'],
    ['#', 0, ''],
    ['€ #,##0.00;(€ #,##0.00);-', -5, '(€ 5.00)'],
    ['€ #,##0.00;(€ #,##0.00);"–"', 5, '€ 5.00'],
    ["0.00' #1'", 2, '2.00 #1'],
    ['0.00', -1.5, '-1.50'],
    ['+0', 3, '+3'],
    ['0%', 19, '19%'],
    ["0 'a;b';(0) 'c'", -2, '(2) c'],
    ["0';(0)", -2, '(2)'],
    ['0;-0;nil', -3, '-3'],
    ['0;-0;nil', 0, 'nil'],
    ['0.00', -0.004, '0.00'],
    ['x##', 123456, '456'],
  ])('\\# %s shows %d as %s', (picture, value, text) => {
    expect(field(`\\# “${picture.replaceAll('"', '')}”`, value)).toBe(text.replaceAll('"', ''));
  });

  it.each<[name: string, value: number, shown: string]>([
    ['Roman', 1994, 'MCMXCIV'],
    ['roman', 14, 'xiv'],
    ['Alphabetic', 28, 'BB'],
    ['alphabetic', 3, 'c'],
    ['Hex', 255, 'FF'],
    ['Ordinal', 112, '112th'],
    ['Ordinal', 23, '23rd'],
    ['OrdText', 21, 'twenty-first'],
    ['CardText', 12, 'twelve'],
    ['DollarText', 12.5, 'twelve and 50/100'],
    ['Arabic', 7, '7'],
  ])('\\* %s shows %d as %s', (name, value, shown) => {
    expect(field(`\\* ${name}`, value, 'en-US')).toBe(shown);
    expect(field(`\\* ${name}`, 'n/a', 'en-US')).toBe('n/a');
  });

  it('writes ordinals as the language does', () => {
    expect(field('\\* Ordinal', 3)).toBe('3.');
    expect(field('\\* OrdText', 3)).toBe('dritte');
    const mistake = (text: string, v: number, locale: string) =>
      mistakeOf(`v ${text}`, { v }, { locale, syntax: 'word' }).issue;
    expect(mistake('\\* Ordinal', 3, 'ja')).toMatch(/no ordinal/);
    expect(mistake('\\* Roman', 0, 'en')).toMatch(/from 1 to 32767/);
  });

  it('writes the half of a day in capitals, as Word does', () => {
    expect(field('\\@ "h:mm am/pm"', '2026-01-02T15:04:00Z', 'en-US')).toBe('3:04 PM');
  });

  it('leaves a text that is not a number or a date as it is', () => {
    expect(field('\\# "0.00"', 'n/a')).toBe('n/a');
    expect(field('\\@ "d.M.yyyy"', 'soon')).toBe('soon');
    expect(field('\\@ "d. MMMM yyyy"', '2026-11-05')).toBe('5. November 2026');
  });

  it.each([
    ['Upper', 'ÄPFEL UND birnen'.toLocaleUpperCase('de')],
    ['Lower', 'äpfel und birnen'],
    ['FirstCap', 'Äpfel UND birnen'],
    ['Caps', 'Äpfel UND Birnen'],
    ['MERGEFORMAT', 'äpfel UND birnen'],
  ])('\\* %s changes the letters', (name, text) => {
    expect(field(`\\* ${name}`, 'äpfel UND birnen')).toBe(text);
  });
});
