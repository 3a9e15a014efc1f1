import { parseExpression } from '@scriptorium/expressions/expression';
import { decodeReferences } from '@scriptorium/ooxml/xml';
import { findMarks as find } from '../../placeholders/marks.ts';
import type { Story } from '../../template/story.ts';
import type { FoundMark, Instruction, MarkIssue, Syntax, TextPart } from '../instruction.ts';
export interface FoundMarks {
  marks: FoundMark[];
  syntaxes: Syntax[];
  issues: MarkIssue[];
  readText(text: string): TextPart[];
}
function read(text: string): Instruction {
  const name = text.slice(1).trim();
  if (text[0] === '#') return { type: 'open', kind: 'section', name, expression: parseExpression(name) };
  if (text[0] === '^') return { type: 'open', kind: 'inverted', name, expression: parseExpression(name) };
  if (text[0] === '/') return { type: 'close', name };
  return { type: 'value', expression: parseExpression(text) };
}
export function findMarks(stories: readonly Story[], _language: unknown): FoundMarks {
  const marks = stories.flatMap((story) =>
    find(story).map(({ pieces }): FoundMark => {
      const written = pieces.map(({ start, end }) => decodeReferences(story.xml.slice(start, end))).join('');
      return {
        story,
        place: { kind: 'text', pieces },
        written,
        syntax: 'curly',
        instruction: read(written.slice(1, -1)),
      };
    }),
  );
  return {
    marks,
    syntaxes: ['curly'],
    issues: [],
    readText: (text) =>
      text
        .split(/(\{[^{}]*\})/)
        .filter((t) => t !== '')
        .map((t) =>
          t.startsWith('{') ? { written: t, syntax: 'curly', instruction: read(t.slice(1, -1)) } : t,
        ),
  };
}
