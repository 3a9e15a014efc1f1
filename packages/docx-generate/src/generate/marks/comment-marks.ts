import type { Story, Template } from '@scriptorium/docx-template/template';
import { dialectOf } from '@scriptorium/docx-template/template';
import { Budget } from '@scriptorium/ooxml/bounds';
import type { Part } from '@scriptorium/ooxml/package';
import {
  attributeOf,
  decodeReferences,
  descendantsOf,
  scanXml,
  TreeBuilder,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import { calledIn, isInstruction, readComment } from '../dialects/stamper.ts';
import type { FoundMark, MarkIssue } from '../instruction.ts';
import type { StoryProgram } from '../program.ts';

const COMMENTS_TYPE = /\.comments\+xml$/;
/** Parts with more about comments, by the identifiers of their paragraphs. */
const MORE_TYPES = /comments(?:Extended|Ids)\+xml$/;
const MAY_INSTRUCT = /(?:display|repeat|replace)\w*/;
const WRITTEN_CHARS_MAX = 200;
/** No expression is longer. */
const CALL_CHARS_MAX = 2_000;

interface Comment {
  node: XmlNode;
  text: string;
}

/** The comments of a template that are instructions of docx-stamper and office-stamper. They go when it is filled. */
export class CommentMarks {
  readonly #template: Template;
  readonly #story: Story | undefined;
  readonly #comments = new Map<string, Comment>();

  constructor(template: Template) {
    this.#template = template;
    const part = partOf(template, COMMENTS_TYPE)[0];
    if (part?.xml === undefined || !MAY_INSTRUCT.test(part.xml)) return;
    this.#story = storyOf(part, part.xml);
    const calls = this.#story.root.children
      .filter(({ name }) => name === 'w:comment')
      .map((node) => ({ node, text: textOf(node, part.xml ?? '') }))
      .filter(({ text }) => text.length <= CALL_CHARS_MAX && calledIn(text) !== undefined);
    // Beside instructions, each call is one: an engine would refuse a name that it does not know.
    if (!calls.some(({ text }) => isInstruction(calledIn(text) ?? ''))) return;
    for (const call of calls) this.#comments.set(attributeOf(call.node, 'w:id') ?? '', call);
  }

  get isEmpty(): boolean {
    return this.#comments.size === 0;
  }

  /** The instructions whose comments are in a story, in document order. */
  in(story: Story): { marks: FoundMark[]; issues: MarkIssue[] } {
    const marks: FoundMark[] = [];
    const issues: MarkIssue[] = [];
    if (this.isEmpty) return { marks, issues };
    for (const [id, anchors] of anchorsIn(story)) {
      const comment = this.#comments.get(id);
      const [from] = anchors;
      if (comment === undefined || from === undefined) continue;
      const written = comment.text.trim().slice(0, WRITTEN_CHARS_MAX);
      const reading = readComment(comment.text);
      const to = anchors.find(({ name }) => name === 'w:commentRangeEnd') ?? from;
      const run = runBetween(from, to);
      if ('issue' in reading) issues.push({ story, node: from, written, issue: reading.issue });
      else if (reading.instruction.type === 'value' && run === undefined)
        issues.push({
          story,
          node: from,
          written,
          issue: 'It replaces words of one paragraph, outside of links',
        });
      else {
        const place = { kind: 'comment', from, to, anchors, run } as const;
        marks.push({ story, place, written, syntax: 'stamper', instruction: reading.instruction });
      }
    }
    return { marks, issues };
  }

  /** What takes the comments out of their parts. */
  programs(): StoryProgram[] {
    if (this.#story === undefined || this.isEmpty) return [];
    const nodes = [...this.#comments.values()].map(({ node }) => node);
    const paragraphs = new Set(
      nodes.flatMap((node) => [...descendantsOf(node)].map(paragraphId)).filter((id) => id !== undefined),
    );
    const more = partOf(this.#template, MORE_TYPES).map((part) => {
      const story = storyOf(part, part.xml ?? '');
      const own = story.root.children.filter((node) => paragraphs.has(paragraphId(node) ?? ''));
      return { story, fragments: own.map(gone) };
    });
    return [{ story: this.#story, fragments: nodes.map(gone) }, ...more];
  }
}

function runBetween(from: XmlNode, to: XmlNode): XmlNode | undefined {
  if (from.parent !== to.parent) return undefined;
  return from.parent?.children.find(
    ({ name, start, end }) => name === 'w:r' && start >= from.end && end <= to.start,
  );
}

function gone({ start, end }: XmlNode): StoryProgram['fragments'][number] {
  return { start, end, ops: [] };
}

function paragraphId({ attributes }: XmlNode): string | undefined {
  return attributes.find(({ name }) => /(?:^|[:}])paraId$/.test(name))?.value;
}

/** The start, the end and the reference of each comment in a story, in document order. */
function anchorsIn(story: Story): Map<string, [XmlNode, ...XmlNode[]]> {
  const anchors = new Map<string, [XmlNode, ...XmlNode[]]>();
  if (!story.xml.includes('comment')) return anchors;
  for (const node of descendantsOf(story.root)) {
    if (!/^w:comment(?:RangeStart|RangeEnd|Reference)$/.test(node.name)) continue;
    const id = attributeOf(node, 'w:id') ?? '';
    const known = anchors.get(id);
    if (known === undefined) anchors.set(id, [node]);
    else known.push(node);
  }
  return anchors;
}

function partOf({ document }: Template, type: RegExp): Part[] {
  return [...document.parts.values()].filter((part) => type.test(part.contentType) && part.xml !== undefined);
}

function storyOf(part: Part, xml: string): Story {
  const tree = new TreeBuilder();
  scanXml(xml, [tree.visitor], { budget: new Budget(), part: part.name });
  return { part, xml, place: 'body', root: tree.root, dialect: dialectOf(xml, tree.root) };
}

function textOf(comment: XmlNode, xml: string): string {
  return [...descendantsOf(comment)]
    .filter(({ name }) => name === 'w:t')
    .map(({ openEnd, closeStart }) => decodeReferences(xml.slice(openEnd, closeStart)))
    .join('');
}
