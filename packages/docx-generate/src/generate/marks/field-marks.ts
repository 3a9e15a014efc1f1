import type { Story } from '@scriptorium/docx-template/template';
import { writtenFieldsOf } from '@scriptorium/docx-template/template';
import { decodeReferences, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { readField } from '../dialects/word.ts';
import type { FoundMark, MarkIssue } from '../instruction.ts';

const WRITTEN_CHARS_MAX = 200;
const MERGE = /\bMERGEFIELD\b/i;
const FORMULA = /^\s*=/;

/** The merge fields of a story, which are marks, in document order. */
export interface FieldMarks {
  marks: readonly FoundMark[];
  issues: readonly MarkIssue[];
  /** The elements of the fields. Their texts are results, not marks. */
  nodes: ReadonlySet<XmlNode>;
  /** Fields that compute from the cells of their tables. */
  formulas: readonly MarkIssue[];
}

export function fieldMarksOf(story: Story): FieldMarks {
  const marks: FoundMark[] = [];
  const issues: MarkIssue[] = [];
  const formulas: MarkIssue[] = [];
  const nodes = new Set<XmlNode>();
  const known = new Set<XmlNode>();
  for (const field of writtenFieldsOf(story)) {
    const { instruction, nodes: own, run, isSeparate } = field;
    for (const node of own) known.add(node);
    const reading = readField(field);
    if (reading === undefined) {
      const issue =
        'A formula is not computed in a table with marks; compute its value in a mark or in the data';
      if (FORMULA.test(instruction))
        formulas.push({ story, node: own[0], written: instruction.trim(), issue });
      continue;
    }
    for (const node of own) nodes.add(node);
    const written = instruction.trim().slice(0, WRITTEN_CHARS_MAX);
    const report = (issue: string) => issues.push({ story, node: own[0], written, issue });
    if ('issue' in reading) report(reading.issue);
    else if (!isSeparate) report('The field shares a run with other content');
    else {
      const place = { kind: 'field', nodes: own, run } as const;
      marks.push({ story, place, written, syntax: 'word', instruction: reading.instruction });
    }
  }
  return { marks, issues: [...issues, ...crossing(story, known)], nodes, formulas };
}

/** Merge fields that do not begin and end in one paragraph. */
function crossing(story: Story, known: ReadonlySet<XmlNode>): MarkIssue[] {
  if (!MERGE.test(story.xml)) return [];
  const issues: MarkIssue[] = [];
  for (const node of descendantsOf(story.root, (inner) => known.has(inner))) {
    if (node.name !== 'w:instrText' || known.has(node)) continue;
    const written = decodeReferences(story.xml.slice(node.openEnd, node.closeStart)).trim();
    if (!MERGE.test(written)) continue;
    const issue = 'The field does not end in the element where it begins';
    issues.push({ story, node, written: written.slice(0, WRITTEN_CHARS_MAX), issue });
  }
  return issues;
}
