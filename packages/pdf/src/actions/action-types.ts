import { Dict, isName, type PdfString, Ref } from '../read/values.ts';

/** What was removed from a PDF: the address of a link, or the type of an action. */
export interface RemovedAction {
  what: 'link' | 'action';
  detail: string;
}

/** Types of actions that start something, send something, or run (ISO 32000-2, 12.6.4). */
export const STARTING: ReadonlySet<string> = new Set([
  ...['Launch', 'GoToR', 'GoToE', 'Thread', 'ImportData', 'SubmitForm', 'JavaScript'],
  ...['Rendition', 'Movie', 'Sound', 'RichMediaExecute'],
]);
/** Keys of an element of the logical structure (ISO 32000-2, table 355). An action that can do something has others. */
const STRUCTURE_KEYS: ReadonlySet<string> = new Set([
  ...['Type', 'S', 'P', 'ID', 'Pg', 'K', 'A', 'C', 'R', 'T', 'Lang', 'Alt', 'E', 'ActualText', 'AF', 'Ref'],
  ...['NS', 'PhoneticAlphabet', 'Phoneme'],
]);
/** The scripts that every reader knows, by which fields of a form are formatted and summed up. Their arguments are literals. */
const FORM_SCRIPT =
  /^AF(?:(?:Number|Percent|Date|Time|Special)_(?:Format|Keystroke)(?:Ex)?|Simple_Calculate|Range_Validate)\((?:[\d.,\s-]|true|false|new Array ?\(|\)(?=[\s,)])|"[^"\\()]*"|'[^'\\()]*')*\);?$/;

/** An element of the logical structure, whose type may be a name that the author chose. */
export function isOfStructure(dict: Dict): boolean {
  const { entries } = dict;
  // The revision of an element is a number, and its title is a text. Those of actions lead to a rendition, and to a target.
  const isOther = [dict.get('R'), dict.get('T')].some(
    (value) => value instanceof Dict || value instanceof Ref,
  );
  return entries.has('P') && !isOther && [...entries.keys()].every((key) => STRUCTURE_KEYS.has(key));
}

/** Whether an action only formats or sums up fields of its form. */
export function isOfForm(dict: Dict, script: PdfString): boolean {
  return isName(dict.get('S'), 'JavaScript') && FORM_SCRIPT.test(script.text);
}
