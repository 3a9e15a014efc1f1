import type { Story, Template } from '@scriptorium/docx-template/template';
import type { Expression, Json } from '@scriptorium/expressions/expression';
import { namesIn } from '@scriptorium/expressions/reads';
import type { XmlNode } from '@scriptorium/ooxml/xml';
import { compile, MistakenMarks } from '../generate/compile.ts';
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
 * The mistakes in the marks of a template; without any, its doubts: calls that its language does not have, or with data,
 * what the data lacks and what no mark reads of it. Throws OoxmlError DOCUMENT_TOO_COMPLEX.
 */
export function findingsIn(template: Template, data: Json | undefined): Finding[] {
  try {
    const { marks } = compile(template, { syntax: 'auto' }).found;
    return data === undefined ? marks.flatMap(callsOf) : differences(template, data);
  } catch (error) {
    if (!(error instanceof MistakenMarks)) throw error;
    return error.issues.map(({ story, node, issue, written }) => ({
      ...{ kind: 'mistake', story, node },
      text: `${issue}: “${written}”`,
    }));
  }
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

function differences(template: Template, data: Json): Finding[] {
  const { lacking, unused } = compared(template, data);
  const others = unused.count - unused.names.length;
  const names = unused.names.join(', ') + (others > 0 ? ` and ${others} more` : '');
  const surplus: Finding = { kind: 'doubt', text: `No mark reads these properties of the data: ${names}` };
  const missing = lacking.map(({ story, node, path }): Finding => {
    return { kind: 'doubt', story, node, text: `The data has no value for it: ${path}` };
  });
  return [...(unused.count > 0 ? [surplus] : []), ...missing];
}
