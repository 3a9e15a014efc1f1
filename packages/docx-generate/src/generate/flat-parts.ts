import type { Story, Template } from '@scriptorium/docx-template/template';
import { dialectOf } from '@scriptorium/docx-template/template';
import { Budget } from '@scriptorium/ooxml/bounds';
import type { Part } from '@scriptorium/ooxml/package';
import {
  ancestorsOf,
  decodeReferences,
  descendantsOf,
  scanXml,
  TreeBuilder,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import type { MarkIssue, TextPart } from './instruction.ts';
import type { FoundMarks } from './marks/find-marks.ts';
import type { Fragment, StoryProgram } from './program.ts';
import type { Range } from './ranges.ts';
import { areTexts, partsIn } from './text-items.ts';

/** Parts with texts but without paragraphs of WordprocessingML, by the end of their content types. */
const FLAT_TYPES =
  /(?:core-properties|extended-properties|custom-properties|drawingml\.chart|diagramdata|ms-office\.drawingml\.diagramdrawing)\+xml$/;

/** Compiles the marks of document properties, charts and diagrams. */
export class FlatParts {
  readonly #template: Template;
  readonly #found: FoundMarks;

  constructor(template: Template, found: FoundMarks) {
    this.#template = template;
    this.#found = found;
  }

  /** The programs of all parts with marks, without the parts with these keys. */
  programs(
    without: ReadonlySet<string>,
    issues: MarkIssue[],
  ): (StoryProgram & { ranges: readonly Range[] })[] {
    const programs: (StoryProgram & { ranges: readonly Range[] })[] = [];
    for (const part of this.#template.document.parts.values()) {
      if (without.has(part.key) || !FLAT_TYPES.test(part.contentType) || !this.isMarked(part)) continue;
      const program = this.programOf(part, issues);
      if (program !== undefined && program.fragments.length > 0) programs.push({ ...program, ranges: [] });
    }
    return programs;
  }

  /** Whether the texts of a part have marks. */
  isMarked({ xml }: Part): boolean {
    return xml !== undefined && partsIn(this.#found, xml.replace(/<[^>]*>/g, '')) !== undefined;
  }

  /** Undefined if the part is not XML. */
  programOf(part: Part, issues: MarkIssue[]): StoryProgram | undefined {
    if (part.xml === undefined) return undefined;
    const story = storyOf(part, part.xml);
    return { story, fragments: fragmentsOf(story, this.#found, issues) };
  }
}

function storyOf(part: Part, xml: string): Story {
  const tree = new TreeBuilder();
  scanXml(xml, [tree.visitor], { budget: new Budget(), part: part.name });
  return { part, xml, place: 'body', root: tree.root, dialect: dialectOf(xml, tree.root) };
}

function fragmentsOf(story: Story, found: FoundMarks, issues: MarkIssue[]): Fragment[] {
  const fragments: Fragment[] = [];
  const add = (texts: readonly XmlNode[]) => {
    const [first, ...others] = texts;
    const parts = partsIn(found, texts.map((text) => textOf(text, story)).join(''));
    if (first === undefined || parts === undefined || !areTexts(parts, story, first, issues)) return;
    fragments.push(fragmentOf(story, first, parts));
    for (const { openEnd, closeStart } of others)
      fragments.push({ start: openEnd, end: closeStart, ops: [''] });
  };
  for (const node of descendantsOf(story.root)) {
    const texts = node.name === 'a:p' ? textsIn(node) : [];
    const areDivided = texts.some((text) => partsIn(found, textOf(text, story)) !== undefined);
    if (texts.length > 1 && !areDivided) add(texts);
    else for (const text of texts) add([text]);
    const isLeaf = node.children.length === 0 && node.openEnd < node.closeStart && !isOfVector(node);
    if (isLeaf && !node.name.startsWith('a:')) add([node]);
  }
  return fragments;
}

/** Headings of the document, which Word lists there when it saves (ECMA-376-1 §22.2.2.26). */
function isOfVector({ parent }: XmlNode): boolean {
  return /\bvector$/.test(parent?.name ?? '');
}

function textsIn(paragraph: XmlNode): XmlNode[] {
  return [...descendantsOf(paragraph)].filter(
    ({ name, openEnd, closeStart }) => name === 'a:t' && openEnd < closeStart,
  );
}

function textOf({ openEnd, closeStart }: XmlNode, { xml }: Story): string {
  const source = xml.slice(openEnd, closeStart);
  return source.includes('<') ? '' : decodeReferences(source);
}

function fragmentOf(story: Story, node: XmlNode, parts: readonly TextPart[]): Fragment {
  return {
    start: node.openEnd,
    end: node.closeStart,
    ops: [{ kind: 'text', parts, story, node, isOfChart: isInTitle(node) }],
  };
}

/** Whether a text is in the title of a chart, not of an axis. */
function isInTitle(text: XmlNode): boolean {
  return [...ancestorsOf(text)].some(({ name, parent }) => name === 'c:title' && parent?.name === 'c:chart');
}
