import type { PdfDocument } from '../read/document.ts';
import { type Dict, Ref } from '../read/values.ts';
import { malformed } from '../refusals.ts';
import type { Update } from './update.ts';

/** Text of an array with an item more. `start` and `end` enclose its brackets. */
function withItem(source: Buffer, start: number, end: number, item: string): string {
  return `${source.toString('latin1', start, end - 1)} ${item}]`;
}

/**
 * Appends to the array that a dictionary has under a key. An array that is an object of its own is replaced; otherwise
 * the answer is the key's new value, to be written with the dictionary.
 */
export function appendToArray(update: Update, dict: Dict, key: string, item: string): string | undefined {
  const entry = dict.entries.get(key);
  if (!entry || entry.value === null) return `[${item}]`;
  if (Array.isArray(entry.value)) return withItem(dict.source, entry.start, entry.end, item);
  if (!(entry.value instanceof Ref)) throw malformed(`/${key} is no array`);
  const object = update.document.object(entry.value);
  if (!object || object.value === null) return `[${item}]`;
  if (!Array.isArray(object.value)) throw malformed(`/${key} is no array`);
  update.replace(entry.value, withItem(object.source, object.start, object.end, item));
  return undefined;
}

/** The dictionary that a key has, and the object of its own that it is, if it is one. */
export function ownedDict(document: PdfDocument, dict: Dict, key: string): { dict?: Dict; ref?: Ref } {
  const value = dict.get(key);
  const resolved = document.dict(dict, key);
  if (!resolved) return {};
  return value instanceof Ref ? { dict: resolved, ref: value } : { dict: resolved };
}
