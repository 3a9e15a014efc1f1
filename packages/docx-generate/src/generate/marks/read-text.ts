import type { TextPart } from '../instruction.ts';
import type { Lexeme } from './lexer.ts';
import { readAll, type Taken, tagOf } from './mark-tags.ts';
import { Usage } from './usage.ts';

/**
 * Reads a text without runs by the languages of a template, and by those that the text itself uses. A delimiter without
 * a partner is text here: titles and properties contain braces that are not marks.
 */
export function readText(text: string, template: Usage): TextPart[] {
  if (text === '') return [''];
  const own = new Usage(template.options);
  own.add([text]);
  const decisions = [template.decide(), own.decide()];
  const lexer = own.hasPlus ? own.lexer() : template.lexer();
  const found: { lexeme: Lexeme; choice: Taken }[] = [];
  for (const lexeme of lexer.read(text)) {
    const choice = decisions
      .map((decision) => decision.choose(lexeme, text[lexeme.start - 1] ?? '', { isStrict: false }))
      .find((candidate) => candidate !== undefined && !('issue' in candidate));
    if (choice !== undefined && !('issue' in choice)) found.push({ lexeme, choice });
  }
  const tags = found.map(({ lexeme, choice }) => ({ ...tagOf(lexeme, choice), syntax: choice.syntax }));
  const readings = readAll(tags);
  const parts: TextPart[] = [];
  let at = 0;
  for (const [index, { start, end, syntax }] of tags.entries()) {
    if (start > at) parts.push(text.slice(at, start));
    const reading = readings[index];
    if (reading === undefined) throw new Error('a mark was not read');
    parts.push({ written: text.slice(start, end), syntax, ...reading });
    at = end;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}
