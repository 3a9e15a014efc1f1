import { openTemplate } from '@scriptorium/docx-template/template';
import { type ExpressionSyntax, parseExpression } from '@scriptorium/expressions/expression';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import type { Instruction } from '../../src/generate/instruction.ts';
import { CommentMarks } from '../../src/generate/marks/comment-marks.ts';
import { type FoundMarks, findMarks } from '../../src/generate/marks/find-marks.ts';
import type { LanguageOptions } from '../../src/generate/marks/usage.ts';

/** The marks of a template with this body. */
export async function foundIn(
  body: string,
  options: Partial<LanguageOptions> = {},
  more: Parameters<typeof templateOf>[1] = {},
): Promise<FoundMarks> {
  const template = await openTemplate(templateOf(body, more));
  return findMarks(template.stories, { syntax: 'auto', ...options }, new CommentMarks(template));
}

/** The marks of a template with one paragraph a text. */
export function foundInTexts(
  texts: readonly string[],
  options?: Partial<LanguageOptions>,
): Promise<FoundMarks> {
  return foundIn(texts.map((text) => p(run(text))).join(''), options);
}

/** The marks as text, with what they mean. */
export function readingsOf({ marks }: FoundMarks): [written: string, instruction: Instruction][] {
  return marks.map(({ written, instruction }) => [written, instruction]);
}

/** The marks as text, with their language. */
export function languagesOf({ marks }: FoundMarks): string[] {
  return marks.map(({ written, syntax }) => `${syntax} ${written}`);
}

export function issuesOf({ issues }: FoundMarks): string[] {
  return issues.map(({ issue, written }) => `${issue}: ${written}`);
}

/** Expressions of a language, for comparison. */
export function expressionsIn(syntax: ExpressionSyntax) {
  return (text: string) => parseExpression(text, { syntax });
}

/** A text in runs that end at these offsets, which are in order. */
export function inRuns(text: string, ends: readonly number[]): string {
  const all = [0, ...ends, text.length];
  return all
    .slice(1)
    .map((end, index) => run(text.slice(all[index], end)))
    .join('');
}
