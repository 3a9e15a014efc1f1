import type { PdfDocument } from '../read/document.ts';
import { Dict, Name, PdfString, type PdfValue } from '../read/values.ts';
import { isOfForm, isOfStructure, type RemovedAction, STARTING } from './action-types.ts';

/** Actions that open another file, which may be one of the same folder. What is embedded in a file (`GoToE`) was not vetted. */
const OPENING = new Set(['GoToR', 'Thread']);

const FILE_KEYS = ['UF', 'F', 'DOS', 'Mac', 'Unix'];

/** Whether the address of a link may stay. */
export type IsSafeLink = (address: string) => boolean;

/** What is unsafe in a dictionary of any PDF if it is an action; undefined if nothing is. */
export function judgeAction(
  document: PdfDocument,
  dict: Dict,
  isSafeLink: IsSafeLink,
): RemovedAction | undefined {
  const type = dict.entries.has('S') ? document.get(dict, 'S') : null;
  if (type instanceof Name && STARTING.has(type.text) && !isOfStructure(dict)) {
    const script = document.get(dict, 'JS');
    const isExempt =
      (script instanceof PdfString && isOfForm(dict, script)) ||
      (OPENING.has(type.text) && namesOf(document, document.get(dict, 'F')).every(isSafeLink));
    if (!isExempt) return { what: 'action', detail: type.text };
  }
  const address = dict.entries.has('URI') ? document.get(dict, 'URI') : null;
  // PDFium takes a name for a string.
  if ((address instanceof PdfString || address instanceof Name) && !isSafeLink(address.text))
    return { what: 'link', detail: address.text };
  return undefined;
}

/** Keys of annotations and of models that hold programs (ISO 32000-2, 13.6.3 and 13.7). */
const PROGRAM_KEYS = ['OnInstantiate', 'RichMediaContent', 'RichMediaSettings'];
/** Keys by which a stream has its data in another file (ISO 32000-2, table 5). */
const DATA_KEYS = ['F', 'FFilter', 'FDecodeParms'];

/**
 * What fetches or runs something by its keys, beside actions: programs, and data in other files. A name of an embedded file
 * fetches nothing, and stays.
 */
export function judgeKeys(
  document: PdfDocument,
  { entries }: Dict,
  isSafeLink: IsSafeLink,
): Map<string, RemovedAction> {
  const found = new Map<string, RemovedAction>();
  for (const key of PROGRAM_KEYS) if (entries.has(key)) found.set(key, { what: 'action', detail: key });
  const isStream = entries.has('F') && entries.has('Length');
  if (!entries.has('EF'))
    for (const key of [...FILE_KEYS, 'URL']) {
      const value = entries.has(key) ? document.resolve(entries.get(key)?.value ?? null) : null;
      const name = value instanceof PdfString ? value.text : '';
      if (!isSafeLink(name)) found.set(key, { what: 'link', detail: name });
    }
  if (isStream) for (const key of DATA_KEYS) found.set(key, { what: 'link', detail: 'data in another file' });
  return found;
}

/** The names of a file, of which each reader uses another one (ISO 32000-2, 7.11). */
function namesOf(document: PdfDocument, value: PdfValue): string[] {
  const names = value instanceof Dict ? FILE_KEYS.map((key) => document.get(value, key)) : [value];
  return names.flatMap((name) => (name instanceof PdfString ? [name.text] : []));
}
