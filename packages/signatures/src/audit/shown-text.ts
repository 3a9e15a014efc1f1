import { graphemesOf } from '@scriptorium/fonts/wrap-text';

/** Maximum characters of one value on a page; `audit.json` has the full value. */
const SHOWN_CHARS_MAX = 1_000;
const ELLIPSIS = '…';
/** Extra code units allowed, since one character may consist of several units and marks. */
const CLUSTER_UNITS_MAX = 8;

const ASCII = /^[ -~]*$/;
const BLANKS = /[\s\u0085]+/gu;
/**
 * Controls and characters that change the text direction or are invisible (bidirectional formats of Unicode, tags,
 * invisible operators): a name must not look like another. U+FFFD replaces them.
 */
const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** Returns a text safe to show on a page: one paragraph, no hidden characters, at most `max` characters, cut with an ellipsis. */
export function shownText(text: string, max: number = SHOWN_CHARS_MAX): string {
  if (text.length <= max && ASCII.test(text)) return text.trim();
  const start = text.slice(0, (max + 1) * CLUSTER_UNITS_MAX);
  const clean = start.replace(BLANKS, ' ').trim().replace(HIDDEN, '\ufffd');
  const shown = graphemesOf(clean);
  if (shown.length <= max && start.length === text.length) return clean;
  return `${shown.slice(0, max).join('').trimEnd()}${ELLIPSIS}`;
}

/** Formats JSON for people: `field: consent · value: true`; nested objects and lists in brackets. Never longer than `max`. */
export function shownJson(value: unknown, max: number = SHOWN_CHARS_MAX): string {
  const parts: string[] = [];
  collect(value, parts, { left: max + 1, depth: 0 });
  return shownText(parts.join(''), max);
}

interface Room {
  left: number;
  depth: number;
}

/** Appends the texts of a value until no room is left, regardless of the size of the value. */
function collect(value: unknown, parts: string[], room: Room): void {
  if (room.left <= 0) return;
  if (typeof value !== 'object' || value === null) {
    add(String(value), parts, room);
    return;
  }
  const isList = Array.isArray(value);
  const isInner = room.depth > 0;
  if (isInner || isList) add(isList ? '[' : '{', parts, room);
  room.depth += 1;
  let isFirst = true;
  for (const name in value) {
    if (room.left <= 0) break;
    if (!isFirst) add(isInner || isList ? ', ' : ' · ', parts, room);
    if (!isList) add(`${name}: `, parts, room);
    collect((value as Record<string, unknown>)[name], parts, room);
    isFirst = false;
  }
  room.depth -= 1;
  if (isInner || isList) add(isList ? ']' : '}', parts, room);
}

function add(text: string, parts: string[], room: Room): void {
  parts.push(text.slice(0, room.left * CLUSTER_UNITS_MAX));
  room.left -= text.length;
}

/** Returns a format of `shownTime` for a time zone (IANA). */
export const offsetFormat = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });

/**
 * Returns for example `2026-03-02 10:20:30.456 UTC`, or `2026-03-02 11:20:30.456 +01:00` with the format of a zone, or the
 * text unchanged if it is not a time.
 */
export function shownTime(timestamp: string, zone?: Intl.DateTimeFormat): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return shownText(timestamp, 40);
  const name = zone?.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value;
  const offset = /[+-][\d:]+/.exec(name ?? '')?.[0] ?? '+00:00';
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number);
  const offsetMs = ((hours * 60 + minutes) * 60 + seconds) * (offset.startsWith('-') ? -1_000 : 1_000);
  const [day = '', clock = ''] = new Date(time.getTime() + offsetMs).toISOString().split('T');
  return `${day} ${clock.replace('Z', '')} ${zone ? offset : 'UTC'}`;
}
