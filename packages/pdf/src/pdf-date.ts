/** Year to second, each but the year optional, and the zone (ISO 32000-2, 7.9.4); apostrophes as writers leave them. */
const DATE =
  /^\s*(?:D:)?(\d{4})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(\d{2})?)?)?)?)?(?:([Zz+-])(?:(\d{2})(?:'?(\d{2})'?)?)?'?)?\s*$/;

const MINUTE_MS = 60_000;

/** The time that a PDF date means, in UTC where it names no zone; undefined where it is none. */
export function readPdfDate(text: string): Date | undefined {
  const match = DATE.exec(text.slice(0, 40));
  if (!match) return undefined;
  const number = (index: number, byDefault: number) => Number(match[index] ?? byDefault);
  const [month, day, hour, minute, second] = [
    number(2, 1),
    number(3, 1),
    number(4, 0),
    number(5, 0),
    number(6, 0),
  ];
  const time = Date.UTC(number(1, 0), month - 1, day, hour, minute, second);
  const date = new Date(time);
  const isOfCalendar = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isOfCalendar || hour > 23 || minute > 59 || second > 59 || number(1, 0) < 1900) return undefined;
  const east = match[7] === '-' ? -1 : 1;
  return new Date(time - east * (number(8, 0) * 60 + number(9, 0)) * MINUTE_MS);
}
