import type { Story } from '@scriptorium/docx-template/template';
import { ancestorsOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { FoundMark, Instruction, MarkIssue } from './instruction.ts';
import { BLOCK_CONTAINERS, childTowards, commonAncestor, levelOf, type Range } from './ranges.ts';
import { around, plainCut, spanOf } from './span.ts';

type Attached = Extract<Instruction, { type: 'attached' }>;

const WANTED = {
  words: 'the words of one paragraph',
  paragraph: 'a paragraph',
  row: 'a row of a table',
  table: 'a table',
  part: 'text',
} as const;

/** The ranges of instructions that stand in what they repeat or hide. Loops are outside of conditions. */
export function attachedRanges(
  story: Story,
  marks: readonly FoundMark[],
  loops: readonly Range[],
  issues: MarkIssue[],
): Range[] {
  const ranges: Range[] = [];
  for (const mark of marks) {
    const { instruction, written } = mark;
    if (instruction.type !== 'attached') continue;
    const { start } = spanOf(mark);
    const isInLoop = ({ block, bodies: [body] }: Range) =>
      block.variable === instruction.variable &&
      body !== undefined &&
      body.from.at <= start &&
      start < body.to.at;
    const range = rangeOf(mark, instruction);
    if (instruction.variable !== undefined && !loops.some(isInLoop))
      issues.push({ story, node: spanOf(mark).first, written, issue: 'It is not in the loop over its list' });
    else if (range !== undefined) ranges.push(range);
    else {
      const issue = `The instruction is not in ${WANTED[instruction.to]}`;
      issues.push({ story, node: spanOf(mark).first, written, issue });
    }
  }
  const isCondition = ({ block }: Range) => Number(block.kind !== 'section');
  return ranges.sort((a, b) => isCondition(a) - isCondition(b));
}

function rangeOf(mark: FoundMark, { to, kind, expression }: Attached): Range | undefined {
  const block: Range['block'] = {
    ...{ kind, variable: undefined, key: undefined, unit: undefined, close: mark, hasOtherwise: false },
    branches: [{ mark, expression }],
    isList: kind === 'section',
  };
  if (to === 'words') return wordsOf(mark, block);
  const [first, last] = endsOf(mark, to) ?? [];
  const container = first?.parent;
  if (first === undefined || last === undefined || container === undefined) return undefined;
  const level = first.name === 'w:tbl' ? 'elements' : levelOf(first.name);
  const body = { from: plainCut(first.start), to: plainCut(last.end) };
  return { block, level, container, bodies: [body], removed: [] };
}

/** What a comment is about in one paragraph. */
function wordsOf({ place }: FoundMark, block: Range['block']): Range | undefined {
  if (place.kind !== 'comment' || place.from.parent !== place.to.parent) return undefined;
  const container = place.from.parent;
  if (container?.name !== 'w:p') return undefined;
  const body = { from: plainCut(place.from.end), to: plainCut(place.to.start) };
  return { block, level: 'text', container, bodies: [body], removed: [] };
}

/** The first and the last of the elements that an instruction means. */
function endsOf(mark: FoundMark, to: Exclude<Attached['to'], 'words'>): [XmlNode, XmlNode] | undefined {
  const first = paragraphOf(mark);
  if (first === undefined) return undefined;
  if (to === 'part') return partOf(first, lastParagraphOf(mark) ?? first);
  const name = { paragraph: 'w:p', row: 'w:tr', table: 'w:tbl' }[to];
  const found = around(first, name);
  return found && [found, found];
}

/** The paragraph around a mark. For a comment between paragraphs, it is the next one. */
function paragraphOf(mark: FoundMark): XmlNode | undefined {
  const { place } = mark;
  const own = around(spanOf(mark).first, 'w:p');
  if (own !== undefined || place.kind !== 'comment') return own;
  const { from } = place;
  const next = from.parent?.children.find(
    ({ name, start }) => start >= from.end && /^w:(?:p|tbl|sdt)$/.test(name),
  );
  return next && (next.name === 'w:p' ? next : [...descendantsOf(next)].find(({ name }) => name === 'w:p'));
}

/** The paragraph in which a comment ends, or the last one before its end. */
function lastParagraphOf({ place }: FoundMark): XmlNode | undefined {
  if (place.kind !== 'comment') return undefined;
  const { to } = place;
  const own = to.parent && around(to.parent, 'w:p');
  if (own !== undefined) return own;
  const before = to.parent?.children.findLast(
    ({ name, end }) => end <= to.start && /^w:(?:p|tbl|sdt)$/.test(name),
  );
  return (
    before &&
    (before.name === 'w:p' ? before : [...descendantsOf(before)].findLast(({ name }) => name === 'w:p'))
  );
}

/** The siblings that hold both paragraphs: blocks, or rows of a table. */
function partOf(first: XmlNode, last: XmlNode): [XmlNode, XmlNode] | undefined {
  const common = commonAncestor([first, last]);
  const outer = [...(common === first ? [] : [common]), ...ancestorsOf(common)];
  const container = outer.find(({ name }) => BLOCK_CONTAINERS.has(name) || name === 'w:tbl');
  if (container === undefined) return undefined;
  const ends: [XmlNode, XmlNode] = [childTowards(container, first), childTowards(container, last)];
  return ends[0].start <= ends[1].start ? ends : undefined;
}
