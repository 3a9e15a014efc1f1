import { choicesOf } from '@scriptorium/docx-template/fields';
import type { Control } from '@scriptorium/docx-template/template';
import type { Expression } from '@scriptorium/expressions/expression';
import type { LoopNotes } from './copied-notes.ts';
import { DataShape, mentionNames, type Need, readShape, type ShapeScope } from './data-shape.ts';
import type { BlockOp, CellOp, ControlOp, LinkOp, Op, StoryProgram, TextOp, ValueOp } from './program.ts';

const SAMPLE_COLOR = 'FFCC00';
const NO_VARIABLES: ReadonlyMap<string, DataShape> = new Map();

/** What the steps of a template read in the data. */
export function dataUse(
  stories: readonly StoryProgram[],
  notes: LoopNotes,
  areControlsMarks: boolean,
): DataShape {
  const shape = new DataShape();
  const reader = new UseReader(notes, areControlsMarks);
  const scope = { shape, variables: NO_VARIABLES, outer: undefined, depth: 0 };
  for (const { fragments } of stories) for (const { ops } of fragments) reader.read(ops, scope);
  return shape;
}

function needsOf({ as }: ValueOp): Need[] {
  if (as === 'list' || as === 'table') return ['list', 'whole'];
  return [as === 'markdown' ? 'markup' : (as ?? 'text')];
}

class UseReader {
  readonly #notes: LoopNotes;
  readonly #areControlsMarks: boolean;

  constructor(notes: LoopNotes, areControlsMarks: boolean) {
    this.#notes = notes;
    this.#areControlsMarks = areControlsMarks;
  }

  read(ops: readonly Op[], scope: ShapeScope): void {
    for (const op of ops) if (typeof op !== 'string') this.#readOne(op, scope);
  }

  #readOne(op: Exclude<Op, string>, scope: ShapeScope): void {
    switch (op.kind) {
      case 'value':
        for (const need of needsOf(op)) readShape(op.expression, scope, need);
        return;
      case 'block':
        this.#block(op, scope);
        return;
      case 'alone':
        this.read([...op.before, op.value, ...op.after], scope);
        return;
      case 'set': {
        const shape = readShape(op.expression, scope) ?? new DataShape();
        let owner = scope;
        while ((op.isGlobal || owner.isBranch) && owner.outer !== undefined) owner = owner.outer;
        owner.variables = new Map([...owner.variables, [op.variable, shape]]);
        return;
      }
      case 'cell':
        this.#cell(op, scope);
        this.read(op.ops, scope);
        return;
      case 'filled':
      case 'parts':
        this.read(op.ops, scope);
        return;
      case 'text':
      case 'link':
        this.#texts(op, scope);
        return;
      case 'note':
        this.read(this.#notes.stepsOf(op), scope);
        return;
      case 'picture':
        readShape(op.expression, scope, op.isImage ? 'image' : 'text');
        this.read(op.ops, scope);
        return;
      case 'chart':
        for (const value of op.values) readShape(value, scope, 'chart');
        for (const { ops } of op.fragments) this.read(ops, scope);
        return;
      case 'control':
        this.#control(op, scope);
    }
  }

  #cell({ changes }: CellOp, scope: ShapeScope): void {
    for (const { what, expression } of changes)
      if (what === 'fill' && expression !== undefined)
        readShape(expression, scope, 'text')?.samples.push(SAMPLE_COLOR);
      else if (expression !== undefined) readShape(expression, scope, 'number');
  }

  #texts({ kind, parts }: TextOp | LinkOp, scope: ShapeScope): void {
    for (const [index, part] of parts.entries()) {
      if (typeof part === 'string' || !('instruction' in part) || part.instruction.type !== 'value') continue;
      readShape(part.instruction.expression, scope, kind === 'link' && index === 0 ? 'address' : 'text');
    }
  }

  #block(op: BlockOp, scope: ShapeScope): void {
    for (const { expression, ops } of op.branches)
      this.read(ops, expression === undefined ? branchOf(scope) : scopeOf(op, expression, scope));
  }

  /** A control has the value of one of its names. The first one is that which people assign. */
  #control({ control, names: [name, ...others], item, ops }: ControlOp, scope: ShapeScope): void {
    const isNeeded = this.#areControlsMarks || item?.isSection === true;
    const shape = name === undefined ? undefined : readShape(name, isNeeded ? scope : branchOf(scope));
    for (const other of others) mentionNames(other, scope);
    this.read([...ops, ...(item?.before ?? []), ...(item?.after ?? [])], scope);
    if (shape === undefined) return;
    if (item === undefined) needOf(control, shape);
    else {
      const inner = shape.items(item.isSection ? 'list' : 'section');
      const own = { shape: inner, variables: NO_VARIABLES, outer: scope, depth: scope.depth + 1 };
      this.read(item.ops, { ...own, list: shape });
    }
  }
}

function needOf(control: Control, shape: DataShape): void {
  const { kind } = control;
  shape.need(kind === 'picture' ? 'image' : kind === 'date' ? 'date' : kind === 'checkbox' ? 'test' : 'text');
  if (kind === 'drop-down') shape.choices ??= choicesOf(control).map(({ text }) => text);
}

function branchOf(outer: ShapeScope): ShapeScope {
  return { shape: outer.shape, variables: NO_VARIABLES, outer, depth: outer.depth + 1, isBranch: true };
}

/** The scope of the content of a block. */
function scopeOf(
  { type, variable, itemKey, isList, hasOtherwise }: BlockOp,
  expression: Expression,
  outer: ShapeScope,
): ShapeScope {
  const branch = branchOf(outer);
  if (type === 'section') {
    const shape = readShape(expression, hasOtherwise ? branch : outer);
    if (shape === undefined) return branch;
    const inner = shape.items(isList ? 'list' : 'section');
    return { shape: inner, variables: NO_VARIABLES, outer, depth: branch.depth, list: shape };
  }
  if (type !== 'for') {
    const shape = readShape(expression, branch, 'test');
    if (type === 'inverted') shape?.samples.push(false);
    return branch;
  }
  const shape = readShape(expression, outer) ?? new DataShape();
  const variables = new Map<string, DataShape>();
  if (variable !== undefined) variables.set(variable, shape.items('list'));
  if (itemKey !== undefined) variables.set(itemKey, new DataShape());
  return { shape: outer.shape, variables, outer, depth: branch.depth, list: shape };
}
