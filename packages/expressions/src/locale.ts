import { formatDate, type PlainDate, readDate } from './date.ts';

/** The conventions with which values are printed. */
export interface LocaleOptions {
  /** BCP 47. */
  locale: string;
  /** IANA. */
  timeZone: string;
  /** ISO 4217. */
  currency?: string;
}

/** Creating an Intl object takes a hundred times as long as using it. Documents use few. */
const KEPT_MAX = 200;
const kept = new Map<string, unknown>();

function once<Made>(key: string, make: () => Made): Made {
  const known = kept.get(key) as Made | undefined;
  if (known !== undefined) return known;
  if (kept.size >= KEPT_MAX) kept.clear();
  const made = make();
  kept.set(key, made);
  return made;
}

/** Numbers, dates and texts in the conventions of one language (CLDR, by Intl). */
export class Locale {
  readonly name: string;
  readonly currency: string | undefined;
  readonly #timeZone: string;

  constructor({ locale, timeZone, currency }: LocaleOptions) {
    this.name = locale;
    this.currency = currency;
    this.#timeZone = timeZone;
  }

  /** A number, or a decimal text of any length. */
  number(value: string, options: Intl.NumberFormatOptions): string {
    const key = `number ${this.name} ${JSON.stringify(options)}`;
    const format = once(key, () => new Intl.NumberFormat(this.name, options));
    return format.format(value as Intl.StringNumericLiteral);
  }

  /** A date and time as written, or shown in the time zone if it is an instant. Undefined for other text. */
  date(text: string): PlainDate | undefined {
    const plain = readDate(text);
    const isInstant = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.trim()) && /[T ]\d\d:/.test(text);
    if (plain === undefined || !isInstant) return plain;
    const instant = Date.parse(text.trim().replace(' ', 'T'));
    return Number.isNaN(instant) ? undefined : this.#inZone(instant);
  }

  /** A date with a picture such as `d. MMMM yyyy`, or in one of the styles of CLDR. */
  dateText(date: PlainDate, picture: string): string {
    return formatDate(date, picture, this.name);
  }

  styledDate(date: PlainDate, options: Intl.DateTimeFormatOptions): string {
    const settings = { ...options, timeZone: 'UTC' };
    const key = `date ${this.name} ${JSON.stringify(settings)}`;
    const format = once(key, () => new Intl.DateTimeFormat(this.name, settings));
    const { year, month, day, hour, minute, second } = date;
    return format.format(Date.UTC(year, month - 1, day, hour, minute, second));
  }

  compare(left: string, right: string): number {
    return once(`order ${this.name}`, () => new Intl.Collator(this.name, { numeric: true })).compare(
      left,
      right,
    );
  }

  #inZone(instant: number): PlainDate {
    const format = once(
      `zone ${this.#timeZone}`,
      () =>
        new Intl.DateTimeFormat('en-US', {
          timeZone: this.#timeZone,
          calendar: 'gregory',
          hourCycle: 'h23',
          year: 'numeric',
          month: 'numeric',
          day: 'numeric',
          hour: 'numeric',
          minute: 'numeric',
          second: 'numeric',
        }),
    );
    const parts = format.formatToParts(instant);
    const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
    return {
      year: of('year'),
      month: of('month'),
      day: of('day'),
      hour: of('hour'),
      minute: of('minute'),
      second: of('second'),
    };
  }
}
