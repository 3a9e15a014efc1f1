import { TemplateError } from '@scriptorium/docx-template/error';
import type { Template } from '@scriptorium/docx-template/template';
import type { Expression } from '@scriptorium/expressions/expression';
import { OoxmlError } from '@scriptorium/ooxml/error';
import type { Tag, TemplateTags } from '../template-tags.ts';
import { hasKind } from '../values/kinds.ts';
import { compile } from './compile.ts';
import { describeData } from './data-schema.ts';
import type { FoundMark } from './instruction.ts';
import { Places } from './place.ts';
import { spanOf } from './span.ts';

/** The marks of a template as a tree, and the data that they need. A template with mistakes has only issues. */
export function tagsOf(template: Template): TemplateTags {
  try {
    const { found, use } = compile(template, { syntax: 'auto' });
    const tree = new TagTree();
    for (const mark of found.marks) tree.add(mark);
    return { syntaxes: found.syntaxes, tags: tree.tags, ...describeData(use) };
  } catch (error) {
    if (error instanceof TemplateError)
      return { syntaxes: [], tags: [], schema: {}, issues: error.details ?? [] };
    if (!(error instanceof OoxmlError)) throw error;
    const issues = [{ field: template.document.main.name, issue: error.message }];
    return { syntaxes: [], tags: [], schema: {}, issues };
  }
}

const isPlace = (expression: Expression): boolean =>
  expression.kind === 'literal' && hasKind(expression.value);

const KINDS = { section: 'section', inverted: 'inverted', for: 'loop', if: 'condition' } as const;

class TagTree {
  readonly tags: Tag[] = [];
  readonly #places = new Places();
  readonly #open: Tag[][] = [this.tags];

  add(mark: FoundMark): void {
    const { instruction, written, syntax, story } = mark;
    const tags = this.#open.at(-1) ?? this.tags;
    const place = this.#places.nameOf(story, spanOf(mark).first);
    if (instruction.type === 'value')
      tags.push({ kind: isPlace(instruction.expression) ? 'signature' : 'value', written, syntax, place });
    else if (instruction.type === 'attached')
      tags.push({
        kind: instruction.kind === 'section' ? 'loop' : KINDS[instruction.kind],
        ...{ written, syntax, place },
      });
    else if (instruction.type === 'open') {
      const inner: Tag[] = [];
      tags.push({ kind: KINDS[instruction.kind], written, syntax, place, tags: inner });
      this.#open.push(inner);
    } else if (instruction.type === 'close' && this.#open.length > 1) this.#open.pop();
  }
}
