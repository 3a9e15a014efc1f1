import { applyEdits, decodeReferences, type Edit } from '@scriptorium/ooxml/xml';
import { propertyOf } from './document-properties.ts';
import { escapeAttribute } from './edits.ts';
import { type NewNames, renamesIn } from './field-names.ts';
import type { Field } from './part-facts.ts';
import type { MergeWarning } from './settings.ts';

const SEQUENCE = /^\s*SEQ\s+("[^"]*"|\S+)/i;
const PAGE_COUNT = /^\s*NUMPAGES\b/i;

/** What the fields of one document become. */
export interface FieldChanges {
  /** Names of bookmarks and styles; undefined if all stay. */
  names: NewNames | undefined;
  /** Returns whether this label, in lower case, must start at 1 again. Asked once for each SEQ field, in order. */
  restarts(label: string): boolean;
  /** NUMPAGES becomes SECTIONPAGES, since the document is one section of the merged one. */
  countsSection: boolean;
  /** The properties of this document, and those that its fields would show. */
  properties: { own: ReadonlyMap<string, string>; merged: ReadonlyMap<string, string> } | undefined;
}

/** Facts for warnings. */
export interface FieldFacts {
  /** A field shows a property that has another value in the merged document. */
  isFrozen: boolean;
  hasPageCount: boolean;
  /** A name that is spread over several runs, and could not follow its bookmark. */
  lostName: boolean;
  /** The document has notes, which have to begin at 1 again. */
  isNumbered?: boolean;
}

/** The edits of the fields of a part with this text. */
export function fieldEdits(
  xml: string,
  fields: readonly Field[],
  changes: FieldChanges,
  facts: FieldFacts,
): Edit[] {
  const edits: Edit[] = [];
  for (const { instruction, pieces, result } of inOrder(fields)) {
    const isCount = PAGE_COUNT.test(instruction);
    if (isCount) facts.hasPageCount = true;
    const [, label] = SEQUENCE.exec(instruction) ?? [];
    const isRestart = label !== undefined && changes.restarts(label.replaceAll('"', '').toLowerCase());
    const texts = pieces.map(({ text }) => text);
    const frozen = frozenText(instruction, xml.slice(result.start, result.end), changes);
    if (frozen !== undefined) {
      facts.isFrozen = true;
      texts.fill('').splice(0, 1, quoted(frozen));
    } else if (changes.names !== undefined)
      facts.lostName = !rename(texts, renamesIn(instruction, changes.names)) || facts.lostName;
    if (isCount && changes.countsSection) count(texts);
    const last = texts.length - 1;
    if (isRestart && !/\\r\s*\d/i.test(instruction) && last >= 0)
      texts[last] = ` ${texts[last]?.trim()} \\r 1 `;
    for (const [at, { start, end, text }] of pieces.entries())
      if (texts[at] !== text) edits.push({ start, end, text: escapeAttribute(texts[at] ?? '') });
  }
  return edits;
}

/** What a field showed of a property that has another value in the merged document; undefined for other fields. */
function frozenText(instruction: string, result: string, { properties }: FieldChanges): string | undefined {
  const property = properties && propertyOf(instruction);
  if (property === undefined) return undefined;
  const own = properties?.own.get(property);
  if (own === properties?.merged.get(property)) return undefined;
  const texts = [...result.matchAll(/<(?:\w+:)?t(?:\s[^<>]*)?>([^<]*)</g)].map(([, text = '']) => text);
  return texts.length === 0 ? (own ?? '') : decodeReferences(texts.join(''));
}

/** A field that shows a text (ECMA-376-1 §17.16.5.49). */
const quoted = (text: string): string => ` QUOTE "${text.replaceAll(/["\\]/g, '\\$&')}" `;

/** Fields end inside out; sequences count by their beginning. */
const inOrder = (fields: readonly Field[]): Field[] =>
  fields.toSorted((a, b) => (a.pieces[0]?.start ?? 0) - (b.pieces[0]?.start ?? 0));

/** Changes an instruction in its pieces. Returns false if a name is spread over several pieces, and stays. */
function rename(texts: string[], renames: readonly Edit[]): boolean {
  let [from, next] = [0, 0];
  let isWhole = true;
  for (const [at, text] of texts.entries()) {
    const to = from + text.length;
    const own: Edit[] = [];
    for (let edit = renames[next]; edit !== undefined && edit.start < to; edit = renames[++next])
      if (edit.end <= to) own.push({ start: edit.start - from, end: edit.end - from, text: edit.text });
      else isWhole = false;
    texts[at] = applyEdits(text, own);
    from = to;
  }
  return isWhole;
}

function count(texts: string[]): void {
  const at = texts.findIndex((text) => /NUMPAGES/i.test(text));
  if (at >= 0) texts[at] = (texts[at] ?? '').replace(/NUMPAGES/i, 'SECTIONPAGES');
}

/** What a reader of the merged document should know of the fields of one document. */
export function fieldWarnings(document: number, facts: FieldFacts, countsSection: boolean): MergeWarning[] {
  const found: [isTrue: boolean, code: string, message: string, isOfPdf?: true][] = [
    [
      facts.hasPageCount && countsSection,
      'SECTION_PAGES',
      'In a PDF, the number of pages in a field is the one that the document last showed.',
      true,
    ],
    [
      facts.isNumbered === true,
      'NOTE_NUMBERS',
      'In a PDF, the notes of the document go on from those of the document before.',
      true,
    ],
    [
      facts.isFrozen,
      'PROPERTY_FIELD',
      'A field shows a property with another value in the first document. It became text.',
    ],
    [
      facts.hasPageCount && !countsSection,
      'PAGE_COUNT',
      'The number of pages in a field is that of the merged document.',
    ],
    [facts.lostName, 'FIELD_REFERENCE', 'A field may refer to a bookmark of another document.'],
  ];
  return found
    .filter(([isTrue]) => isTrue)
    .map(([, code, message, isOfPdf]) => ({ document, code, message, ...(isOfPdf && { isOfPdf }) }));
}
