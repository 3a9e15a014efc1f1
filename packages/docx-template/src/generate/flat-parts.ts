import { Budget } from '@scriptorium/ooxml/bounds';
import type { Part } from '@scriptorium/ooxml/package';
import { decodeReferences, descendantsOf, scanXml, TreeBuilder, type XmlNode } from '@scriptorium/ooxml/xml';
import { dialectOf } from '../template/dialect.ts';
import type { Story } from '../template/story.ts';
import type { Template } from '../template/template.ts';
import type { MarkIssue, TextPart } from './instruction.ts';
import type { FoundMarks } from './marks/find-marks.ts';
import type { Fragment, StoryProgram } from './program.ts';
import type { Range } from './ranges.ts';
import { areTexts, partsIn } from './text-items.ts';

/** Parts with texts but without paragraphs of WordprocessingML, by the end of their content types. */
const FLAT_TYPES =
  /(?:core-properties|extended-properties|custom-properties|drawingml\.chart|diagramData|ms-office\.drawingml\.diagramDrawing)\+xml$/;

/** The programs of document properties, charts and diagrams that have marks in their texts. */
export function flatPrograms(
  template: Template,
  found: FoundMarks,
  issues: MarkIssue[],
): (StoryProgram & { ranges: readonly Range[] })[] {
  const programs: (StoryProgram & { ranges: readonly Range[] })[] = [];
  for (const part of template.document.parts.values()) {
    if (part.xml === undefined || !FLAT_TYPES.test(part.contentType)) continue;
    const text = part.xml.replace(/<[^>]*>/g, '');
    if (partsIn(found, text) === undefined) continue;
    const story = storyOf(part, part.xml);
    const fragments = fragmentsOf(story, found, issues);
    if (fragments.length > 0) programs.push({ story, fragments, ranges: [] });
  }
  return programs;
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
    const isLeaf = node.children.length === 0 && node.openEnd < node.closeStart;
    if (isLeaf && !node.name.startsWith('a:')) add([node]);
  }
  return fragments;
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
  return { start: node.openEnd, end: node.closeStart, ops: [{ kind: 'text', parts, story, node }] };
}
