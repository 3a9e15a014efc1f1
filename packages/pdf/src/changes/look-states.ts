import { PdfError } from '../pdf-error.ts';
import { Dict, isName, Name, type PdfValue, Stream } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { contentOf } from './content.ts';
import { isSameMeaning } from './same-meaning.ts';

const STATES_MAX = 64;
/** White space of PDF: other characters that count as white space elsewhere are not (ISO 32000-2, table 1). */
const SPACES = /[\0\t\n\f\r ]+/g;

/** The states of an appearance by name; the name is '' for an appearance without states. */
export function statesOf(
  document: Comparison['older'],
  annotation: Dict,
  kind: 'N' | 'R' | 'D',
): Map<string, Stream> {
  const looks = document.get(annotation, 'AP');
  const look = looks instanceof Dict ? document.get(looks, kind) : null;
  if (look instanceof Stream) return new Map([['', look]]);
  if (!(look instanceof Dict)) return new Map();
  const states = [...look.entries.keys()]
    .slice(0, STATES_MAX)
    .map((key) => [key, document.get(look, key)] as const);
  return new Map(states.filter((entry): entry is [string, Stream] => entry[1] instanceof Stream));
}

/** Keys of a stream that only describe its encoding. */
const PACKING: ReadonlySet<string> = new Set(['Length', 'Filter', 'DecodeParms']);

/** Whether two looks have the same operators, in any encoding. */
export function isDrawnAlike(c: Comparison, before: Stream, now: Stream): boolean {
  if (isSameMeaning(c, before, now)) return true;
  const keys = [...new Set([...before.dict.entries.keys(), ...now.dict.entries.keys()])];
  const isSame = keys.every(
    (key) => PACKING.has(key) || isSameMeaning(c, before.dict.get(key), now.dict.get(key)),
  );
  return isSame && operatorsOf(c, c.older, before) === operatorsOf(c, c.newer, now);
}

/** The content of a look with one space for white space; a symbol if it cannot be read. */
export function operatorsOf(c: Comparison, document: Comparison['older'], look: Stream): string | symbol {
  try {
    const content = contentOf(document, look, c.budget).toString('latin1');
    // The end of a line ends a comment too.
    return content.includes('%') ? content : content.replace(SPACES, ' ').trim();
  } catch (error) {
    // A new symbol differs from every other value.
    if (error instanceof PdfError) return Symbol();
    throw error;
  }
}

/** Whether a button is in the state of its value, or off (ISO 32000-2, 12.7.5.2.3). */
export function isInState(c: Comparison, widget: Dict, value: PdfValue): boolean {
  const states = statesOf(c.newer, widget, 'N');
  if (value !== null && !(value instanceof Name)) return false;
  if (states.size === 0) return true;
  const wanted = value instanceof Name && states.has(value.text) ? value.text : 'Off';
  const state = c.newer.get(widget, 'AS');
  return isName(state, wanted) || (state === null && wanted === 'Off');
}
