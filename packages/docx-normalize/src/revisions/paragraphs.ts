import type { ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import type { PartText } from './part-text.ts';
import type { Block, Paragraph, Story } from './story.ts';

const XMLNS = '{http://www.w3.org/2000/xmlns/}';

/** Elements that contain paragraphs and begin a story. Other files handle cells, notes and content controls. */
const STORIES = [
  'w:body',
  'w:hdr',
  'w:ftr',
  'w:comment',
  'w:txbxContent',
  'w:docPartBody',
  'mc:Choice',
  'mc:Fallback',
] as const;

function declarationsOf(tag: OpenTag, text: PartText): string {
  return tag.attributes
    .filter(({ name }) => name === 'xmlns' || name.startsWith(XMLNS))
    .map(({ start, end }) => ` ${text.written(tag.start + start, tag.start + end)}`)
    .join('');
}

/** Removes a paragraph with its mark. Anchors that reach outside of it stay. */
function drop({ span, anchors, declarations }: Paragraph, text: PartText): void {
  text.replace(span.start, span.end, anchors.xml(declarations));
}

/** The start tag and properties of a paragraph. */
function head({ span, properties }: Paragraph, text: PartText): string {
  const tag = text.written(span.start, span.openEnd).replace(/\/>$/, '>');
  if (properties === undefined) return tag;
  const { start, end, since, until } = properties;
  return tag + text.edited(start, end, since, until);
}

/**
 * Merges paragraphs into one. A mark carries the properties of its paragraph, and the last mark is the one that stays. By
 * ECMA-376-1 §17.13.5.15, "contents … are combined with the following paragraph".
 */
function merge(paragraphs: readonly Paragraph[], text: PartText): void {
  const last = paragraphs.at(-1);
  const from = paragraphs.findIndex((paragraph) => paragraph.hasContent || paragraph === last);
  for (const paragraph of paragraphs.slice(0, from)) drop(paragraph, text);
  const [first, ...rest] = paragraphs.slice(from);
  if (last === undefined || first === undefined || first === last) return;
  text.replace(first.span.start, first.span.openEnd, head(last, text));
  for (const { span, properties } of [first, ...rest]) {
    if (properties !== undefined) text.remove(properties);
    if (span !== last.span) text.replace(span.closeStart, span.end, '');
    if (span !== first.span && span.openEnd < span.end) text.replace(span.start, span.openEnd, '');
  }
  const { span } = last;
  const isEmpty = span.openEnd === span.end;
  const name = /^<([^\s/>]+)/.exec(text.written(span.start, span.openEnd))?.[1];
  if (isEmpty) text.replace(span.start, span.end, `</${name}>`);
}

/**
 * Ends open paragraphs if no paragraph follows to merge with: before a table or a control, or at the end of a story. The last
 * mark of a story must stay (§17.13.5.15). Empty ones are removed, unless the story must end in a paragraph.
 */
function settle(block: Block, text: PartText, isEnd: boolean): void {
  const paragraphs = block.open;
  if (paragraphs.length === 0) return;
  block.open = [];
  const isNeeded = isEnd && !block.endsInParagraph;
  if (!isNeeded && !paragraphs.some(({ hasContent }) => hasContent)) {
    for (const paragraph of paragraphs) drop(paragraph, text);
    return;
  }
  merge(paragraphs, text);
  block.endsInParagraph = true;
}

/** Called where something other than a paragraph stays in the block. */
export function interrupt({ block, text }: Story): void {
  settle(block, text, false);
  block.endsInParagraph = false;
}

/** Leaves the block and returns it. */
export function finishBlock(story: Story): Block {
  settle(story.block, story.text, true);
  return story.leaveBlock();
}

/** Whether two paragraphs can be merged: both are in the same element and declare the same namespaces. */
function canJoin(before: Paragraph, next: Paragraph, { lowest }: Block): boolean {
  return before.level === next.level && lowest === next.level && before.declarations === next.declarations;
}

function closeParagraph({ block, text }: Story, paragraph: Paragraph): void {
  if (block.open.length === 0 && !paragraph.isMarkGone) {
    block.endsInParagraph = true;
    return;
  }
  const before = block.open.at(-1);
  if (before !== undefined && !canJoin(before, paragraph, block)) settle(block, text, false);
  block.open.push(paragraph);
  block.lowest = paragraph.level;
  if (paragraph.isMarkGone) return;
  merge(block.open, text);
  block.open = [];
  block.endsInParagraph = true;
}

/** Handles paragraphs and their containers. Merges each paragraph whose mark is removed with the next one. */
export function paragraphVisitor(story: Story): XmlVisitor {
  const { text } = story;
  const paragraph = {
    open: (tag: OpenTag) => {
      story.enterAnchors();
      story.paragraph = {
        outer: story.paragraph,
        span: { start: tag.start, openEnd: tag.end, closeStart: tag.end, end: tag.end },
        declarations: declarationsOf(tag, text),
        level: story.levelOf(tag),
        anchors: story.anchors,
        isMarkGone: false,
        hasContent: false,
      };
    },
    close: (span: ElementSpan) => {
      const closed = story.paragraph;
      if (closed === undefined) return;
      story.leaveAnchors();
      story.paragraph = closed.outer;
      closed.span = span;
      closeParagraph(story, closed);
    },
  };
  const block = { open: () => story.enterBlock(), close: () => void finishBlock(story) };
  const other = {
    open: () => {
      if (story.isAtBlockLevel) interrupt(story);
    },
  };
  return {
    'w:p': paragraph,
    ...Object.fromEntries(STORIES.map((name) => [name, block])),
    'w:altChunk': other,
    'mc:AlternateContent': other,
  };
}

/** Tracks the level of every element, because any element may lie between two paragraphs. */
export function levelVisitor(story: Story): XmlVisitor {
  const open = (tag: OpenTag) => {
    const level = story.levelOf(tag);
    if (level < story.block.lowest) story.block.lowest = level;
  };
  return { '*': { open } };
}
