import { openTemplate, type Story, type Template, textGroupsOf } from '@scriptorium/docx-template/template';
import { openPackage, writePackage } from '@scriptorium/ooxml/package';
import { childOf, type Edit, type XmlNode } from '@scriptorium/ooxml/xml';
import { endsSection } from './control-paragraphs.ts';
import { GroupText } from './marks/group-text.ts';
import { around } from './span.ts';

const KEY = 'joined paragraphs';
/** The characters of `{%-` and of `-%}`. */
const SIGN = 3;
/** A statement that takes no paragraph or row along. */
const START = /^\s*\{%-(?!\s*(?:tr|tc|p|r)\s)/;
const END = /\{%(?!-?\s*(?:tr|tc|p|r)\s)[^{}]{1,2000}-%\}\s*$/;

/**
 * The template with the paragraphs joined that docxtpl joins. `{%-` at the start of a paragraph joins it to the one before it,
 * and `-%}` at the end to the one after it. The template itself if there are none.
 */
export async function joinedTemplate(template: Template): Promise<Template> {
  const { derived, stories, source } = template;
  const known = derived.get(KEY) as Template | undefined;
  if (known !== undefined) return known;
  const edits = new Map(stories.map((story) => [story.part.key, joinsIn(story)] as const));
  const hasJoins = [...edits.values()].some((own) => own.length > 0);
  const joined = hasJoins ? await reopened(source, edits) : template;
  derived.set(KEY, joined);
  return joined;
}

async function reopened(source: Buffer, edits: ReadonlyMap<string, readonly Edit[]>): Promise<Template> {
  const document = await openPackage(source);
  for (const part of document.parts.values()) part.edits.push(...(edits.get(part.key) ?? []));
  return await openTemplate(writePackage(document, { isCompressed: true }));
}

function joinsIn(story: Story): Edit[] {
  if (!/\{%|%\}|%</.test(story.xml)) return [];
  const edits: Edit[] = [];
  /** The paragraphs that continue the one before them. */
  const joined = new Set<XmlNode>();
  for (const group of textGroupsOf(story, { crossesBreaks: true })) {
    const text = new GroupText(group);
    const paragraph = around(group.texts[0], 'w:p');
    const siblings = paragraph?.parent?.children ?? [];
    const at = paragraph === undefined ? -1 : siblings.indexOf(paragraph);
    const start = START.exec(text.text)?.[0].length;
    const end = END.test(text.text) ? text.text.lastIndexOf('-%}') : undefined;
    const [before, after] = [siblings[at - 1], siblings[at + 1]];
    if (start !== undefined && paragraph !== undefined && canJoin(before, paragraph)) {
      joined.add(paragraph);
      edits.push(...removed(text, 0, start - SIGN), ...removed(text, start - 1, start));
    }
    if (end !== undefined && paragraph !== undefined && canJoin(paragraph, after)) {
      joined.add(after);
      edits.push(...removed(text, end, end + 1), ...removed(text, end + SIGN, text.text.length));
    }
  }
  return [...edits, ...[...joined].map((paragraph) => joinOf(paragraph))];
}

/** The sign of a mark goes, and the white space outside of it. Nothing else is trimmed. */
function removed(text: GroupText, from: number, to: number): Edit[] {
  if (from >= to) return [];
  return text.piecesOf(from, to).pieces.map(({ start, end }) => ({ start, end, text: '' }));
}

function canJoin(before: XmlNode | undefined, after: XmlNode | undefined): after is XmlNode {
  if (before?.name !== 'w:p' || after?.name !== 'w:p') return false;
  const isEmpty = before.closeStart === before.end || after.closeStart === after.end;
  return !isEmpty && !endsSection(before) && !endsSection(after);
}

/** Takes out the end of the paragraph before, and the start of this one. */
function joinOf(paragraph: XmlNode): Edit {
  const siblings = paragraph.parent?.children ?? [];
  const before = siblings[siblings.indexOf(paragraph) - 1] ?? paragraph;
  return { start: before.closeStart, end: childOf(paragraph, 'w:pPr')?.end ?? paragraph.openEnd, text: '' };
}
