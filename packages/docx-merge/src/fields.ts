import { type Edit, escapeXml } from '@scriptorium/ooxml/xml';
import type { Field } from './part-facts.ts';

/** Fields whose arguments name bookmarks (ECMA-376-1 §17.16.5). */
const NAMES_BOOKMARK =
  /^\s*(REF|PAGEREF|NOTEREF|HYPERLINK|TOC|TOA|INDEX|GOTOBUTTON|ASK|SET|STYLEREF|RD|FORMTEXT|FORMCHECKBOX|FORMDROPDOWN|IF|=|[A-Za-z_]\w*\s*$)/i;
const SEQUENCE = /^\s*SEQ\s+("[^"]*"|\S+)/i;
const PROPERTY = /^\s*(DOCPROPERTY|DOCVARIABLE)\b/i;
const PAGE_COUNT = /^\s*NUMPAGES\b/i;

/** What the fields of one document become. */
export interface FieldChanges {
  /** New names of bookmarks and styles, by the old ones. */
  names: ReadonlyMap<string, string>;
  /** Returns whether this label, in lower case, must start at 1 again. Asked once for each SEQ field, in order. */
  restarts(label: string): boolean;
  /** NUMPAGES becomes SECTIONPAGES, since the document is one section of the merged one. */
  countsSection: boolean;
}

/** Facts for warnings. */
export interface FieldFacts {
  hasProperty: boolean;
  hasPageCount: boolean;
  /** A name that is spread over several runs, and could not follow its bookmark. */
  lostName: boolean;
}

/** The edits of the fields of a part. */
export function fieldEdits(fields: readonly Field[], changes: FieldChanges, facts: FieldFacts): Edit[] {
  const edits: Edit[] = [];
  for (const { instruction, pieces } of inOrder(fields)) {
    if (PROPERTY.test(instruction)) facts.hasProperty = true;
    const isCount = PAGE_COUNT.test(instruction);
    if (isCount) facts.hasPageCount = true;
    const [, label] = SEQUENCE.exec(instruction) ?? [];
    const isRestart = label !== undefined && changes.restarts(label.replaceAll('"', '').toLowerCase());
    const texts = pieces.map(({ text }) => text);
    if (NAMES_BOOKMARK.test(instruction) && changes.names.size > 0)
      rename(instruction, texts, changes.names, facts);
    if (isCount && changes.countsSection) count(texts);
    const last = texts.length - 1;
    if (isRestart && !/\\r\s*\d/i.test(instruction) && last >= 0)
      texts[last] = ` ${texts[last]?.trim()} \\r 1 `;
    for (const [at, { start, end, text }] of pieces.entries())
      if (texts[at] !== text) edits.push({ start, end, text: escapeXml(texts[at] ?? '') });
  }
  return edits;
}

/** Fields end inside out; sequences count by their beginning. */
const inOrder = (fields: readonly Field[]): Field[] =>
  fields.toSorted((a, b) => (a.pieces[0]?.start ?? 0) - (b.pieces[0]?.start ?? 0));

const WORD = /[^\s"\\]+/g;

function rename(
  instruction: string,
  texts: string[],
  names: ReadonlyMap<string, string>,
  facts: FieldFacts,
): void {
  const wanted = wordsOf(instruction).filter((word) => names.has(word)).length;
  let done = 0;
  for (const [at, text] of texts.entries())
    texts[at] = text.replace(WORD, (word) => {
      const name = names.get(word);
      if (name !== undefined) done++;
      return name ?? word;
    });
  if (done < wanted) facts.lostName = true;
}

const wordsOf = (text: string): string[] => text.match(WORD) ?? [];

function count(texts: string[]): void {
  const at = texts.findIndex((text) => /NUMPAGES/i.test(text));
  if (at >= 0) texts[at] = (texts[at] ?? '').replace(/NUMPAGES/i, 'SECTIONPAGES');
}
