import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { GroupText } from './group-text.ts';
import type { Lexeme } from './lexer.ts';

const NAME = /\[(#this|[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*)\]/gu;

/** The `[name]` marks of poi-tl, by the texts that contain them. */
export type RowMarks = ReadonlyMap<GroupText, readonly Lexeme[]>;

/**
 * Finds `[name]` in rows. Such a row follows a row with a tag in double braces, or another such row, and has no tag
 * itself. Each of its texts has a `[name]`, so that a note in brackets is not a mark.
 */
export function rowMarksOf(texts: readonly GroupText[]): RowMarks {
  const found = new Map<GroupText, readonly Lexeme[]>();
  if (!texts.some(({ text }) => text.includes('['))) return found;
  const rows = new Map<XmlNode, GroupText[]>();
  for (const text of texts) {
    const row = rowOf(text.group.texts[0]);
    if (row === undefined || text.text.trim() === '') continue;
    const known = rows.get(row);
    if (known === undefined) rows.set(row, [text]);
    else known.push(text);
  }
  const before = new Map<XmlNode, XmlNode>();
  for (const table of new Set([...rows.keys()].map(({ parent }) => parent))) {
    const all = table?.children.filter(({ name }) => name === 'w:tr') ?? [];
    for (const [index, row] of all.entries()) if (index > 0) before.set(row, all[index - 1] as XmlNode);
  }
  const repeated = new Set<XmlNode>();
  for (const [row, own] of rows) {
    const above = before.get(row);
    if (above === undefined || own.some(hasTag)) continue;
    if (!repeated.has(above) && !(rows.get(above) ?? []).some(hasTag)) continue;
    const marks = own.map((text) => [text, namesIn(text.text)] as const);
    if (marks.some(([, names]) => names.length === 0)) continue;
    repeated.add(row);
    for (const [text, names] of marks) found.set(text, names);
  }
  return found;
}

function hasTag({ text }: GroupText): boolean {
  return /\{\{[^{}]+\}\}/.test(text);
}

function namesIn(text: string): Lexeme[] {
  return [...text.matchAll(NAME)].map(({ 0: written, 1: inner = '', index }) => ({
    kind: 'row',
    start: index,
    end: index + written.length,
    inner,
  }));
}

function rowOf(text: XmlNode): XmlNode | undefined {
  for (const outer of ancestorsOf(text)) {
    if (outer.name === 'w:tr') return outer;
    if (outer.name === 'w:txbxContent') return undefined;
  }
  return undefined;
}
