import type { Expression } from '@scriptorium/expressions/expression';
import type { LoopNotes } from './copied-notes.ts';
import { DataShape, mentionNames, readShape, type ShapeScope } from './data-shape.ts';
import type { BlockOp, ControlOp, Op, StoryProgram, TextOp } from './program.ts';

const NO_VARIABLES: ReadonlyMap<string, DataShape> = new Map();

/** What the steps of a template read in the data. */
export function dataUse(stories: readonly StoryProgram[], notes: LoopNotes): DataShape {
  const shape = new DataShape();
  const reader = new UseReader(notes);
  const scope = { shape, variables: NO_VARIABLES, outer: undefined };
  for (const { fragments } of stories) for (const { ops } of fragments) reader.read(ops, scope);
  return shape;
}

class UseReader {
  readonly #notes: LoopNotes;

  constructor(notes: LoopNotes) {
    this.#notes = notes;
  }

  read(ops: readonly Op[], scope: ShapeScope): void {
    for (const op of ops) if (typeof op !== 'string') this.#readOne(op, scope);
  }

  #readOne(op: Exclude<Op, string>, scope: ShapeScope): void {
    switch (op.kind) {
      case 'value':
        readShape(op.expression, scope)?.print();
        return;
      case 'block':
        this.#block(op, scope);
        return;
      case 'alone':
        this.read([...op.before, op.value, ...op.after], scope);
        return;
      case 'filled':
      case 'parts':
        this.read(op.ops, scope);
        return;
      case 'text':
      case 'link':
        this.#texts(op.parts, scope);
        return;
      case 'note':
        this.read(this.#notes.stepsOf(op), scope);
        return;
      case 'picture':
        readShape(op.expression, scope)?.print();
        this.read(op.ops, scope);
        return;
      case 'chart':
        for (const value of op.values) readShape(value, scope)?.print();
        for (const { ops } of op.fragments) this.read(ops, scope);
        return;
      case 'control':
        this.#control(op, scope);
    }
  }

  #texts(parts: TextOp['parts'], scope: ShapeScope): void {
    for (const part of parts)
      if (typeof part !== 'string' && 'instruction' in part && part.instruction.type === 'value')
        readShape(part.instruction.expression, scope)?.print();
  }

  #block(op: BlockOp, scope: ShapeScope): void {
    for (const { expression, ops } of op.branches)
      this.read(ops, expression === undefined ? scope : scopeOf(op, expression, scope));
  }

  /** A control has the value of one of its names. The first one is that which people assign. */
  #control({ names: [name, ...others], item, ops }: ControlOp, scope: ShapeScope): void {
    const shape = name === undefined ? undefined : readShape(name, scope);
    for (const other of others) mentionNames(other, scope);
    this.read([...ops, ...(item?.before ?? []), ...(item?.after ?? [])], scope);
    if (item === undefined) {
      shape?.print();
      return;
    }
    const inner = item.isSection ? shape?.repeat() : shape?.section();
    if (inner !== undefined) this.read(item.ops, { shape: inner, variables: NO_VARIABLES, outer: scope });
  }
}

/** The scope of the content of a block. */
function scopeOf(
  { type, variable, itemKey, isList }: BlockOp,
  expression: Expression,
  outer: ShapeScope,
): ShapeScope {
  const shape = readShape(expression, outer);
  if (type === 'section' && shape !== undefined)
    return { shape: isList ? shape.repeat() : shape.section(), variables: NO_VARIABLES, outer };
  if (type !== 'for' || shape === undefined) {
    shape?.test();
    return outer;
  }
  const variables = new Map<string, DataShape>();
  if (variable !== undefined) variables.set(variable, shape.repeat());
  if (itemKey !== undefined) variables.set(itemKey, new DataShape());
  return { shape: outer.shape, variables, outer };
}
