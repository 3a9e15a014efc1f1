import { TemplateError } from '@scriptorium/docx-template/error';
import type { Template } from '@scriptorium/docx-template/template';
import { OoxmlError } from '@scriptorium/ooxml/error';
import type { Tag, TemplateTags } from '../template-tags.ts';
import { compile } from './compile.ts';
import { DataShape, readShape, type ShapeScope } from './data-shape.ts';
import type { FoundMark } from './instruction.ts';
import { Places } from './place.ts';
import { spanOf } from './span.ts';

/** The marks of a template as a tree, and the data that they need. A template with mistakes has only issues. */
export function tagsOf(template: Template): TemplateTags {
  try {
    const { marks, syntaxes } = compile(template, { syntax: 'auto' }).found;
    const tree = new TagTree();
    for (const mark of marks) tree.add(mark);
    return { syntaxes, tags: tree.tags, schema: tree.schema };
  } catch (error) {
    if (error instanceof TemplateError)
      return { syntaxes: [], tags: [], schema: {}, issues: error.details ?? [] };
    if (!(error instanceof OoxmlError)) throw error;
    const issues = [{ field: template.document.main.name, issue: error.message }];
    return { syntaxes: [], tags: [], schema: {}, issues };
  }
}

type Value = Extract<FoundMark['instruction'], { type: 'value' }>;

const KINDS = { section: 'section', inverted: 'inverted', for: 'loop', if: 'condition' } as const;
const NO_VARIABLES: ReadonlyMap<string, DataShape> = new Map();

class TagTree {
  readonly tags: Tag[] = [];
  readonly #root = new DataShape();
  readonly #places = new Places();
  readonly #open: { tags: Tag[]; scope: ShapeScope }[];
  /** The last value, of which rows of poi-tl show the items. */
  #list: DataShape | undefined;

  constructor() {
    const scope = { shape: this.#root, variables: NO_VARIABLES, outer: undefined };
    this.#open = [{ tags: this.tags, scope }];
  }

  get schema(): Record<string, unknown> {
    const schema = this.#root.schema();
    return {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...schema,
      type: schema.type ?? 'object',
    };
  }

  add(mark: FoundMark): void {
    const { instruction, written, syntax, story } = mark;
    const innermost = this.#open.at(-1);
    if (innermost === undefined) return;
    const { scope, tags } = innermost;
    const place = this.#places.nameOf(story, spanOf(mark).first);
    if (instruction.type === 'value') {
      readShape(instruction.expression, this.#scopeOfValue(instruction, scope))?.print();
      tags.push({ kind: 'value', written, syntax, place });
    } else if (instruction.type === 'open') {
      const own: Tag = { kind: KINDS[instruction.kind], written, syntax, place, tags: [] };
      tags.push(own);
      this.#open.push({ tags: own.tags ?? [], scope: scopeOf(instruction, scope) });
    } else if (instruction.type === 'else' && instruction.expression !== undefined)
      readShape(instruction.expression, scope)?.test();
    else if (instruction.type === 'close' && this.#open.length > 1) this.#open.pop();
  }

  /** The scope of a value that stands in a loop without marks of its own, as in Carbone and in rows of poi-tl. */
  #scopeOfValue({ expression, arrays = [], isOfRow }: Value, outer: ShapeScope): ShapeScope {
    if (isOfRow === true)
      return { shape: this.#list?.repeat() ?? outer.shape, variables: NO_VARIABLES, outer };
    this.#list = arrays.length === 0 ? readShape(expression, outer) : undefined;
    const variables = new Map<string, DataShape>();
    const scope = { shape: outer.shape, variables, outer };
    for (const { name, expression: list } of arrays) {
      const shape = readShape(list, scope)?.repeat();
      if (shape !== undefined) variables.set(name, shape);
    }
    return scope;
  }
}

function scopeOf(
  { kind, expression, variable, key }: Extract<FoundMark['instruction'], { type: 'open' }>,
  outer: ShapeScope,
): ShapeScope {
  const shape = readShape(expression, outer);
  if (kind === 'section' && shape !== undefined)
    return { shape: shape.section(), variables: NO_VARIABLES, outer };
  if (kind !== 'for' || shape === undefined) {
    shape?.test();
    return outer;
  }
  const variables = new Map<string, DataShape>();
  if (variable !== undefined) variables.set(variable, shape.repeat());
  if (key !== undefined) variables.set(key, new DataShape());
  return { shape: outer.shape, variables, outer };
}
