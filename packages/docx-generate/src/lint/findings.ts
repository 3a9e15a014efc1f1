import type { Story, Template } from '@scriptorium/docx-template/template';
import type { Expression, Json } from '@scriptorium/expressions/expression';
import { namesIn } from '@scriptorium/expressions/reads';
import { OoxmlError } from '@scriptorium/ooxml/error';
import type { XmlNode } from '@scriptorium/ooxml/xml';
import { compile, MistakenMarks, type Program } from '../generate/compile.ts';
import { describeData } from '../generate/data-schema.ts';
import { compared } from '../generate/generate.ts';
import type { FoundMark } from '../generate/instruction.ts';
import { spanOf } from '../generate/span.ts';

/** What an author should look at. `mistake`: the template is refused for it. */
export interface Finding {
  kind: 'mistake' | 'doubt';
  text: string;
  /** Without a place, it concerns the whole template. */
  story?: Story;
  node?: XmlNode;
}

/**
 * The mistakes in the marks of a template. Without any, its doubts: calls that its language does not have, and marks that no
 * data fills. With data, they are what the data lacks, what no mark reads of it, and what does not suit its mark. Throws
 * OoxmlError DOCUMENT_TOO_COMPLEX for data that make too much.
 */
export function findingsIn(template: Template, data: Json | undefined): Finding[] {
  let program: Program;
  try {
    program = compile(template, { syntax: 'auto' });
  } catch (error) {
    if (error instanceof OoxmlError) return [{ kind: 'mistake', text: error.message.replace(/\.$/, '') }];
    if (!(error instanceof MistakenMarks)) throw error;
    return error.issues.map(({ story, node, issue, written }) => ({
      ...{ kind: 'mistake', story, node },
      text: `${issue}: “${written}”`,
    }));
  }
  if (data !== undefined) return differences(template, data);
  return [...program.found.marks.flatMap(callsOf), ...contradictions(template, program)];
}

function callsOf(mark: FoundMark): Finding[] {
  const { instruction, story } = mark;
  const expression: Expression | undefined = 'expression' in instruction ? instruction.expression : undefined;
  if (expression === undefined) return [];
  const { first: node } = spanOf(mark);
  return namesIn(expression).calls.map((call) => ({
    ...{ kind: 'doubt', story, node },
    text: `The language of the template has no “${call}”: its result is the value of this name in the data`,
  }));
}

/** Marks that even the example of the schema does not fill: one prints what another repeats, or no data can have the name. */
function contradictions(template: Template, { use }: Program): Finding[] {
  const { unfilled } = compared(template, describeData(use).example);
  return unfilled.map(({ story, node, path, issue }) => ({
    ...{ kind: 'doubt', story, node },
    text: `No data fills it beside the other marks: ${path}${issue === undefined ? '' : ` ${issue}`}`,
  }));
}

function differences(template: Template, data: Json): Finding[] {
  const { unfilled, unused } = compared(template, data);
  const others = unused.count - unused.names.length;
  const names = unused.names.join(', ') + (others > 0 ? ` and ${others} more` : '');
  const surplus: Finding = { kind: 'doubt', text: `No mark reads these properties of the data: ${names}` };
  const places = unfilled.map(
    ({ story, node, path, issue }): Finding => ({
      ...{ kind: 'doubt', story, node },
      text: issue === undefined ? `The data has no value for it: ${path}` : `${path} ${issue}`,
    }),
  );
  return [...(unused.count > 0 ? [surplus] : []), ...places];
}
