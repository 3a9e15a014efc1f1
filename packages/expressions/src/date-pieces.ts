import { MOMENT, type Piece, STRFTIME, STYLES, WORD } from './date-fields.ts';

const LITERALS = { word: /'((?:[^']|'')*)'|"([^"]*)"/y, moment: /\[([^\]]*)\]/y } as const;
const RUN = /am\/pm|AM\/PM|Do|([A-Za-z])\1*/y;

const PATTERNS_MAX = 500;
const patterns = new Map<string, readonly Piece[]>();

/** The longest pattern. Word's pictures are at most sentences. */
export const PATTERN_CHARS_MAX = 255;

/** Only moment has a day `D`; `Y` beside a day `d` is a slip of someone who writes CLDR's patterns. */
function isMomentPattern(pattern: string): boolean {
  const bare = pattern.replace(/'[^']*'|"[^"]*"|\[[^\]]*\]/g, '');
  if (/D/.test(bare) || /\[[^\]]*\]/.test(pattern)) return true;
  return (/Y/.test(bare) && !/(?<!d)d{1,2}(?!d)/.test(bare)) || /A(?!M\/PM)/.test(bare);
}

/** Splits a pattern into its fields. Undefined if it has a field that is not known; a picture keeps it as a text. */
export function piecesOf(pattern: string, isPicture = false): readonly Piece[] | undefined {
  const key = `${isPicture ? 'picture' : 'pattern'} ${pattern}`;
  const known = patterns.get(key);
  if (known !== undefined) return known;
  const language = isPicture ? 'picture' : isMomentPattern(pattern) ? 'moment' : 'word';
  const isStrftime = !isPicture && /%[-_#]?[A-Za-z]/.test(pattern);
  const pieces = isStrftime ? strftimePieces(pattern) : letterPieces(pattern, language);
  if (pieces === undefined) return undefined;
  if (patterns.size >= PATTERNS_MAX) patterns.clear();
  patterns.set(key, pieces);
  return pieces;
}

/** A field costs as much as an evaluation. */
const UNITS_OF_FIELD = 10;

/** The units of work that reading or showing a date by a pattern costs. */
export function costOf(pattern: string, isPicture = false): number {
  if (Object.hasOwn(STYLES, pattern)) return Object.keys(STYLES[pattern] ?? {}).length * UNITS_OF_FIELD;
  return (piecesOf(pattern, isPicture) ?? []).reduce(
    (units, piece) => units + (typeof piece === 'string' ? 1 : UNITS_OF_FIELD),
    0,
  );
}

function letterPieces(pattern: string, language: 'word' | 'moment' | 'picture'): Piece[] | undefined {
  const fields = language === 'moment' ? MOMENT : WORD;
  const literal = LITERALS[language === 'moment' ? 'moment' : 'word'];
  const pieces: Piece[] = [];
  let at = 0;
  while (at < pattern.length) {
    literal.lastIndex = at;
    const quoted = literal.exec(pattern);
    RUN.lastIndex = at;
    const written = quoted === null ? RUN.exec(pattern)?.[0] : undefined;
    // Word takes small and capital letters for days and years alike.
    const run = language === 'picture' && /^[DY]/.test(written ?? '') ? written?.toLowerCase() : written;
    if (quoted !== null)
      pieces.push(quoted[1] === '' ? "'" : (quoted[1]?.replaceAll("''", "'") ?? quoted[2] ?? ''));
    else if (run !== undefined && Object.hasOwn(fields, run)) {
      const [field, digits] = fields[run] ?? ['year', 0];
      pieces.push({ field, digits });
    } else if (run !== undefined && language !== 'picture' && run !== 'T') return undefined;
    else pieces.push(run ?? pattern.charAt(at));
    at += quoted?.[0].length ?? run?.length ?? 1;
  }
  return pieces;
}

function strftimePieces(pattern: string): Piece[] | undefined {
  const pieces: Piece[] = [];
  const expanded = pattern.replace(/%([FTRD])/g, (_, name: string) => String(STRFTIME[name]));
  for (const [, flag, name = '', text = ''] of expanded.matchAll(/%([-_#]?)([A-Za-z%])|([^%]+|%)/g)) {
    const known = Object.hasOwn(STRFTIME, name) ? STRFTIME[name] : undefined;
    if (name === '' || name === '%') pieces.push(name || text);
    else if (known === undefined || typeof known === 'string') return undefined;
    else pieces.push({ field: known[0], digits: flag === '' ? known[1] : Math.min(known[1], 1) });
  }
  return pieces;
}
